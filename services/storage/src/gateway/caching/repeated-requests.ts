import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Longest request that is compared, in bytes. */
const maxRequestBytes = 2048
/** Requests that are remembered; cleared when there would be more. */
const maxRequests = 4096

/**
 * A connection, by what is known of its next bytes. `idle`: they begin a request. `busy`: they begin one once the
 * response in progress has ended. `lost`: that is not known, so everything is parsed from now on.
 */
type Connection = {
  state: 'new' | 'idle' | 'busy' | 'lost'
  /** The request in progress, as it came. */
  request: string
}

/** Requests that were answered before, as they came. */
export type RepeatedRequests = {
  /** Notes that `key` stands for the request in progress: the same bytes mean the same on every connection. */
  note(request: IncomingMessage, key: string): void
}

/**
 * Answers requests that repeat the bytes of an earlier one, without parsing them. Only bytes that come together between two
 * requests, and are one whole request without a body, are compared. The first request of a connection is parsed in any case:
 * until then the server counts the time that it may take.
 *
 * @param answer answers what `key` stands for, and returns true; or returns false, and the request is parsed
 */
export function watchRepeats(server: Server, answer: (socket: Socket, key: string) => boolean): RepeatedRequests {
  const keys = new Map<string, string>()
  const connections = new WeakMap<Socket, Connection>()

  server.on('connection', (socket: Socket) => {
    const [parse, ...others] = socket.listeners('data')
    // Node's own listener. If that ever changes, every request is parsed.
    if (parse === undefined || others.length > 0) return
    const connection: Connection = { state: 'new', request: '' }
    connections.set(socket, connection)
    socket.removeAllListeners('data')
    socket.on('data', (chunk: Buffer) => {
      const { state } = connection
      if (state === 'new' || state === 'idle') {
        const request = chunk.length <= maxRequestBytes ? chunk.toString('latin1') : ''
        const key = state === 'idle' ? keys.get(request) : undefined
        // A reader that is behind is the server's, which stops reading its requests.
        if (key !== undefined && socket.writableLength === 0 && answer(socket, key)) return
        connection.request = request
        connection.state = isOneRequest(request) ? 'busy' : 'lost'
      } else {
        connection.state = 'lost'
      }
      parse.call(socket, chunk)
    })
  })

  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    response.once('close', () => {
      const connection = connections.get(socket)
      if (connection?.state === 'busy') connection.state = 'idle'
    })
  })

  return {
    note({ socket }, key) {
      const connection = connections.get(socket)
      if (connection?.state !== 'busy') return
      if (keys.size >= maxRequests) keys.clear()
      keys.set(connection.request, key)
    },
  }
}

const headEnd = '\r\n\r\n'
/** Headers of requests that have a body, or after which a connection ends or becomes another. */
const endingHeader =
  /^(?:connection[ \t]*:(?![ \t]*keep-alive[ \t]*\r)|(?:content-length|expect|transfer-encoding|upgrade)[ \t]*:)/im

/** Whether a text is one whole GET request, without a body, on a connection that stays open. */
function isOneRequest(text: string): boolean {
  if (!text.startsWith('GET ') || text.indexOf(headEnd) !== text.length - headEnd.length) return false
  return / HTTP\/1\.1\r\n/.test(text) && !endingHeader.test(text)
}
