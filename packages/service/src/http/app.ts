import { randomUUID } from 'node:crypto'
import {
  CairnError,
  type DialectName,
  getHealth,
  getMetrics,
  getReadiness,
  keepAliveTimeoutMs,
  requestIdHeader,
} from '@cairn/protocol'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { createLogGate, type LogGate } from '../log-gate.ts'
import type { Readiness } from '../readiness.ts'
import { answerClientError } from './client-errors.ts'
import { registerCors } from './cors.ts'
import { type DescribeError, sendError } from './errors.ts'
import type { Metrics } from './metrics.ts'

/** What the app of a service is made of, beside its routes. */
export type ServiceAppOptions = {
  log: FastifyBaseLogger
  metrics: Metrics
  readiness: Readiness
  /** Fires when running requests are to be cut. */
  stop: AbortSignal
  trustedProxies: readonly string[]
  corsOrigins: readonly string[]
  /** Whether users reach it by https. */
  isSecure: boolean
  /** Dialect of errors outside of calls. */
  dialect: DialectName
  describeError?: DescribeError
}

/** A route as it was made; `callId` is absent for what is no call, such as the documentation's files. */
export type AppRoute = { method: string; url: string; callId: string | undefined }

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can add to another module's.
  interface FastifyInstance {
    /** Every route there is, for the test that compares them with the list of calls. */
    readonly cairnRoutes: readonly AppRoute[]
    /** Failures of requests that come of others, which repeat for as long as those do. */
    readonly cairnFailures: LogGate
  }
}

/** What these tell is wanted most while the service ends. */
const answeredToTheEnd = new Set<string | undefined>([getHealth.id, getReadiness.id, getMetrics.id])

const headersTimeoutMs = 60_000
/** A request's head in bytes; more is answered 431. */
const headBytesMost = 32 * 1024

/** One listener of a service, its way from top to bottom; the service adds its routes to it. */
export function createServiceApp(options: ServiceAppOptions): FastifyInstance {
  const { log, metrics, readiness, stop, dialect, describeError } = options
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    keepAliveTimeout: keepAliveTimeoutMs,
    // Uploads take hours: their own minimum rate guards them. The head has a limit of its own.
    requestTimeout: 0,
    forceCloseConnections: 'idle',
    // Requests that still come in at the end get our own answer, below.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      sendError(request, reply, dialect, error, metrics, describeError)
    },
    routerOptions: { maxParamLength: 8192 },
    http: { headersTimeout: headersTimeoutMs, maxHeaderSize: headBytesMost },
  })
  const routes: AppRoute[] = []
  app.decorate('cairnRoutes', routes)
  app.decorate('cairnFailures', createLogGate({ clock: { now: () => Date.now() }, log }))
  app.addHook('onRoute', ({ method, url, config }) => {
    for (const one of [method].flat()) routes.push({ method: one, url, callId: config?.callId })
  })
  readBodiesOfJsonOnly(app)
  app.decorateRequest('cairnCaller')
  app.decorateRequest('cairnBody')
  app.decorateRequest('cairnStop')
  app.decorateReply('cairnDialect')

  app.addHook('onRequest', async (request, reply) => {
    request.cairnStop = stop
    reply.headers({
      [requestIdHeader]: request.id,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      ...(options.isSecure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
    })
    if (request.method === 'GET' || request.method === 'HEAD') reply.header('cache-control', 'no-store')
  })
  registerCors(app, options.corsOrigins)
  app.addHook('onRequest', async (request) => {
    if (readiness.isDraining && !answeredToTheEnd.has(request.routeOptions.config.callId)) {
      throw new CairnError('UNAVAILABLE', { message: 'The service is about to end', retryAfterSeconds: 5 })
    }
  })
  app.addHook('onResponse', async (request, reply) => {
    const call = request.routeOptions.config.callId ?? 'none'
    metrics.requests.inc({ call, status: reply.statusCode })
    metrics.seconds.observe({ call }, reply.elapsedTime / 1000)
    // The path without its query: addresses and names stay out of the log.
    request.log.info(
      {
        call,
        method: request.method,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        caller: request.cairnCaller?.id,
      },
      'request',
    )
  })
  app.setErrorHandler((error, request, reply) => {
    sendError(request, reply, dialect, error, metrics, describeError)
  })
  app.setNotFoundHandler((request, reply) => {
    const allowed = allowedMethods(app, request)
    // A route that found nothing, such as that of files, ends here too: its method is not what is wrong.
    const isMethodWrong = allowed.length > 0 && !allowed.includes(request.method)
    if (isMethodWrong) reply.header('allow', allowed.join(', '))
    const code = isMethodWrong ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND'
    sendError(request, reply, dialect, new CairnError(code), metrics)
  })
  return app
}

/** Streams are read by their handlers; only JSON is parsed, and only where a call has such a body. */
function readBodiesOfJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    request.cairnBody = body.toString()
    // Published clients name this type on calls without a body, too: the call's schema says whether one is needed.
    if (request.cairnBody === '') done(null, undefined)
    else void parseJson(request, request.cairnBody, done)
  })
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
}

/** The methods that the path of a request does have. */
function allowedMethods(app: FastifyInstance, request: FastifyRequest): string[] {
  const url = request.url.split('?')[0] ?? '/'
  return ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
    (method) => app.findRoute({ method, url }) !== null,
  )
}
