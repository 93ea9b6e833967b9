import { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { CairnError, slowestUploadBytesPerSecond } from '@cairn/protocol'
import type { Feed } from '../multipart/read-multipart.ts'
import { freePiece } from './free-piece.ts'

/**
 * Feeds a request body to its end. It is cut when the sender is slower than the least rate; time in which we hold the
 * sender back does not count. The stream stays open when reading stops early, so that an answer can still be sent. A piece
 * of a request is freed as soon as it is taken.
 *
 * @param windowMs time over which the rate is averaged
 * @throws CairnError REQUEST_TIMEOUT, INVALID_MULTIPART when the sender goes away in the middle, the signal's reason.
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
        clearInterval(timer)
        body.off('data', receive).off('end', finish).off('close', breakOff)
        signal.removeEventListener('abort', stop)
      }
      const fail = (error: unknown): void => {
        if (isOver) return
        leave()
        body.pause()
        // Whoever cleans up must not do so under the feet of what is still being taken, or about to be.
        queueMicrotask(() => {
          if (taking === undefined) reject(error)
          else taking.then(() => reject(error)).catch(() => reject(error))
        })
      }
      let hasEnded = false
      const finish = (): void => {
        hasEnded = true
        if (isOver) return
        // A body that was there as a whole ends while its last piece is still being taken.
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
        fail(new CairnError('INVALID_MULTIPART', { message: 'The upload was cut off before its end', cause }))
      }

      // Only what Node's parser copied for us is ours alone; another stream may give what it keeps.
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
        if (receivedBytes < (waited / 1000) * slowestUploadBytesPerSecond) {
          fail(new CairnError('REQUEST_TIMEOUT', { details: { bytesPerSecondLeast: slowestUploadBytesPerSecond } }))
        }
        waitedMs = 0
        receivedBytes = 0
        waitingSince = now
      }

      // What arrived while the process itself was held up is counted first: timers come before it.
      const timer = setInterval(() => setImmediate(checkRate), windowMs / 4)
      timer.unref()
      signal.addEventListener('abort', stop, { once: true })
      // The listener for errors stays: a connection may break after we stopped reading, which is no fault of ours.
      body.on('error', breakOff).on('close', breakOff).on('end', finish)
      if (signal.aborted) stop()
      else body.on('data', receive)
    })
}
