import type { FastifyInstance } from 'fastify'

const allowedHeaders =
  'Authorization, Content-Type, Encryption, Mime-Type, X-Storage-Type, X-Deal-Parameter, X-Cairn-Proof, X-Auth-Message, Tus-Resumable, Upload-Length, Upload-Offset, Upload-Metadata, X-Requested-With'
const exposedHeaders =
  'X-Cairn-Code, X-Request-Id, Retry-After, X-Chunked-Output, X-Stream-Output, Location, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Upload-Length, Upload-Offset, Upload-Metadata, Upload-Expires'
const allowedMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/**
 * Lets browsers call from the configured origins. The origin is echoed, never `*`: published browser clients send
 * credentials. No cookie is ever set or read, so credentials mean nothing here.
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function registerCors(app: FastifyInstance, origins: readonly string[]): void {
  const anyOrigin = origins.includes('*')
  app.addHook('onRequest', async (request, reply) => {
    reply.header('vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || !(anyOrigin || origins.includes(origin))) return
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': exposedHeaders,
    })
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return
    await reply
      .status(204)
      .headers({
        'access-control-allow-methods': allowedMethods,
        'access-control-allow-headers': allowedHeaders,
        'access-control-max-age': '86400',
      })
      .send()
  })
}
