import type { ServerResponse } from 'node:http'
import type { Answer } from './answer.ts'

/** Outcome of sending: everything was sent, or the client disconnected. */
export type Sent = 'all' | 'gone'

/**
 * Sends an answer. The first piece of a streamed body is read before the headers are sent, so that an early failure
 * can still be reported; a later failure destroys the connection, because a clean end would pass the part off as the
 * whole. A slow reader stops the reading: at most one piece waits in addition to the socket's buffer.
 * @param onMore called before each piece that follows the first
 * @throws what the body throws, before anything was sent or after destroying the connection
 */
export async function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  onMore: () => void = () => undefined,
): Promise<Sent> {
  const { status, headers, body } = answer
  if (typeof body !== 'function') {
    response.writeHead(status, headers).end(body)
    return 'all'
  }
  const pieces = body()[Symbol.asyncIterator]()
  let started = false
  try {
    let next = await pieces.next()
    if (response.destroyed) return 'gone'
    response.writeHead(status, headers)
    started = true
    while (next.done !== true) {
      if (!response.write(next.value)) await drainOrClose(response)
      if (response.destroyed) return 'gone'
      next = await pieces.next()
      if (next.done !== true) onMore()
    }
    response.end()
    return 'all'
  } catch (error) {
    if (started) response.destroy()
    throw error
  } finally {
    await pieces.return?.()
  }
}

/** Waits until the socket drains or closes. */
function drainOrClose(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}
