import type { Readable } from 'node:stream'
import { CairnError, freePiece, minUploadBytesPerSecond } from '@cairn/protocol'
import { IncomingMessage } from '@cairn/service'
import type { Feed } from '../multipart/read-multipart.ts'

/** Functions that are called at intervals, by the interval in ms. */
const calledEvery = new Map<number, Set<() => void>>()

/**
 * Calls a function at intervals, with a timer that it shares with others: one for each would cost a small body more than its rest.
 * @returns ends the calls
 */
function callEvery(intervalMs: number, call: () => void): () => void {
  const calls = calledEvery.get(intervalMs) ?? new Set()
  calls.add(call)
  if (!calledEvery.has(intervalMs)) {
    calledEvery.set(intervalMs, calls)
    const callAll = (): void => {
      for (const one of calls) one()
      if (calls.size > 0) return
      clearInterval(timer)
      calledEvery.delete(intervalMs)
    }
    // Timers run before I/O, so bytes that arrived while the process was blocked are counted first.
    const timer = setInterval(() => setImmediate(callAll), intervalMs)
    timer.unref()
  }
  return () => calls.delete(call)
}

/**
 * Feeds a request body to its end. Aborts when the sender falls below the minimum rate; time in which the consumer
 * applies backpressure does not count. The stream stays open when reading stops early, so that an answer can still be
 * sent. Frees each piece of a request as soon as it is consumed.
 *
 * @param windowMs time over which the rate is averaged
 * @throws CairnError REQUEST_TIMEOUT, INVALID_MULTIPART when the client disconnects in the middle, the signal's
 * reason.
 */
export function readSteadily(body: Readable, signal: AbortSignal, windowMs: number): Feed {
  return (take) =>
    new Promise((resolve, reject) => {
      let taking: Promise<void> | undefined
      let isOver = false
      let waitingSince = performance.now()
      let waitedMs = 0
      let receivedBytes = 0

      const leave = (): void => {
        isOver = true
        endChecks()
        body.off('data', receive).off('end', finish).off('close', breakOff)
        signal.removeEventListener('abort', stop)
      }
      const fail = (error: unknown): void => {
        if (isOver) return
        leave()
        body.pause()
        // Cleanup must not run while a piece is being consumed or is about to be.
        queueMicrotask(() => {
          if (taking === undefined) reject(error)
          else taking.then(() => reject(error)).catch(() => reject(error))
        })
      }
      let hasEnded = false
      const finish = (): void => {
        hasEnded = true
        if (isOver) return
        // A body that arrived as a whole ends while its last piece is still being consumed.
        if (taking !== undefined) {
          taking.then(finish, () => undefined)
          return
        }
        leave()
        resolve()
      }
      const stop = (): void => fail(CairnError.from(signal.reason, 'REQUEST_TIMEOUT'))
      const breakOff = (cause?: unknown): void => {
        if (hasEnded) return
        fail(new CairnError('INVALID_MULTIPART', { message: 'The upload was interrupted before its end', cause }))
      }

      // Only copies made by Node's parser belong to this reader; another stream may keep what it emits.
      const free = body instanceof IncomingMessage ? freePiece : () => undefined

      const receive = (piece: Uint8Array): void => {
        receivedBytes += piece.length
        try {
          const pending = take(piece)
          if (pending instanceof Promise) hold(pending, piece)
          else free(piece)
        } catch (error) {
          fail(error)
        }
      }
      const hold = (pending: Promise<void>, piece: Uint8Array): void => {
        taking = pending
        waitedMs += performance.now() - waitingSince
        body.pause()
        pending.then(
          () => {
            free(piece)
            taking = undefined
            waitingSince = performance.now()
            if (!isOver) body.resume()
          },
          (error: unknown) => {
            taking = undefined
            fail(error)
          },
        )
      }
      const checkRate = (): void => {
        if (isOver) return
        const now = performance.now()
        const waited = waitedMs + (taking === undefined ? now - waitingSince : 0)
        if (waited < windowMs) return
        if (receivedBytes < (waited / 1000) * minUploadBytesPerSecond) {
          fail(new CairnError('REQUEST_TIMEOUT', { details: { minBytesPerSecond: minUploadBytesPerSecond } }))
        }
        waitedMs = 0
        receivedBytes = 0
        waitingSince = now
      }

      const endChecks = callEvery(windowMs / 4, checkRate)
      signal.addEventListener('abort', stop, { once: true })
      // The error listener stays: a connection may break after reading stopped, which must not crash the process.
      body.on('error', breakOff).on('close', breakOff).on('end', finish)
      if (signal.aborted) stop()
      else body.on('data', receive)
    })
}
