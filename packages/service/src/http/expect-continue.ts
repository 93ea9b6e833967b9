import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** Requests whose senders wait for 100 before they send the body. */
const waiting = new WeakSet<IncomingMessage>()

/**
 * Answers `Expect: 100-continue` when the body is read for the first time. Node answers it at once, so that the client would send a
 * whole body to learn that its head was rejected. Without a 100, Node closes the connection after the response.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
 */
export function continueWhenRead(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const read = request._read
    request._read = (size) => {
      request._read = read
      if (waiting.delete(request) && !response.headersSent) response.writeContinue()
      read.call(request, size)
    }
    waiting.add(request)
    server.emit('request', request, response)
  })
}

/** Makes later reads of the body send no 100. Returns whether the sender still waits for it. */
export function withholdContinue(request: IncomingMessage): boolean {
  return waiting.delete(request)
}
