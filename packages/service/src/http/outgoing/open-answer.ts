import type { OutgoingHttpHeaders } from 'node:http'
import { freePiece, headerOf, readPieces } from '@cairn/protocol'
import { beginRequest, receiveResponse } from '../node-http.ts'

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
export async function openAnswer(
  url: URL,
  { headers, signal }: { headers: OutgoingHttpHeaders; signal: AbortSignal },
): Promise<OpenAnswer> {
  const request = beginRequest(url, { agent: false, headers, signal })
  // The parser copies what it hands on, so the buffers of the socket are garbage at once.
  request.once('socket', (socket) => socket.on('data', freePiece))
  request.end()
  const response = await receiveResponse(request)
  const header = (name: string) => headerOf(response.headers, name)
  return { status: response.statusCode ?? 0, header, body: readPieces(response, signal) }
}
