import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** How long a sender may go on after the answer, before the connection is closed. */
export const lingerMs = 2_000
const smallBodyBytes = 64 * 1024

/** Whether a request brings more than is worth reading to its end before the connection goes on to the next. */
export function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > smallBodyBytes
}

/**
 * An answer for a sender that is still sending. Closed at once, the connection would be reset under the answer, and the
 * sender see a broken pipe in its place; so what comes is thrown away for a moment, until the sender has read and ends.
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 */
export function lingeringBody(body: string, source: IncomingMessage): Readable {
  const answer = new Readable({ read() {} })
  answer.push(body)
  const end = (): void => {
    clearTimeout(timer)
    source.off('end', end)
    source.off('close', end)
    if (!answer.destroyed && !answer.readableEnded) answer.push(null)
  }
  const timer = setTimeout(end, lingerMs)
  source.once('end', end)
  source.once('close', end)
  answer.once('close', end)
  // A reader that gave up half-way may have left its listener, and a stream that is listened to so does not flow.
  source.removeAllListeners('readable')
  source.resume()
  return answer
}
