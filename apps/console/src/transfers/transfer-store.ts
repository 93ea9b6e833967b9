import { CairnError } from '@cairn/sdk'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { getSession, isInterrupted, watchSession } from '../session/session-store.ts'
import { createStore, useStore } from '../state/store.ts'
import { toastDone, toastError } from '../ui/toasts/toast-store.ts'
import { isDownloadExpected } from './expected-download.ts'
import { findNextStep } from './next-step.ts'
import { areTransfersShown, showTransfers } from './panel-store.ts'
import type { PathFile } from './path-file.ts'
import { titleFailure } from './title-failure.ts'
import type { PausedNeed, Transfer, TransferStage } from './transfer.ts'

export type { NodeState, Transfer, TransferStage } from './transfer.ts'
/** Progress report of the work. */
export type TransferReport = Partial<
  Pick<Transfer, 'stage' | 'bytes' | 'totalBytes' | 'bytesPerSecond' | 'remainingMs' | 'nodes'>
>

/** A task. `run` is called again on a retry, so it must be idempotent. */
export type TransferRequest = {
  name: string
  /** Title once it is done, if not the name. */
  doneName?: string
  /** Title once it failed, if not the name. */
  failedName?: string
  kind: Transfer['kind']
  isEncrypted?: boolean
  totalBytes?: number
  run: (tools: {
    report: (change: TransferReport) => void
    signal: AbortSignal
  }) => Promise<{ cid?: string } | undefined>
  /** Called with the CID of a finished upload. */
  onDone?: (cid: string | undefined) => void
  /** Returns whether another part of the page shows how it ends, so that no toast repeats it. */
  isShown?: () => boolean
  /** Called when the user cancels it: removes its data everywhere. */
  onDrop?: () => Promise<void>
  /** Called when the user pauses or resumes it, so that a later page knows. Without it, it cannot be paused. */
  onPause?: (isPaused: boolean) => void
  /** Called when the user resumes or retries it, before it runs: may ask for a signature. */
  onRetry?: () => Promise<void>
  /** Called if its name was rejected: the user chooses another. */
  onRename?: () => void
  /** Called when its account leaves this page. */
  onClose?: () => void
  /** Present if an earlier page left it: resumes when the user supplies what it needs. */
  paused?: {
    bytes: number
    need: PausedNeed
    go: (files: readonly PathFile[] | undefined) => Promise<void>
    /** Returns whether its own files are among these. */
    fits?: (files: readonly PathFile[]) => boolean
  }
}

type Entry = { transfer: Transfer; request: TransferRequest; stop: AbortController }

/** Maximum number of transfers that use the connection: more would only share it. */
const maxRunning = 2
/** The same with those that save a key: most of that time is the pause between the key nodes. */
const maxWithKeys = 4

/** Minimum interval in ms between updates of the list, because each update renders all rows. */
const showMs = 100

const entries = new Map<number, Entry>()
/** Running transfers that are pausing, with what each needs once its work has stopped. */
const pausing = new Map<number, PausedNeed>()
const view = createStore<readonly Transfer[]>([])
let nextId = 1

let showTimer: ReturnType<typeof setTimeout> | undefined
/** Whether a change is not shown yet. */
let isStale = false

function publish(): void {
  isStale = false
  view.set([...entries.values()].map(({ transfer }) => transfer))
}

/** Shows the first change at once, and those that follow soon after it together. */
function publishSoon(): void {
  isStale = true
  if (showTimer !== undefined) return
  publish()
  showTimer = setTimeout(() => {
    showTimer = undefined
    if (isStale) publishSoon()
  }, showMs)
}

function change(id: number, next: Partial<Transfer>): void {
  const entry = entries.get(id)
  if (entry === undefined) return
  entries.set(id, { ...entry, transfer: { ...entry.transfer, ...next } })
  publishSoon()
}

/** Returns whether it still has work to do. */
export function isActive({ stage }: Transfer): boolean {
  return stage !== 'done' && stage !== 'failed' && stage !== 'cancelled' && stage !== 'paused'
}

/** Returns whether any transfer still has work to do. */
export function hasActive(): boolean {
  return [...entries.values()].some(({ transfer }) => isActive(transfer))
}

/** Queues a task. */
export function startTransfer(request: TransferRequest): number {
  const id = add(request)
  publish()
  runNext()
  return id
}

/** Queues tasks together, because each call for one processes all others. */
export function startTransfers(requests: readonly TransferRequest[]): void {
  for (const request of requests) add(request)
  publish()
  runNext()
}

function add(request: TransferRequest): number {
  const id = nextId++
  entries.set(id, { transfer: fresh(id, request), request, stop: new AbortController() })
  return id
}

function fresh(
  id: number,
  { name, kind, isEncrypted = false, totalBytes, paused, onPause }: TransferRequest,
): Transfer {
  return {
    id,
    name: markControls(name),
    kind,
    isEncrypted,
    stage: paused === undefined ? 'waiting' : 'paused',
    bytes: paused?.bytes ?? 0,
    totalBytes,
    bytesPerSecond: 0,
    remainingMs: undefined,
    nodes: undefined,
    error: undefined,
    isUnclear: false,
    cid: undefined,
    need: paused?.need,
    canPause: onPause !== undefined,
  }
}

function runNext(): void {
  const all = [...entries.values()]
  const running = all.filter(({ transfer }) => isActive(transfer) && transfer.stage !== 'waiting')
  const sending = running.filter(({ transfer }) => transfer.stage !== 'keys')
  const free = Math.max(0, Math.min(maxRunning - sending.length, maxWithKeys - running.length))
  for (const entry of all.filter(({ transfer }) => transfer.stage === 'waiting').slice(0, free)) void runOne(entry)
}

async function runOne({ transfer: { id, name }, request, stop }: Entry): Promise<void> {
  change(id, { stage: firstStage(request) })
  try {
    const report = (next: TransferReport) => {
      change(id, next)
      if (next.stage === 'keys') runNext()
    }
    const result = await request.run({ report, signal: stop.signal })
    const doneName = request.doneName === undefined ? name : markControls(request.doneName)
    change(id, { stage: 'done', name: doneName, cid: result?.cid, remainingMs: undefined, error: undefined })
    if (!isShownTo(request)) toastDone(request.kind === 'upload' ? messages.transfers.uploaded(name) : doneName)
    request.onDone?.(result?.cid)
  } catch (failure) {
    // Not thrown, so that a failure does not stop other transfers.
    const error = CairnError.from(failure)
    const wasStopped = error.code === 'ABORTED' || stop.signal.aborted
    const need = pausing.get(id) ?? (isInterrupted() && !wasStopped ? 'session' : undefined)
    if (need !== undefined) pause(id, need)
    else if (wasStopped) change(id, { stage: 'cancelled' })
    else {
      const isUnclear = entries.get(id)?.transfer.stage === 'storing' && !isRefusal(error)
      const failedName = request.failedName === undefined ? name : markControls(request.failedName)
      change(id, { stage: 'failed', name: failedName, error, isUnclear })
      if (!isShownTo(request))
        toastError(titleFailure({ kind: request.kind, name: failedName, isUnclear }), error, { shownIn: 'transfers' })
    }
  }
  pausing.delete(id)
  // The user may have signed in again before the work stopped.
  resumeForSession()
  runNext()
}

/** Returns whether users see the result: in the panel, whose buttons a toast would cover, or where they started the transfer. */
function isShownTo({ isShown }: TransferRequest): boolean {
  return areTransfersShown() || isShown?.() === true
}

function firstStage({ kind, isEncrypted }: TransferRequest): TransferStage {
  if (kind === 'change') return 'working'
  if (kind === 'download') return 'saving'
  return isEncrypted ? 'encrypting' : 'checking'
}

/** Returns whether a service rejected the request. After any other failure, it is unknown whether the service has processed it. */
function isRefusal({ status }: CairnError): boolean {
  return status >= 400 && status < 500
}

/** Stages in which nothing is lost when the work stops. Later ones change data of the service or the key nodes. */
const pausable: ReadonlySet<TransferStage> = new Set(['waiting', 'checking', 'encrypting', 'sending', 'offline'])

/** Returns whether the user can pause it now. */
export function isPausable({ stage, canPause }: Transfer): boolean {
  return canPause && pausable.has(stage)
}

/** Pauses a transfer, and starts the next. {@link continueTransfer} resumes it. */
export function pauseTransfer(id: number): void {
  const entry = entries.get(id)
  if (entry === undefined || !isPausable(entry.transfer)) return
  entry.request.onPause?.(true)
  stop(entry, 'resume')
}

/** Stops it until it has what it needs. */
function stop({ transfer: { id, stage }, stop: running }: Entry, need: PausedNeed): void {
  if (stage === 'waiting') pause(id, need)
  else {
    pausing.set(id, need)
    running.abort()
  }
}

function pause(id: number, need: PausedNeed): void {
  change(id, { stage: 'paused', need, bytesPerSecond: 0, remainingMs: undefined })
}

/** Cancels a transfer and removes its data. */
export function cancelTransfer(id: number): void {
  const entry = entries.get(id)
  if (entry === undefined) return
  pausing.delete(id)
  entry.stop.abort()
  if (entry.transfer.stage === 'waiting') change(id, { stage: 'cancelled' })
  drop(entry)
}

/** Local data is removed immediately, that at the service once it is reachable. */
function drop({ transfer, request }: Entry): void {
  request.onDrop?.().catch((error: unknown) => toastError(messages.transfers.notDropped(transfer.name), error))
}

/**
 * Resumes a paused one, with the requested files if an earlier page left it. Errors in them are shown in its row.
 * @returns whether it resumes
 */
export async function continueTransfer(id: number, files?: readonly PathFile[]): Promise<boolean> {
  const entry = entries.get(id)
  if (entry?.transfer.stage !== 'paused') return false
  try {
    await entry.request.paused?.go(files)
  } catch (error) {
    change(id, { error: CairnError.from(error) })
    return false
  }
  const { paused: _paused, ...request } = entry.request
  await restart({ ...entry, request }, () => request.onPause?.(false))
  return true
}

/** Returns whether a paused one finds its own files among these. */
export function fitsPaused(id: number, files: readonly PathFile[]): boolean {
  return entries.get(id)?.request.paused?.fits?.(files) === true
}

/** Whether a finished change did not reach all five key nodes. */
export function isPartlyDone({ stage, nodes }: Pick<Transfer, 'stage' | 'nodes'>): boolean {
  return stage === 'done' && nodes?.some((state) => state !== 'done') === true
}

/** Restarts one that failed, was cancelled, or did not reach all key nodes. */
export async function retryTransfer(id: number): Promise<void> {
  const entry = entries.get(id)
  if (entry === undefined || isActive(entry.transfer)) return
  if (entry.transfer.stage === 'done' && !isPartlyDone(entry.transfer)) return
  await restart(entry)
}

/** Queues it again, once the user has signed what it needs. It stays as it is if they decline. */
async function restart({ transfer: { id, stage }, request }: Entry, onStart?: () => void): Promise<void> {
  try {
    await request.onRetry?.()
  } catch (error) {
    if (!CairnError.is(error, 'ABORTED')) change(id, { error: CairnError.from(error) })
    return
  }
  // Meanwhile it may have been removed, or restarted by another click.
  if (entries.get(id)?.transfer.stage !== stage) return
  onStart?.()
  queue(id, request)
}

function queue(id: number, request: TransferRequest): void {
  entries.set(id, { request, transfer: fresh(id, request), stop: new AbortController() })
  // Users resume thousands with one click, and each update of the list renders all rows.
  publishSoon()
  runNext()
}

export function retryAllFailed(): void {
  for (const { transfer } of [...entries.values()]) {
    if (transfer.stage === 'failed' && findNextStep(transfer) === 'retry') void retryTransfer(transfer.id)
  }
}

/** Removes an upload with a rejected name from the list, and lets the user choose another. */
export function renameTransfer(id: number): void {
  const entry = entries.get(id)
  if (entry?.transfer.stage !== 'failed') return
  removeTransfer(id)
  entry.request.onRename?.()
}

/** Removes finished transfers from the list: one, or all. */
export function removeTransfer(id: number): void {
  const entry = entries.get(id)
  if (entry === undefined || isActive(entry.transfer)) return
  entries.delete(id)
  publish()
  if (entry.transfer.stage === 'failed' || entry.transfer.stage === 'paused') drop(entry)
}

export function clearDone(): void {
  for (const [id, { transfer }] of entries) {
    if (transfer.stage === 'done' || transfer.stage === 'cancelled') entries.delete(id)
  }
  publish()
}

// Work belongs to the account that started it. If its session expires, the work waits until that account signs in again.
let owner = getSession()?.address
watchSession(() => {
  const address = getSession()?.address
  if (isInterrupted()) return pauseForSession()
  if (address === owner) return resumeForSession()
  owner = address
  for (const { stop, request } of entries.values()) {
    stop.abort()
    request.onClose?.()
  }
  entries.clear()
  pausing.clear()
  publish()
})

function pauseForSession(): void {
  const all = [...entries.values()]
  // Later stages continue, so that their result is known. Queued ones are stopped first, so that none starts.
  const queued = all.filter(({ transfer }) => transfer.stage === 'waiting')
  const running = all.filter(({ transfer }) => transfer.stage !== 'waiting' && pausable.has(transfer.stage))
  for (const entry of [...queued, ...running]) stop(entry, 'session')
  if (all.some(({ transfer }) => isActive(transfer) || transfer.need === 'session')) showTransfers(true)
}

function resumeForSession(): void {
  if (getSession() === undefined) return
  for (const { transfer, request } of [...entries.values()]) {
    if (transfer.stage === 'paused' && transfer.need === 'session') queue(transfer.id, request)
  }
}

// Makes the browser ask before it leaves a page with work in progress.
addEventListener('beforeunload', (event) => {
  if (hasActive() && !isDownloadExpected()) event.preventDefault()
})

/** Returns whether there are any transfers, and rerenders only when that changes. */
export function useHasTransfers(): boolean {
  return useStore({ get: () => view.get().length > 0, watch: view.watch })
}

export function useTransfers(): readonly Transfer[] {
  return useStore(view)
}
