import type { ClientRequest, RequestOptions, IncomingMessage as Response } from 'node:http'
import { request as requestHttps } from 'node:https'

/**
 * Node's HTTP module without its web clients. An `import` of `node:http` reads every export, `WebSocket` included, which
 * loads all of `fetch`: 14 MiB and 60 ms per process (Node 24.21).
 */
export const { createServer, IncomingMessage, STATUS_CODES } = process.getBuiltinModule('node:http')
const { request: requestHttp } = process.getBuiltinModule('node:http')

/** Begins a request with the HTTP client of Node, which follows no redirect. */
export function beginRequest(url: URL, options: RequestOptions): ClientRequest {
  return url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options)
}

/**
 * Waits for the response of a request, whose body is unread. The body reports what happens to it.
 * @throws the error of the connection; Error if the connection ends without a response or an error
 */
export function receiveResponse(request: ClientRequest): Promise<Response> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    // Stays, because an error after the response would otherwise end the process.
    request.on('error', reject)
    // A server that switches protocols ends the request without an error, and no abort is reported after that.
    request.once('close', () => reject(new Error('the server sent no answer')))
  })
}
