import { freePiece, headerOf, readPieces } from '@cairn/protocol'
import { beginRequest } from '../local/begin-request.ts'
import type { ReceivedResponse, ReceiveRequest } from '../local-source.ts'

/**
 * Requests a body and reads it while it arrives. Each chunk is freed on the request for the next, which costs a fifth of the
 * processor time of fetch for a large body.
 */
function receive(wanted: ReceiveRequest): Promise<ReceivedResponse> {
  const { url, headers, signal } = wanted
  return new Promise((done, fail) => {
    const request = beginRequest(url, { headers, signal })
    let isAnswered = false
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The body reports what happens to it.
      if (isAnswered) return
      // The server closed an idle connection at the same time: a new one has no such error.
      if (request.reusedSocket && error.code === 'ECONNRESET') done(receive(wanted))
      else fail(error)
    })
    // A server that switches protocols ends the request without an error.
    request.on('close', () => fail(new Error('the server sent no response')))
    request.on('response', (response) => {
      isAnswered = true
      const header = (name: string) => headerOf(response.headers, name)
      done({ status: response.statusCode ?? 0, header, body: readPieces(response, signal) })
    })
    // Its parser copies what it hands on, so the buffers of the socket are garbage at once.
    request.on('socket', (socket) => {
      const free = (piece: unknown) => piece instanceof Uint8Array && freePiece(piece)
      socket.on('data', free)
      request.on('close', () => socket.off('data', free))
    })
    request.end()
  })
}

/** Undefined in browsers, which have only fetch. */
export const receiveBody: ((request: ReceiveRequest) => Promise<ReceivedResponse>) | undefined = receive
