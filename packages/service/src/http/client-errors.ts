import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { CairnError, type DialectName, encodeError } from '@cairn/protocol'
import type { ErrorEncoder } from './errors.ts'
import { STATUS_CODES } from './node-http.ts'

/** Maximum size of a request head in bytes; beyond it the status is 431. */
export const maxHeadBytes = 32 * 1024

/** Maps an error in the head of a request, by the code of Node's parser. Any other means that the request is not HTTP. */
function fromParser(code: string | undefined): CairnError {
  if (code === 'HPE_HEADER_OVERFLOW') return new CairnError('HEADER_TOO_LARGE', { details: { limit: maxHeadBytes } })
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new CairnError('REQUEST_TIMEOUT')
  return new CairnError('INVALID_REQUEST', {
    message: 'The request is not valid HTTP/1.1',
    hint: 'Check the method, the headers and the length of the body.',
  })
}

/**
 * Returns the error of a request with several Host headers, of which a proxy may read another one, or without the one that
 * HTTP/1.1 requires; Node's own answer has no body.
 */
export function wrongHost({ rawHeaders, httpVersion }: IncomingMessage): CairnError | undefined {
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length
  if (hosts === 1 || (hosts === 0 && httpVersion !== '1.1')) return undefined
  return new CairnError('INVALID_REQUEST', {
    message: `The request has ${hosts === 0 ? 'no Host header' : 'several Host headers'}`,
    hint: 'Send the name of the service in one Host header.',
  })
}

/**
 * Answers a connection that never became a request, for example with a head that is too large or too slow, in the dialect of
 * the listener, and closes it.
 */
export function answerClientError(
  error: Error & { code?: string },
  socket: Socket,
  dialect: DialectName | ErrorEncoder,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  // After the first byte of a response, a second head would be taken for its body.
  const busy: unknown = '_httpMessage' in socket ? socket._httpMessage : undefined
  if (socket.writable && !hasStarted(busy)) {
    const cause = fromParser(error.code)
    const { status, headers, body } =
      typeof dialect === 'function' ? dialect(cause, randomUUID()) : encodeError(dialect, cause)
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
