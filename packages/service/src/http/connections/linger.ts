import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** Time in ms that a sender may continue after the response, before the connection is closed. */
export const lingerMs = 2_000
const smallBodyBytes = 64 * 1024

/** Returns whether the rest of a request body is too long to read before the next request. */
export function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > smallBodyBytes
}

/**
 * Creates a response body for a sender that is still sending. Closing immediately would reset the connection, and the
 * sender would see a broken pipe instead of the response; so its bytes are discarded for a moment, until it has read
 * the response.
 * @param rest settles when the rest of the request no longer has to be awaited. Defaults to that moment
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 */
export function lingeringBody(body: string, source: IncomingMessage, rest?: Promise<void>): Readable {
  const answer = new Readable({ read() {} })
  answer.push(body)
  const end = (): void => {
    clearTimeout(timer)
    source.off('end', end)
    source.off('close', end)
    if (!answer.destroyed && !answer.readableEnded) answer.push(null)
  }
  const timer = rest === undefined ? setTimeout(end, lingerMs) : undefined
  rest?.then(end, end)
  source.once('end', end)
  source.once('close', end)
  answer.once('close', end)
  // An aborted reader may have left its listener, which keeps the stream from flowing.
  source.removeAllListeners('readable')
  source.resume()
  return answer
}
