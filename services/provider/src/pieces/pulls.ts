import { CairnError, type ErrorCode, MIB } from '@cairn/protocol'
import { describeFailure } from '@cairn/service'
import { describeWriteError } from '@cairn/service/objects'
import type { Context } from '../context.ts'
import { pullPiece } from './pull-piece.ts'
import { findPiece, nextToPull, type PieceRow, recordFailedTry, recordKept } from './store.ts'

/** Timing of pulls, in ms; tests use shorter values. */
export type PullTimes = {
  /** Pause after the first failed attempt; it doubles up to the maximum. */
  firstPauseMs: number
  maxPauseMs: number
  /** Averaging time of a source's minimum rate. */
  windowMs: number
}

export const pullTimes: PullTimes = { firstPauseMs: 1_000, maxPauseMs: 5 * 60_000, windowMs: 60_000 }

/**
 * Maximum number of consecutive attempts that bring less than {@link progressBytes}: about 25 minutes with the
 * default pauses.
 */
const maxTries = 12
const progressBytes = MIB
/** Time limit from its offer until a piece is complete, in ms. */
const pullDeadlineMs = 7 * 24 * 3_600_000
/** Errors that a retry cannot fix. */
const finalCodes: readonly ErrorCode[] = [
  'VERIFICATION_FAILED',
  'HTTP_ERROR',
  'UNEXPECTED_RESPONSE',
  'SOURCE_NOT_ALLOWED',
]
/** Pause after a database error. */
const databasePauseMs = 5_000

/** Fetches offered pieces, several concurrently, until disposed of. Parts stay for the next start. */
export type Pulls = AsyncDisposable & {
  /** Checks for new offers. */
  wake(): void
}

/** Starts to fetch waiting pieces. */
export function startPulls(context: Context, times: PullTimes = pullTimes): Pulls {
  const { config, db, clock, log, failures, pulling, locks } = context
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let checking = Promise.resolve()
  let isAsked = false

  const wake = (): void => {
    if (isAsked || ending.signal.aborted) return
    isAsked = true
    checking = checking.then(async () => {
      isAsked = false
      await checkWaiting().catch((error: unknown) => {
        failures.failed('due pieces', error, 'failed to find the pieces to fetch')
        wakeIn(databasePauseMs)
      })
    })
  }
  const wakeIn = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(wake, ms)
    timer.unref()
  }

  const checkWaiting = async (): Promise<void> => {
    while (!ending.signal.aborted && pulling.size < config.pullsAtOnce) {
      const row = await nextToPull(db.read, [...pulling.keys()])
      if (row === undefined) return
      const waitMs = row.next_try_at - clock.now()
      // No pause is longer than the maximum: beyond it, the clock was set back.
      if (waitMs > 0 && waitMs <= times.maxPauseMs) {
        wakeIn(waitMs)
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
      // The previous holder of the lock may have removed the piece.
      const row = await findPiece(db.read, cid)
      if (row?.state === 'queued' && !signal.aborted) await tryOnce(row, signal, running)
    }
    const run = async (): Promise<void> => {
      let goOn = wake
      try {
        await locks.run(cid, work)
      } catch (error) {
        failures.failed('record', error, 'failed to record the end of a fetch', { piece: cid })
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
      await noteFailure(row, describeWriteError(error), progressed ? 1 : row.tries + 1)
      return
    }
    await db.write((trx) => recordKept(trx, cid, clock.now()))
    context.metrics.pulls.inc({ result: 'kept' })
    log.info({ piece: cid, bytes: row.payload_bytes }, 'piece stored')
  }

  const noteFailure = async (row: PieceRow, failure: CairnError, tries: number): Promise<void> => {
    const { cid } = row
    const now = await findPiece(db.read, cid)
    // A newer offer may have another source or other credentials.
    if (now?.offered_at !== row.offered_at) return
    const isFinal =
      finalCodes.includes(failure.code) || tries >= maxTries || clock.now() - row.offered_at > pullDeadlineMs
    // Only the final failure of a piece is logged; attempts are many.
    if (isFinal) log.warn({ piece: cid, tries, reason: describeFailure(failure) }, 'failed to fetch a piece')
    else failures.failed('try', failure, 'failed to fetch a piece, will retry', { piece: cid, tries })
    context.metrics.pulls.inc({ result: isFinal ? 'failed' : 'cut' })
    // The bytes are removed before the state is written: a failed piece has none.
    if (isFinal) await context.files.remove(cid)
    const pauseMs = Math.min(times.maxPauseMs, times.firstPauseMs * 2 ** (tries - 1)) * (0.5 + Math.random() / 2)
    const nextTryAt = isFinal ? undefined : clock.now() + Math.ceil(pauseMs)
    await db.write((trx) => recordFailedTry(trx, row, { tries, failure, nextTryAt }))
  }

  wake()
  return {
    wake,
    async [Symbol.asyncDispose]() {
      ending.abort(new CairnError('UNAVAILABLE', { message: 'The service is shutting down' }))
      clearTimeout(timer)
      await checking
      await Promise.all([...pulling.values()].map(({ ended }) => ended))
    },
  }
}
