import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { headerOf } from '@cairn/protocol'
import { currentSpan, type Span } from '../../traces/span.ts'
import { beginRequest, receiveResponse } from '../node-http.ts'
import { AnswerTooLargeError } from './answer-too-large.ts'

/** A request to a server of the configuration. */
export type ServerRequest = {
  method: string
  headers?: Readonly<Record<string, string>>
  body?: string | undefined
  /** Ends the request and the reading of the answer. */
  signal: AbortSignal
  maxAnswerBytes: number
}

/** The whole answer of a server. */
export type ServerAnswer = {
  status: number
  /** Returns a header, or null. */
  header(name: string): string | null
  /** Decompressed. */
  body: Uint8Array
}

const redirects = [301, 302, 303, 307, 308]

/**
 * Sends a request to a server of the configuration and reads the whole answer. Does not follow redirects, which would
 * lead to hosts outside the configuration. Reuses connections. Uses `node:http`, because the first use of `fetch` costs
 * a process about 8 MiB of memory.
 *
 * @throws AnswerTooLargeError; the reason of the signal; Error with a cause for anything else
 */
export async function sendRequest(url: URL, request: ServerRequest): Promise<ServerAnswer> {
  const { method, signal } = request
  const facts = { 'http.request.method': method, 'server.address': url.host }
  // Only the host is recorded: paths of chains may contain keys.
  const span = currentSpan()?.start(`${method} ${url.host}`, { kind: 'client', facts })
  try {
    return await exchange(url, request, span)
  } catch (cause) {
    const error = signal.aborted ? signal.reason : cause instanceof AnswerTooLargeError ? cause : unreachable(cause)
    span?.fail(error)
    throw error
  } finally {
    span?.end()
  }
}

async function exchange(url: URL, request: ServerRequest, span: Span | undefined): Promise<ServerAnswer> {
  request.signal.throwIfAborted()
  const response = await open(url, request)
  const { statusCode: status = 0 } = response
  span?.add({ 'http.response.status_code': status })
  if (redirects.includes(status)) {
    response.destroy()
    throw new Error(`the server redirects with status ${status}`)
  }
  return {
    status,
    header: (name) => headerOf(response.headers, name),
    body: await readBody(response, request.maxAnswerBytes),
  }
}

function open(url: URL, { method, headers, body, signal }: ServerRequest): Promise<IncomingMessage> {
  const lengths = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const sent = beginRequest(url, {
    method,
    // Firewalls before endpoints of chains may reject requests that name no client.
    headers: { 'accept-encoding': 'gzip', 'user-agent': 'node', ...lengths, ...headers },
    signal,
  })
  sent.end(body)
  return receiveResponse(sent)
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop early closes the connection.
  for await (const piece of decompress(response)) {
    bytes += piece.length
    if (bytes > maxBytes) throw new AnswerTooLargeError(maxBytes)
    pieces.push(piece)
  }
  return Buffer.concat(pieces, bytes)
}

function decompress(response: IncomingMessage): AsyncIterable<Uint8Array> {
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding === 'identity') return response
  if (encoding !== 'gzip') {
    response.destroy()
    throw new Error('the server sends an encoding that was not requested')
  }
  // Each error also ends the decompressed body, whose reader handles it.
  return pipeline(response, createGunzip(), () => undefined)
}

/** Names no host: logs show the code of the cause only. */
function unreachable(cause: unknown): Error {
  return new Error('the request failed', { cause })
}
