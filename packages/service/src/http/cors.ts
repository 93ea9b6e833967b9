import type { FastifyInstance } from 'fastify'

const allowedHeaders =
  'Authorization, Content-Type, Encryption, Mime-Type, Announce, Private, X-Storage-Type, X-Deal-Parameter, X-Cairn-Proof, X-Auth-Message, Tus-Resumable, Upload-Length, Upload-Offset, Upload-Metadata, Upload-Concat, Upload-Defer-Length, X-HTTP-Method-Override, X-Request-ID, Last-Event-ID, X-Requested-With'
const exposedHeaders =
  'X-Cairn-Code, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, X-Chunked-Output, X-Stream-Output, Location, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Upload-Length, Upload-Offset, Upload-Metadata, Upload-Expires'
const allowedMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/**
 * Allows browser calls from the configured origins. Only calls to which published browser clients send credentials echo
 * the origin and allow them; no cookie is ever set or read, so that even there they have no effect. Register it before
 * the routes.
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function registerCors(app: FastifyInstance, origins: readonly string[]): void {
  const isOpen = origins.includes('*')
  /** Paths whose responses and preflights allow credentials. */
  const withCredentials = new Set<string>()
  app.addHook('onRoute', ({ url, config }) => {
    if (config?.allowsCredentials === true) withCredentials.add(url)
  })
  app.addHook('onRequest', (request, reply, done) => {
    const allowsCredentials = withCredentials.has(request.url.split('?', 1)[0] ?? '')
    const { origin } = request.headers
    if (isOpen && !allowsCredentials) reply.header('access-control-allow-origin', '*')
    else {
      // A response that depends on the origin must not be cached for another.
      reply.header('vary', 'Origin')
      if (origin === undefined || !(isOpen || origins.includes(origin))) return done()
      reply.header('access-control-allow-origin', origin)
    }
    reply.header('access-control-expose-headers', exposedHeaders)
    if (allowsCredentials) reply.header('access-control-allow-credentials', 'true')
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return done()
    reply
      .status(204)
      .headers({
        'access-control-allow-methods': allowedMethods,
        'access-control-allow-headers': allowedHeaders,
        'access-control-max-age': '86400',
      })
      .send()
  })
}
