import type { IncomingMessage } from 'node:http'
import { CairnError } from '@cairn/protocol'
import { clientGone } from './connections/client-gone.ts'

/** Size and time limits of a body. */
export type BodyLimits = { maxBytes: number; timeoutMs: number }

const firstBufferBytes = 1024

/**
 * Reads a body into one buffer, however small its chunks. On failure, the rest stays unread and the stream open, so
 * that a response can be sent.
 * @throws CairnError PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, ABORTED if the client disconnects
 */
export function readBody(request: IncomingMessage, { maxBytes, timeoutMs }: BodyLimits): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > maxBytes) return Promise.reject(tooLarge(maxBytes))
  return new Promise((resolve, reject) => {
    let buffer = Buffer.allocUnsafe(Math.max(announced, firstBufferBytes))
    let sizeBytes = 0
    const settle = (finish: () => void): void => {
      isOver = true
      clearTimeout(timer)
      request.off('data', receive).off('end', end).off('close', breakOff)
      request.pause()
      finish()
    }
    const fail = (error: CairnError): void => settle(() => reject(error))
    const receive = (piece: Buffer): void => {
      const needed = sizeBytes + piece.length
      if (needed > maxBytes) {
        fail(tooLarge(maxBytes))
        return
      }
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, 2 * buffer.length)))
        buffer.copy(larger, 0, 0, sizeBytes)
        buffer = larger
      }
      piece.copy(buffer, sizeBytes)
      sizeBytes = needed
    }
    const end = (): void => settle(() => resolve(buffer.subarray(0, sizeBytes)))
    const breakOff = (): void => fail(clientGone())
    let isOver = false
    const expire = (): void => {
      if (!isOver) fail(new CairnError('REQUEST_TIMEOUT', { details: { limitMs: timeoutMs } }))
    }
    // Bytes that arrived while the process was blocked are read first: timers fire before them.
    const timer = setTimeout(() => setImmediate(expire), timeoutMs)
    // The error listener stays: a connection that breaks after reading stopped is not our error.
    request.on('error', breakOff).on('close', breakOff).on('end', end).on('data', receive)
    if (request.destroyed) breakOff()
  })
}

function tooLarge(maxBytes: number): CairnError {
  return new CairnError('PAYLOAD_TOO_LARGE', { details: { limitBytes: maxBytes } })
}
