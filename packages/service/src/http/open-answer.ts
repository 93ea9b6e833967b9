import type { OutgoingHttpHeaders } from 'node:http'
import { freePiece, headerOf, readPieces } from '@cairn/protocol'
import { beginRequest } from './node-http.ts'

/** The answer of a server with its body unread. Read the body to its end, or call its `return`. */
export type OpenAnswer = {
  status: number
  /** Returns a header, or null. */
  header(name: string): string | null
  /** The body as it was sent. A piece is valid until the next read. */
  body: AsyncIterableIterator<Uint8Array, undefined>
}

/**
 * Requests a large body and reads it while it arrives, on a connection of its own. Follows no redirect. The body is freed
 * piece by piece: with `fetch`, whose pieces wait for the garbage collector, it costs about twice the processor time.
 *
 * @param signal ends the request and the reading of its body
 * @throws Error of the system or of the signal, for the reason of which the caller looks itself
 */
export function openAnswer(
  url: URL,
  { headers, signal }: { headers: OutgoingHttpHeaders; signal: AbortSignal },
): Promise<OpenAnswer> {
  return new Promise((resolve, reject) => {
    const request = beginRequest(url, { agent: false, headers, signal })
    request.once('response', (response) => {
      const header = (name: string) => headerOf(response.headers, name)
      resolve({ status: response.statusCode ?? 0, header, body: readPieces(response, signal) })
    })
    // After the response, its body reports what happens.
    request.on('error', reject)
    // A server that switches protocols ends the request without an error.
    request.once('close', () => reject(new Error('the server sent no answer')))
    // The parser copies what it hands on, so the buffers of the socket are garbage at once.
    request.once('socket', (socket) => socket.on('data', freePiece))
    request.end()
  })
}
