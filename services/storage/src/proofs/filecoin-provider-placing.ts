import { setTimeout as wait } from 'node:timers/promises'
import { parsePieceCid } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import type { DataSet, FilecoinChain } from './filecoin-provider-chain.ts'
import type { Curio, Transaction } from './filecoin-provider-curio.ts'
import type { PieceSource, PieceState } from './provider.ts'

/** Pieces sent to one provider side by side. */
const uploadsAtOnce = 2
/** Pieces that are on their way or failed, at most: the oldest ends are forgotten. */
const endsMost = 1000
/** A piece may take this long, and the time its bytes take at 1 MiB/s: as long as a deal waits for it. */
const placeMs = 600_000
const slowestBytesPerMs = 1049
/** How often the chain is asked for what a transaction is to change. */
const lookAgainMs = 4000

export type PlacingSettings = { readonly name: string; readonly lookAgainMs?: number }

/**
 * Brings pieces to a provider: uploads what it does not have, has it added to the data set, and waits until the chain shows
 * it. Nothing of this needs to last: after a restart the next offer finds on the chain and at the provider how far it came,
 * and what is signed for a piece is the same until it is there, so that nothing is added twice.
 */
export type Placing = {
  /** Begins, unless it is under way. */
  begin(piece: string, source: PieceSource): PieceState
  /** Undefined: nothing is known of it here. */
  stateOf(piece: string): PieceState | undefined
  /** Whether the provider was asked to add it, so that it may be there any moment. */
  isSent(piece: string): boolean
  /** Ends it and forgets it. */
  drop(piece: string): void
  /** Ends everything. */
  close(): void
}

type Job = { state: PieceState; isSent: boolean; readonly stop: AbortController }

export function createPlacing(chain: FilecoinChain, curio: Curio, settings: PlacingSettings): Placing {
  const jobs = new Map<string, Job>()
  const { name } = settings
  const failed = (what: string, cause?: unknown): CairnError =>
    new CairnError('UPSTREAM_FAILED', { message: `The storage provider ${name} ${what}`, cause })
  const pause = (signal: AbortSignal): Promise<void> =>
    // A process that is to end does not wait for it.
    wait(settings.lookAgainMs ?? lookAgainMs, undefined, { signal, ref: false })

  /** Waits until the chain shows what a transaction was to do. */
  const waitFor = async <T>(
    look: () => Promise<T | undefined>,
    transaction: Transaction,
    signal: AbortSignal,
  ): Promise<T> => {
    for (;;) {
      // Read before the chain: what is rejected by then was not done by it, though perhaps by another one.
      const state = await curio.readTransaction(transaction, signal)
      const found = await look()
      if (found !== undefined) return found
      if (state === 'rejected') throw failed(`says that its transaction ${transaction.hash} was rejected`)
      await pause(signal)
    }
  }

  let creating: Promise<DataSet> | undefined
  const openDataSet = (signal: AbortSignal): Promise<DataSet> => {
    // All pieces wait for the one creation: a second one with the same signature would be refused.
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
      throw new CairnError('UPSTREAM_FAILED', { message: `The source of the piece answered ${response.status}` })
    }
    await curio.upload(piece, response.body.pipeThrough(countBytes(payloadBytes)), signal)
  }

  const place = async (piece: string, source: PieceSource, job: Job): Promise<void> => {
    const { payloadBytes } = parsePieceCid(piece)
    const limitMs = placeMs + Math.ceil(payloadBytes / slowestBytesPerMs)
    const signal = AbortSignal.any([job.stop.signal, AbortSignal.timeout(limitMs)])
    const look = async () => (await chain.findPieces(piece, (await chain.readEpochs()).head)).at(0)
    if ((await look()) !== undefined) return
    await turn(signal)
    try {
      job.state = { state: 'pulling' }
      if (!(await curio.isParked(piece, signal))) await upload(piece, source, signal)
    } finally {
      giveTurn()
    }
    while (!(await curio.isParked(piece, signal))) await pause(signal)
    const dataSet = await openDataSet(signal)
    const { head } = await chain.readEpochs()
    // It may have been added by a try whose answer was lost.
    if ((await chain.findPieces(piece, head)).length > 0) return
    const extraData = await chain.signPiece(piece, dataSet, head)
    job.isSent = true
    const hash = await curio.addPiece(dataSet.id, piece, extraData, signal)
    await waitFor(look, { kind: 'piece', dataSetId: dataSet.id, hash }, signal)
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
  const giveTurn = (): void => {
    busy--
    // Ones that gave up take no turn; whoever still waits looks again.
    for (const wake of waiting.splice(0)) wake()
  }

  return {
    begin(piece, source) {
      const known = jobs.get(piece)
      if (known !== undefined && known.state.state !== 'failed') return known.state
      const job: Job = { state: { state: 'queued' }, isSent: false, stop: new AbortController() }
      jobs.delete(piece)
      jobs.set(piece, job)
      const forget = (): void => {
        if (jobs.get(piece) === job) jobs.delete(piece)
      }
      place(piece, source, job).then(forget, (error: unknown) => {
        if (job.stop.signal.aborted) return forget()
        job.state = { state: 'failed', reason: describe(error) }
      })
      for (const [old, { state }] of jobs) {
        if (jobs.size <= endsMost) break
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

/** Passes bytes on, and breaks off when they are not as many as they have to be. */
function countBytes(expected: number): TransformStream<Uint8Array, Uint8Array> {
  const wrong = () =>
    new CairnError('UPSTREAM_FAILED', { message: 'The source of the piece gave another number of bytes' })
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

function describe(error: unknown): string {
  if (CairnError.is(error)) return `${error.code}: ${error.message}`
  if (error instanceof Error && error.name === 'TimeoutError') return 'It took too long'
  return error instanceof Error ? error.message : String(error)
}
