import { randomUUID } from 'node:crypto'
import {
  CairnError,
  type DialectName,
  getHealth,
  getReadiness,
  jsonBodyBytesMost,
  requestIdHeader,
} from '@cairn/protocol'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import type { ListenerConfig } from '../listener-settings.ts'
import { createLogGate, type LogGate } from '../log-gate.ts'
import type { Readiness } from '../readiness.ts'
import { answerClientError } from './client-errors.ts'
import { registerCors } from './cors.ts'
import { type DescribeError, sendError } from './errors.ts'
import { guardListener, type ListenerLimits, listenerOptions } from './listener.ts'
import type { Metrics } from './metrics.ts'
import { readBody } from './read-body.ts'

/** What the app of a service is made of, beside its routes. */
export type ServiceAppOptions = {
  log: FastifyBaseLogger
  metrics: Metrics
  readiness: Readiness
  /** Fires when running requests are to be cut. */
  stop: AbortSignal
  /** What the settings say about listening. */
  listener: ListenerLimits & Pick<ListenerConfig, 'corsOrigins'>
  /** Public listeners of the process, which share its limit of open files. Defaults to 1. */
  publicListeners?: number
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
const answeredToTheEnd = new Set<string | undefined>([getHealth.id, getReadiness.id])

/** One listener of a service, its way from top to bottom; the service adds its routes to it. */
export function createServiceApp(options: ServiceAppOptions): FastifyInstance {
  const { log, metrics, readiness, stop, listener, dialect, describeError } = options
  const app = Fastify({
    ...listenerOptions(listener),
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    // Uploads take hours: their own minimum rate guards them. Other bodies, and heads, have limits of their own.
    requestTimeout: 0,
    forceCloseConnections: 'idle',
    // Requests that still come in at the end get our own answer, below.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      sendError(request, reply, dialect, error, metrics, describeError)
    },
    routerOptions: { maxParamLength: 8192 },
  })
  const routes: AppRoute[] = []
  app.decorate('cairnRoutes', routes)
  app.decorate('cairnFailures', createLogGate({ clock: { now: () => Date.now() }, log }))
  app.addHook('onRoute', ({ method, url, config }) => {
    for (const one of [method].flat()) routes.push({ method: one, url, callId: config?.callId })
  })
  readBodiesOfJsonOnly(app, listener.bodyTimeoutMs)
  app.decorateRequest('cairnCaller')
  app.decorateRequest('cairnBody')
  app.decorateRequest('cairnStop')

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
  registerCors(app, listener.corsOrigins)
  app.addHook('onRequest', async (request, reply) => {
    // Clients that keep their connection would never be sent elsewhere.
    if (readiness.isDraining) reply.header('connection', 'close')
    if (readiness.isStopping && !answeredToTheEnd.has(request.routeOptions.config.callId)) {
      throw new CairnError('UNAVAILABLE', { message: 'The service is about to end', retryAfterSeconds: 5 })
    }
    const call = request.routeOptions.config.callId ?? 'none'
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) metrics.clientsGone.inc({ call })
    })
  })
  guardListener(app, {
    limits: listener,
    listeners: options.publicListeners ?? 1,
    onRefuse: () => metrics.refusedConnections.inc(),
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
function readBodiesOfJsonOnly(app: FastifyInstance, timeoutMs: number): void {
  app.removeAllContentTypeParsers()
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const parse = (body: Buffer): void => {
      request.cairnBody = body.toString()
      // Published clients name this type on calls without a body, too: the call's schema says whether one is needed.
      if (request.cairnBody === '') done(null, undefined)
      else void parseJson(request, request.cairnBody, done)
    }
    readBody(payload, { maxBytes: request.routeOptions.bodyLimit ?? jsonBodyBytesMost, timeoutMs }).then(parse, done)
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
