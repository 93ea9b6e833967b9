import type { IncomingMessage } from 'node:http'
import { freePiece } from '@cairn/unixfs'
import { beginRequest, headerOf } from '../local/begin-request.ts'
import type { ReceivedResponse, ReceiveRequest } from '../local-source.ts'

/** Bytes that may wait for the reader, in bytes: what arrives while it hashes or writes a block. */
const maxWaitingBytes = 2 * 1024 * 1024

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
    request.on('response', (response) => {
      isAnswered = true
      const header = (name: string) => headerOf(response.headers, name)
      done({ status: response.statusCode ?? 0, header, body: readBody(response, signal) })
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

/** Browsers have fetch alone. */
export const receiveBody: ((request: ReceiveRequest) => Promise<ReceivedResponse>) | undefined = receive

/** Iterates over a body. Unlike a generator, it closes the connection also if it is ended before its first chunk. */
function readBody(response: IncomingMessage, signal: AbortSignal): AsyncIterableIterator<Uint8Array, undefined> {
  const waiting: Uint8Array[] = []
  let waitingBytes = 0
  let current: Uint8Array | undefined
  let hasEnded = false
  let failure: unknown
  let wake = () => {}
  response.on('data', ({ buffer, byteOffset, length }: Uint8Array) => {
    // Not a Buffer, whose `slice` is a view: a reader that keeps a copy would keep freed bytes.
    waiting.push(new Uint8Array(buffer, byteOffset, length))
    waitingBytes += length
    if (waitingBytes >= maxWaitingBytes) response.pause()
    wake()
  })
  response.on('end', () => {
    hasEnded = true
    wake()
  })
  const breakOff = (cause?: unknown) => {
    if (hasEnded) return
    failure ??= signal.aborted
      ? signal.reason
      : (cause ?? new Error('the connection closed before the end of the body'))
    wake()
  }
  response.on('error', breakOff).on('close', () => breakOff())
  const release = () => {
    if (current !== undefined) freePiece(current)
    current = undefined
  }
  const body: AsyncIterableIterator<Uint8Array, undefined> = {
    async next() {
      release()
      while (waiting.length === 0) {
        if (hasEnded) return { done: true, value: undefined }
        if (failure !== undefined) throw failure
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      current = waiting.shift() ?? new Uint8Array(0)
      waitingBytes -= current.length
      if (waitingBytes < maxWaitingBytes / 2) response.resume()
      return { done: false, value: current }
    },
    async return() {
      release()
      hasEnded = true
      waiting.length = 0
      response.destroy()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => body,
  }
  return body
}
