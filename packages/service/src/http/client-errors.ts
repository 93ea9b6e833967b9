import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { CairnError, type ErrorCode, encodeError } from '@cairn/protocol'

/** Errors in the head of a request, by the codes of Node's parser; any other means that the request is not HTTP. */
const parserCodes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADER_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/**
 * Answers a connection that never became a request, for example with a head that is too large or too slow, and closes
 * it.
 */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  // After the first byte of a response, a second head would be taken for its body.
  const busy: unknown = '_httpMessage' in socket ? socket._httpMessage : undefined
  if (socket.writable && !hasStarted(busy)) {
    const code = parserCodes[error.code ?? ''] ?? 'INVALID_REQUEST'
    const { status, headers, body } = encodeError('api', new CairnError(code))
    const lines = Object.entries({
      ...headers,
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    }).map(([name, value]) => `${name}: ${value}`)
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
  }
  socket.destroySoon()
}

function hasStarted(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'headersSent' in message && message.headersSent === true
}
