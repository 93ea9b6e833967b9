import type { FastifyInstance } from 'fastify'
import { runInSpan, type Span } from './span.ts'
import type { Traces } from './traces.ts'

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can extend that of another module.
  interface FastifyRequest {
    /** Undefined if traces are off. */
    cairnSpan?: Span
  }
}

/**
 * Makes each request a span, named by its method and route. Paths and queries stay out: they name content and addresses.
 * Call it before hooks whose work belongs to the span.
 */
export function traceRequests(app: FastifyInstance, traces: Traces | undefined): void {
  app.decorateRequest('cairnSpan')
  if (traces === undefined) return
  // With a callback, because the rest of the request must run within the span.
  app.addHook('onRequest', (request, reply, done) => {
    const { url: route, config } = request.routeOptions
    const { traceparent } = request.headers
    const span = traces.start(route === undefined ? request.method : `${request.method} ${route}`, {
      kind: 'server',
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
      facts: {
        'http.request.method': request.method,
        'cairn.request.id': request.id,
        ...(route === undefined ? {} : { 'http.route': route }),
        ...(config?.callId === undefined ? {} : { 'cairn.call': config.callId }),
      },
    })
    request.cairnSpan = span
    reply.raw.once('close', () => {
      span.add({ 'http.response.status_code': reply.raw.statusCode })
      if (!reply.raw.writableFinished) span.add({ 'cairn.client.gone': true })
      if (reply.raw.statusCode >= 500) span.fail(undefined)
      span.end()
    })
    runInSpan(span, done)
  })
}
