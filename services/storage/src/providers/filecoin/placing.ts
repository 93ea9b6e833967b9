import { setTimeout as wait } from 'node:timers/promises'
import { parsePieceCid } from '@cairn/pieces'
import { CairnError, proofReason, type Reason } from '@cairn/protocol'
import type { PieceSource, PieceState } from '../provider.ts'
import type { DataSet, FilecoinChain } from './chain.ts'
import type { Curio, Transaction } from './curio.ts'

/** Maximum number of concurrent uploads to one provider. */
const uploadsAtOnce = 2
/** Maximum number of placements in progress or failed; the oldest finished ones are evicted. */
const maxEnds = 1000
/** Time limit of a placement, in addition to the time for its bytes at 1 MiB/s: as long as a deal waits for it. */
const placeMs = 600_000
const minBytesPerMs = 1049
/** Interval of polling the chain for the effect of a transaction. */
const recheckMs = 4000

export type PlacingSettings = { readonly name: string; readonly recheckMs?: number }

/**
 * Places pieces with a provider: uploads missing ones, requests their addition to the data set, and waits until the
 * chain shows it. No state is persisted: after a restart, the next offer determines the progress from the chain and
 * the provider, and the signature for a piece stays the same until it is added, so nothing is added twice.
 */
export type Placing = {
  /** Starts a placement, unless one is in progress. */
  begin(piece: string, source: PieceSource): PieceState
  /** Undefined when there is no placement of the piece. */
  stateOf(piece: string): PieceState | undefined
  /** Whether its addition was requested, so that it may appear at any moment. */
  isSent(piece: string): boolean
  /** Cancels a placement and removes its state. */
  drop(piece: string): void
  /** Cancels all placements. */
  close(): void
}

type Job = { state: PieceState; isSent: boolean; readonly stop: AbortController }

export function createPlacing(chain: FilecoinChain, curio: Curio, settings: PlacingSettings): Placing {
  const jobs = new Map<string, Job>()
  const { name } = settings
  const failed = (what: string, cause?: unknown): CairnError =>
    new CairnError('UPSTREAM_FAILED', { message: `The storage provider ${name} ${what}`, cause })
  const pause = (signal: AbortSignal): Promise<void> =>
    // A process that is shutting down does not wait for it.
    wait(settings.recheckMs ?? recheckMs, undefined, { signal, ref: false })

  /** Waits until the chain shows the effect of a transaction. */
  const waitFor = async <T>(
    inspect: () => Promise<T | undefined>,
    transaction: Transaction,
    signal: AbortSignal,
  ): Promise<T> => {
    for (;;) {
      // Read before the chain: a transaction rejected by then had no effect, though another one may have had it.
      const state = await curio.readTransaction(transaction, signal)
      const found = await inspect()
      if (found !== undefined) return found
      if (state === 'rejected') throw failed(`reported that its transaction ${transaction.hash} was rejected`)
      await pause(signal)
    }
  }

  let creating: Promise<DataSet> | undefined
  const openDataSet = (signal: AbortSignal): Promise<DataSet> => {
    // All pieces wait for a single creation: a second one with the same signature would be rejected.
    creating ??= createDataSet(signal).finally(() => {
      creating = undefined
    })
    return creating
  }
  const findDataSet = async (): Promise<DataSet | undefined> => chain.findDataSet((await chain.readEpochs()).head)
  const createDataSet = async (signal: AbortSignal): Promise<DataSet> => {
    const known = await findDataSet()
    if (known !== undefined) return known
    await chain.requireProvider()
    const { head } = await chain.readEpochs()
    const hash = await curio.createDataSet(chain.recordKeeper, await chain.signDataSet(head), signal)
    return waitFor(findDataSet, { kind: 'data-set', hash }, signal)
  }

  const upload = async (piece: string, source: PieceSource, signal: AbortSignal): Promise<void> => {
    const { payloadBytes } = parsePieceCid(piece)
    const response = await fetch(source.url, {
      headers: { authorization: `Bearer ${source.token}` },
      redirect: 'error',
      signal,
    })
    if (!response.ok || response.body === null) {
      await response.body?.cancel()
      throw new CairnError('UPSTREAM_FAILED', { message: `The source of the piece returned status ${response.status}` })
    }
    await curio.upload(piece, response.body.pipeThrough(countBytes(payloadBytes)), signal)
  }

  const place = async (piece: string, source: PieceSource, job: Job): Promise<void> => {
    const { payloadBytes } = parsePieceCid(piece)
    const limitMs = placeMs + Math.ceil(payloadBytes / minBytesPerMs)
    const signal = AbortSignal.any([job.stop.signal, AbortSignal.timeout(limitMs)])
    const inspect = async () => (await chain.findPieces(piece, (await chain.readEpochs()).head)).at(0)
    if ((await inspect()) !== undefined) return
    await turn(signal)
    try {
      job.state = { state: 'pulling' }
      if (!(await curio.isParked(piece, signal))) await upload(piece, source, signal)
    } finally {
      releaseSlot()
    }
    while (!(await curio.isParked(piece, signal))) await pause(signal)
    const dataSet = await openDataSet(signal)
    const { head } = await chain.readEpochs()
    // An attempt whose answer was lost may have added it.
    if ((await chain.findPieces(piece, head)).length > 0) return
    const extraData = await chain.signPiece(piece, dataSet, head)
    job.isSent = true
    const hash = await curio.addPiece(dataSet.id, piece, extraData, signal)
    await waitFor(inspect, { kind: 'piece', dataSetId: dataSet.id, hash }, signal)
  }

  let busy = 0
  const waiting: (() => void)[] = []
  const turn = async (signal: AbortSignal): Promise<void> => {
    while (busy >= uploadsAtOnce) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const onAbort = (): void => reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.push(resolve)
      try {
        await promise
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    }
    signal.throwIfAborted()
    busy++
  }
  const releaseSlot = (): void => {
    busy--
    // Cancelled ones need no slot; those that still wait check again.
    for (const wake of waiting.splice(0)) wake()
  }

  return {
    begin(piece, source) {
      const known = jobs.get(piece)
      if (known !== undefined && known.state.state !== 'failed') return known.state
      const job: Job = { state: { state: 'queued' }, isSent: false, stop: new AbortController() }
      jobs.delete(piece)
      jobs.set(piece, job)
      const dropJob = (): void => {
        if (jobs.get(piece) === job) jobs.delete(piece)
      }
      place(piece, source, job).then(dropJob, (error: unknown) => {
        if (job.stop.signal.aborted) return dropJob()
        job.state = { state: 'failed', ...describe(error) }
      })
      for (const [old, { state }] of jobs) {
        if (jobs.size <= maxEnds) break
        if (state.state === 'failed') jobs.delete(old)
      }
      return job.state
    },
    stateOf: (piece) => jobs.get(piece)?.state,
    isSent(piece) {
      const job = jobs.get(piece)
      return job?.isSent === true && job.state.state !== 'failed'
    },
    drop(piece) {
      jobs.get(piece)?.stop.abort()
      jobs.delete(piece)
    },
    close() {
      for (const { stop } of jobs.values()) stop.abort()
      jobs.clear()
    },
  }
}

/** Passes bytes on, and aborts when their number differs from the expected one. */
function countBytes(expected: number): TransformStream<Uint8Array, Uint8Array> {
  const wrong = () =>
    new CairnError('UPSTREAM_FAILED', { message: 'The source of the piece returned a different number of bytes' })
  let count = 0
  return new TransformStream({
    transform(bytes, controller) {
      count += bytes.length
      if (count > expected) throw wrong()
      controller.enqueue(bytes)
    },
    flush() {
      if (count !== expected) throw wrong()
    },
  })
}

function describe(error: unknown): Reason {
  if (CairnError.is(error)) return { reason: `${error.code}: ${error.message}`, reasonFacts: { code: error.code } }
  if (error instanceof Error && error.name === 'TimeoutError') return proofReason('PROVIDER_FETCH_SLOW')
  return { reason: error instanceof Error ? error.message : String(error), reasonFacts: { code: 'INTERNAL' } }
}
