import type { ServerResponse } from 'node:http'

/** A response. A streamed body is not opened for HEAD. */
export type Answer = {
  status: number
  headers: Record<string, string>
  body?: string | Uint8Array | (() => AsyncIterable<Uint8Array>)
}

/** How a streamed body is sent. */
export type SendOptions = {
  /** Called before each piece that follows the first. */
  onMore?: (() => void) | undefined
  /** The body's pieces share one buffer: the kernel has taken each before the next is read. */
  reusesBuffer?: boolean | undefined
}

/** Outcome of sending: everything was sent, or the client disconnected. */
export type Sent = 'all' | 'gone'

/**
 * Sends an answer. The first piece of a streamed body is read before the headers are sent, so that an early failure
 * can still be reported; a later failure destroys the connection, because a clean end would pass the part off as the
 * whole. A slow reader stops the reading: at most one piece waits in addition to the socket's buffer.
 * @throws what the body throws, before anything was sent or after destroying the connection
 */
export async function sendAnswer(
  response: ServerResponse,
  { status, headers, body }: Answer,
  { onMore, reusesBuffer = false }: SendOptions = {},
): Promise<Sent> {
  if (typeof body !== 'function') {
    response.writeHead(status, headers).end(body)
    return 'all'
  }
  const write = reusesBuffer ? writeOut : writeOn
  const pieces = body()[Symbol.asyncIterator]()
  let started = false
  try {
    let next = await pieces.next()
    if (response.destroyed) return 'gone'
    response.writeHead(status, headers)
    started = true
    while (next.done !== true) {
      await write(response, next.value)
      if (response.destroyed) return 'gone'
      next = await pieces.next()
      if (next.done !== true) onMore?.()
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

/** Passes a piece on. @returns when the socket has room for more, or is closed */
function writeOn(response: ServerResponse, piece: Uint8Array): Promise<void> | undefined {
  if (response.write(piece) || response.destroyed) return undefined
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

/** Sends a piece. @returns when the kernel has its bytes, or the socket is closed */
function writeOut(response: ServerResponse, piece: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('close', done)
      resolve()
    }
    response.on('close', done)
    response.write(piece, done)
  })
}
