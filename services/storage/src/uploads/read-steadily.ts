import type { Readable } from 'node:stream'
import { CairnError, slowestUploadBytesPerSecond, slowestUploadWindowMs } from '@cairn/protocol'

/**
 * Reads a request body to its end. It is cut when the sender is slower than the least rate; time in which we hold the
 * sender back does not count. The stream stays open when reading stops early, so that an answer can still be sent.
 *
 * @throws CairnError REQUEST_TIMEOUT; INVALID_MULTIPART when the sender goes away in the middle.
 */
export async function* readSteadily(body: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  let waitingSince: number | undefined
  let waitedMs = 0
  let receivedBytes = 0
  let cut: ((error: CairnError) => void) | undefined

  const check = (): void => {
    const now = performance.now()
    const waited = waitedMs + (waitingSince === undefined ? 0 : now - waitingSince)
    if (waited < slowestUploadWindowMs) return
    if (receivedBytes < (waited / 1000) * slowestUploadBytesPerSecond) {
      cut?.(new CairnError('REQUEST_TIMEOUT', { details: { bytesPerSecondLeast: slowestUploadBytesPerSecond } }))
    }
    waitedMs = 0
    receivedBytes = 0
    if (waitingSince !== undefined) waitingSince = now
  }
  const stopped = new Promise<never>((_resolve, reject) => {
    cut = reject
  })
  stopped.catch(() => undefined)
  const stop = (): void => cut?.(CairnError.from(signal.reason, 'REQUEST_TIMEOUT'))
  signal.addEventListener('abort', stop, { once: true })
  const timer = setInterval(check, slowestUploadWindowMs / 4)
  timer.unref()

  const pieces: AsyncIterator<Uint8Array> = body.iterator({ destroyOnReturn: false })
  try {
    if (signal.aborted) stop()
    for (;;) {
      const next = pieces.next()
      waitingSince = performance.now()
      const { value, done } = await Promise.race([next, stopped]).catch((error: unknown) => {
        next.catch(() => undefined)
        throw error
      })
      waitedMs += performance.now() - waitingSince
      waitingSince = undefined
      if (done) return
      receivedBytes += value.length
      yield value
    }
  } catch (error) {
    if (CairnError.is(error)) throw error
    throw new CairnError('INVALID_MULTIPART', { message: 'The upload was cut off before its end', cause: error })
  } finally {
    clearInterval(timer)
    signal.removeEventListener('abort', stop)
    // Not awaited: an iterator that still waits for bytes ends only when the body does.
    pieces.return?.().catch(() => undefined)
  }
}
