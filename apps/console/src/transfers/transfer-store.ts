import { CairnError } from '@cairn/sdk'
import { useSyncExternalStore } from 'react'
import { getSession, watchSession } from '../session/session-store.ts'
import { toastDone, toastError } from '../ui/toast-store.ts'
import type { PathFile } from '../upload/upload-item.ts'
import { markControls } from '../words/mark-controls.ts'
import { words } from '../words/words.ts'
import { findNextStep } from './next-step.ts'
import { areTransfersShown } from './panel-store.ts'

/** Where a transfer is. Each stage says what it waits for. */
export type TransferStage =
  | 'waiting'
  /** Left by an earlier page; it needs its user. */
  | 'paused'
  | 'offline'
  | 'checking'
  | 'encrypting'
  | 'keys'
  | 'sending'
  | 'storing'
  | 'working'
  | 'done'
  | 'failed'
  | 'canceled'

/** What is known of one of the five key nodes while a change goes over them. */
export type NodeState = 'waiting' | 'running' | 'done' | 'failed'

/** Work that goes on while the user moves about: an upload, or a change on the five key nodes. */
export type Transfer = {
  readonly id: number
  readonly name: string
  readonly kind: 'upload' | 'change'
  readonly isEncrypted: boolean
  readonly stage: TransferStage
  readonly bytes: number
  /** Undefined where work is not counted in bytes. */
  readonly totalBytes: number | undefined
  readonly bytesPerSecond: number
  readonly remainingMs: number | undefined
  /** Of changes: the five nodes. */
  readonly nodes: readonly NodeState[] | undefined
  readonly error: CairnError | undefined
  /** Of uploads that are done. */
  readonly cid: string | undefined
  /** What a paused one needs: leave to read its file, or the file or folder itself. */
  readonly need: PausedNeed | undefined
}

/** What one needs that an earlier page left. */
export type PausedNeed = 'continue' | 'file' | 'folder' | 'repair'

/** What the work tells on its way. */
export type TransferReport = Partial<
  Pick<Transfer, 'stage' | 'bytes' | 'totalBytes' | 'bytesPerSecond' | 'remainingMs' | 'nodes'>
>

/** What is to be done. `run` is called again when the user wants another try, so it must do no harm twice. */
export type TransferWish = {
  name: string
  kind: Transfer['kind']
  isEncrypted?: boolean
  totalBytes?: number
  run: (tools: {
    report: (change: TransferReport) => void
    signal: AbortSignal
  }) => Promise<{ cid?: string } | undefined>
  onDone?: () => void
  /** Nobody wants it any more: what of it lies anywhere goes. */
  onDrop?: () => Promise<void>
  /** Its name was refused: its user chooses another. */
  onRename?: () => void
  /** Its account leaves this page. */
  onLeave?: () => void
  /** It was left by an earlier page, and begins when its user gives what it needs. */
  paused?: { bytes: number; need: PausedNeed; go: (files: readonly PathFile[] | undefined) => Promise<void> }
}

type Entry = { transfer: Transfer; wish: TransferWish; stop: AbortController }

/** More at a time would only share the same line. */
const runningMost = 2

const entries = new Map<number, Entry>()
let view: readonly Transfer[] = []
let nextId = 1
const listeners = new Set<() => void>()

function publish(): void {
  view = [...entries.values()].map(({ transfer }) => transfer)
  for (const listener of listeners) listener()
}

function change(id: number, next: Partial<Transfer>): void {
  const entry = entries.get(id)
  if (entry === undefined) return
  entries.set(id, { ...entry, transfer: { ...entry.transfer, ...next } })
  publish()
}

/** Whether it still has work before it. */
export function isActive({ stage }: Transfer): boolean {
  return stage !== 'done' && stage !== 'failed' && stage !== 'canceled' && stage !== 'paused'
}

/** Takes up work; it begins when its turn comes. */
export function startTransfer(wish: TransferWish): number {
  const id = nextId++
  entries.set(id, { transfer: fresh(id, wish), wish, stop: new AbortController() })
  publish()
  runNext()
  return id
}

function fresh(id: number, { name, kind, isEncrypted = false, totalBytes, paused }: TransferWish): Transfer {
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
    cid: undefined,
    need: paused?.need,
  }
}

function runNext(): void {
  const all = [...entries.values()]
  const running = all.filter(({ transfer }) => isActive(transfer) && transfer.stage !== 'waiting').length
  const next = all.filter(({ transfer }) => transfer.stage === 'waiting').slice(0, Math.max(0, runningMost - running))
  for (const entry of next) void runOne(entry)
}

async function runOne({ transfer: { id, name }, wish, stop }: Entry): Promise<void> {
  change(id, { stage: wish.kind === 'change' ? 'working' : wish.isEncrypted ? 'encrypting' : 'checking' })
  try {
    const result = await wish.run({ report: (report) => change(id, report), signal: stop.signal })
    change(id, { stage: 'done', cid: result?.cid, remainingMs: undefined, error: undefined })
    // Who looks at the panel sees it there.
    if (!areTransfersShown())
      toastDone(wish.kind === 'upload' ? words.transfers.uploaded(name) : words.transfers.changed(name))
    wish.onDone?.()
  } catch (fault) {
    // One that fails never stops the others.
    const error = CairnError.from(fault)
    if (error.code === 'ABORTED' || stop.signal.aborted) change(id, { stage: 'canceled' })
    else {
      change(id, { stage: 'failed', error })
      // Over an open panel a toast would cover the buttons of the row.
      if (!areTransfersShown())
        toastError(wish.kind === 'upload' ? words.transfers.failedToast(name) : name, error, 'transfers')
    }
  }
  runNext()
}

/** Ends one; nothing of it stays. */
export function cancelTransfer(id: number): void {
  const entry = entries.get(id)
  if (entry === undefined) return
  entry.stop.abort()
  if (entry.transfer.stage === 'waiting') change(id, { stage: 'canceled' })
  drop(entry)
}

/** What lies here goes at once; at the service, as soon as it is reached. */
function drop({ transfer, wish }: Entry): void {
  wish.onDrop?.().catch((error: unknown) => toastError(words.transfers.notDropped(transfer.name), error))
}

/** Goes on with one that an earlier page left, with the files it asks for. What is wrong with them is told at the row. */
export async function continueTransfer(id: number, files?: readonly PathFile[]): Promise<void> {
  const entry = entries.get(id)
  if (entry?.wish.paused === undefined || entry.transfer.stage !== 'paused') return
  try {
    await entry.wish.paused.go(files)
  } catch (error) {
    change(id, { error: CairnError.from(error) })
    return
  }
  const { paused: _paused, ...wish } = entry.wish
  entries.set(id, { ...entry, wish, transfer: fresh(id, wish) })
  publish()
  runNext()
}

/** Begins one anew that failed or was canceled. */
export function retryTransfer(id: number): void {
  const entry = entries.get(id)
  if (entry === undefined || isActive(entry.transfer) || entry.transfer.stage === 'done') return
  entries.set(id, { ...entry, transfer: fresh(id, entry.wish), stop: new AbortController() })
  publish()
  runNext()
}

export function retryAllFailed(): void {
  for (const one of view) if (one.stage === 'failed' && findNextStep(one) === 'retry') retryTransfer(one.id)
}

/** Takes an upload whose name was refused off the list, and lets its user choose another name. */
export function renameTransfer(id: number): void {
  const entry = entries.get(id)
  if (entry?.transfer.stage !== 'failed') return
  removeTransfer(id)
  entry.wish.onRename?.()
}

/** Takes what is over off the list: one, or all that is done. */
export function removeTransfer(id: number): void {
  const entry = entries.get(id)
  if (entry === undefined || isActive(entry.transfer)) return
  entries.delete(id)
  publish()
  if (entry.transfer.stage === 'failed' || entry.transfer.stage === 'paused') drop(entry)
}

export function clearDone(): void {
  for (const { id, stage } of view) if (stage === 'done' || stage === 'canceled') entries.delete(id)
  publish()
}

// Work belongs to the account that began it.
let owner = getSession()?.address
watchSession(() => {
  const address = getSession()?.address
  if (address === owner) return
  owner = address
  for (const { stop, wish } of entries.values()) {
    stop.abort()
    wish.onLeave?.()
  }
  entries.clear()
  publish()
})

// The browser asks before it leaves a page that still works.
addEventListener('beforeunload', (event) => {
  if (view.some(isActive)) event.preventDefault()
})

export function useTransfers(): readonly Transfer[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => view,
  )
}
