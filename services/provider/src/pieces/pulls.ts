import { CairnError, type ErrorCode, MIB } from '@cairn/protocol'
import { describeFailure } from '@cairn/service'
import type { Context } from '../context.ts'
import { pullPiece } from './pull-piece.ts'
import { findPiece, nextToPull, type PieceRow, recordFailedTry, recordKept } from './store.ts'
import { toWriteFault } from './write-faults.ts'

/** Times of pulls, in ms; tests give shorter ones. */
export type PullTimes = {
  /** Pause after the first try that failed; each next one is twice as long, up to the longest. */
  firstPauseMs: number
  longestPauseMs: number
  /** Time over which the least rate of a source is averaged. */
  windowMs: number
}

export const pullTimes: PullTimes = { firstPauseMs: 1_000, longestPauseMs: 5 * 60_000, windowMs: 60_000 }

/** Tries in a row that bring less than {@link progressBytes}: some 25 minutes with the usual pauses. */
const triesMost = 12
const progressBytes = MIB
/** Time after its offer in which a piece has to be there, in ms. */
const pullDeadlineMs = 7 * 24 * 3_600_000
/** Faults that another try does not mend. */
const finalCodes: readonly ErrorCode[] = [
  'VERIFICATION_FAILED',
  'HTTP_ERROR',
  'UNEXPECTED_RESPONSE',
  'SOURCE_NOT_ALLOWED',
]
/** Pause after a fault of the database. */
const databasePauseMs = 5_000

/** Fetches what was offered, some pieces at once, until it is disposed of. Parts stay for the next start. */
export type Pulls = AsyncDisposable & {
  /** Looks for work: something was offered. */
  wake(): void
}

/** Starts to fetch what waits. */
export function startPulls(context: Context, times: PullTimes = pullTimes): Pulls {
  const { config, db, clock, log, failures, pulling, locks } = context
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let looking = Promise.resolve()
  let isAsked = false

  const wake = (): void => {
    if (isAsked || ending.signal.aborted) return
    isAsked = true
    looking = looking.then(async () => {
      isAsked = false
      await look().catch((error: unknown) => {
        failures.failed('look', error, 'looking for pieces to fetch failed')
        wakeIn(databasePauseMs)
      })
    })
  }
  const wakeIn = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(wake, ms)
    timer.unref()
  }

  const look = async (): Promise<void> => {
    while (!ending.signal.aborted && pulling.size < config.pullsAtOnce) {
      const row = await nextToPull(db.read, [...pulling.keys()])
      if (row === undefined) return
      const waitMs = row.next_try_at - clock.now()
      if (waitMs > 0) {
        wakeIn(Math.min(waitMs, times.longestPauseMs))
        return
      }
      start(row.cid)
    }
  }

  const start = (cid: string): void => {
    const stop = new AbortController()
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const running = { stop, ended, receivedBytes: 0 }
    pulling.set(cid, running)
    const signal = AbortSignal.any([stop.signal, ending.signal])
    const work = async (): Promise<void> => {
      // Who had the lock before may have removed the piece.
      const row = await findPiece(db.read, cid)
      if (row?.state === 'queued' && !signal.aborted) await tryOnce(row, signal, running)
    }
    const run = async (): Promise<void> => {
      let goOn = wake
      try {
        await locks.run(cid, work)
      } catch (error) {
        failures.failed('record', error, 'the end of a pull could not be recorded', { piece: cid })
        goOn = () => wakeIn(databasePauseMs)
      }
      pulling.delete(cid)
      end()
      goOn()
    }
    void run()
  }

  const tryOnce = async (row: PieceRow, signal: AbortSignal, running: { receivedBytes: number }): Promise<void> => {
    const { cid } = row
    const before = await context.files.partBytes(cid)
    try {
      await pullPiece(context, row, {
        signal,
        windowMs: times.windowMs,
        onProgress: (receivedBytes) => {
          running.receivedBytes = receivedBytes
        },
      })
    } catch (error) {
      if (signal.aborted) return
      const progressed = running.receivedBytes - before >= progressBytes
      await noteFault(row, toWriteFault(error), progressed ? 1 : row.tries + 1)
      return
    }
    await db.write((trx) => recordKept(trx, cid, clock.now()))
    context.metrics.pulls.inc({ result: 'kept' })
    log.info({ piece: cid, bytes: row.payload_bytes }, 'a piece is kept')
  }

  const noteFault = async (row: PieceRow, fault: CairnError, tries: number): Promise<void> => {
    const { cid } = row
    const now = await findPiece(db.read, cid)
    // Offered again meanwhile, it may be had from elsewhere, or with other credentials.
    if (now?.offered_at !== row.offered_at) return
    const isFinal =
      finalCodes.includes(fault.code) || tries >= triesMost || clock.now() - row.offered_at > pullDeadlineMs
    // A try is one of many; that a piece is given up is said of each.
    if (isFinal) log.warn({ piece: cid, tries, reason: describeFailure(fault) }, 'a piece could not be fetched')
    else failures.failed('try', fault, 'fetching a piece failed, it is tried again', { piece: cid, tries })
    context.metrics.pulls.inc({ result: isFinal ? 'failed' : 'cut' })
    // First the bytes go, then it is said: a failed piece has none.
    if (isFinal) await context.files.remove(cid)
    const pauseMs = Math.min(times.longestPauseMs, times.firstPauseMs * 2 ** (tries - 1)) * (0.5 + Math.random() / 2)
    const nextTryAt = isFinal ? undefined : clock.now() + Math.ceil(pauseMs)
    await db.write((trx) => recordFailedTry(trx, row, { tries, fault, nextTryAt }))
  }

  wake()
  return {
    wake,
    async [Symbol.asyncDispose]() {
      ending.abort(new CairnError('UNAVAILABLE', { message: 'The service is about to end' }))
      clearTimeout(timer)
      await looking
      await Promise.all([...pulling.values()].map(({ ended }) => ended))
    },
  }
}
