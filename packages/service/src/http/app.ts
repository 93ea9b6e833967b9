import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  CairnError,
  type DialectName,
  getHealth,
  getReadiness,
  maxJsonBodyBytes,
  requestIdHeader,
} from '@cairn/protocol'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { ListenerConfig } from '../listener-settings.ts'
import { createLogGate, type LogGate } from '../log-gate.ts'
import type { Readiness } from '../readiness.ts'
import { traceRequests } from '../traces/trace-requests.ts'
import type { Traces } from '../traces/traces.ts'
import { answerClientError, wrongHost } from './client-errors.ts'
import { guardListener, type ListenerLimits, listenerOptions } from './connections/listener.ts'
import { registerCors } from './cors.ts'
import { type DescribeError, type ErrorEncoder, sendError } from './errors.ts'
import { continueWhenRead } from './expect-continue.ts'
import type { Metrics } from './metrics.ts'
import { readBody } from './read-body.ts'

/** Parts of the app of a service, besides its routes. */
export type ServiceAppOptions = {
  log: FastifyBaseLogger
  metrics: Metrics
  readiness: Readiness
  /** Aborts when running requests are to be stopped. */
  stop: AbortSignal
  /** Settings of the listener. */
  listener: ListenerLimits & Pick<ListenerConfig, 'corsOrigins'>
  /** Number of public listeners of the process, which share its limit of open files. Defaults to 1. */
  publicListeners?: number
  /** URL that users reach it by. With https, browsers are asked to use nothing else. */
  publicUrl: string | undefined
  /** How errors outside of calls are written: a dialect of the wire, or the encoder of another protocol. */
  dialect: DialectName | ErrorEncoder
  describeError?: DescribeError
  /** Returns the method to handle a request as, for protocols in which a header may name another one. */
  readMethod?: (request: IncomingMessage) => string | undefined
  /** Absent when traces are off. */
  traces?: Traces | undefined
}

/** A registered route; `callId` is absent for routes without a call, such as documentation files. */
export type AppRoute = { method: string; url: string; callId: string | undefined }

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can extend that of another module.
  interface FastifyInstance {
    /** All routes, for the test that compares them with the list of calls. */
    readonly cairnRoutes: readonly AppRoute[]
    /** Failures of requests caused by external systems, which repeat until those recover. */
    readonly cairnFailures: LogGate
  }
}

/** Calls that matter most while the service shuts down. */
const answeredToTheEnd = new Set<string | undefined>([getHealth.id, getReadiness.id])

/** Calls are parsed by their own schemas: Fastify's compilers would cost each process 5 MiB and are never asked. */
const withoutSchemas = { buildValidator: refuseSchema, buildSerializer: refuseSchema }

function refuseSchema(): never {
  throw new TypeError('a route has a schema of Fastify; calls are defined in packages/protocol')
}

/** Changes the method before the route is found: no hook of Fastify is earlier than this one. */
function overrideMethods(readMethod: ServiceAppOptions['readMethod']) {
  if (readMethod === undefined) return {}
  return {
    rewriteUrl: (request: IncomingMessage): string => {
      request.method = readMethod(request) ?? request.method ?? 'GET'
      return request.url ?? '/'
    },
  }
}

/** Creates one listener of a service with its hooks; the service adds its routes. */
export function createServiceApp(options: ServiceAppOptions): FastifyInstance {
  const { log, metrics, readiness, stop, listener, dialect, describeError } = options
  const app = Fastify({
    ...listenerOptions(listener),
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    // Uploads take hours: their own minimum rate limits them. Other bodies, and heads, have their own limits.
    requestTimeout: 0,
    forceCloseConnections: 'idle',
    // Late requests during shutdown get our own error below.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, dialect),
    frameworkErrors: (error, request, reply) => {
      sendError(request, reply, dialect, error, metrics, describeError)
    },
    routerOptions: { maxParamLength: 8192 },
    ...overrideMethods(options.readMethod),
    schemaController: { compilersFactory: withoutSchemas },
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

  traceRequests(app, options.traces)
  // Hooks that wait for nothing call back: a promise each would cost a small request more than what they do.
  app.addHook('onRequest', (request, reply, done) => {
    request.cairnStop = stop
    reply.headers({
      [requestIdHeader]: request.id,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      ...(options.publicUrl?.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
    })
    if (request.method === 'GET' || request.method === 'HEAD') reply.header('cache-control', 'no-store')
    done(wrongHost(request.raw))
  })
  registerCors(app, listener.corsOrigins)
  app.addHook('onRequest', (request, reply, done) => {
    // Clients with persistent connections would never move elsewhere.
    if (readiness.isDraining) reply.header('connection', 'close')
    if (readiness.isStopping && !answeredToTheEnd.has(request.routeOptions.config.callId)) {
      done(new CairnError('UNAVAILABLE', { message: 'The service is shutting down', retryAfterSeconds: 5 }))
      return
    }
    const call = request.routeOptions.config.callId ?? 'none'
    const { socket } = request.raw
    const writtenBytes = socket.bytesWritten
    reply.raw.once('close', () => {
      metrics.sentBytes.inc({ call }, socket.bytesWritten - writtenBytes)
      if (!reply.raw.writableFinished) metrics.clientsGone.inc({ call })
    })
    done()
  })
  continueWhenRead(app.server)
  guardListener(app, {
    limits: listener,
    listeners: options.publicListeners ?? 1,
    onRefuse: () => metrics.refusedConnections.inc(),
  })
  app.addHook('onResponse', (request, reply, done) => {
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
        ...(request.cairnSpan === undefined ? {} : { trace: request.cairnSpan.traceId }),
      },
      'request',
    )
    done()
  })
  app.setErrorHandler((error, request, reply) => {
    sendError(request, reply, dialect, error, metrics, describeError)
  })
  app.setNotFoundHandler((request, reply) => {
    sendError(request, reply, dialect, noRoute(app, request, reply), metrics)
  })
  // Fastify rejects the content of a request with this method (RFC 10008) before it finds that no route has it.
  app.addHook('onRequest', (request, reply, done) => {
    done(request.method === 'QUERY' ? noRoute(app, request, reply) : undefined)
  })
  return app
}

/** Returns the error of a request without a route, and names the methods that its path supports. */
function noRoute(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): CairnError {
  const allowed = allowedMethods(app, request)
  // A route without a result, such as that of files, ends here too: its method is not the problem.
  if (allowed.length === 0 || allowed.includes(request.method)) return new CairnError('NOT_FOUND')
  const allow = allowed.join(', ')
  reply.header('allow', allow)
  return new CairnError('METHOD_NOT_ALLOWED', { details: { allow } })
}

/** Handlers read streams themselves; only JSON, and forms where a call accepts them, are parsed. */
function readBodiesOfJsonOnly(app: FastifyInstance, timeoutMs: number): void {
  app.removeAllContentTypeParsers()
  const parseJson = app.getDefaultJsonParser('error', 'error')
  const read = (request: FastifyRequest, payload: IncomingMessage): Promise<string> => {
    const maxBytes = request.routeOptions.bodyLimit ?? maxJsonBodyBytes
    return readBody(payload, { maxBytes, timeoutMs }).then((body) => body.toString())
  }
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const parse = (body: string): void => {
      request.cairnBody = body
      // Published clients also send this type on calls without a body: the schema of the call decides whether one is
      // required.
      if (request.cairnBody === '') done(null, undefined)
      else void parseJson(request, request.cairnBody, done)
    }
    read(request, payload).then(parse, done)
  })
  app.addContentTypeParser('application/x-www-form-urlencoded', (request, payload, done) => {
    if (request.routeOptions.config.acceptsForm !== true) {
      done(null, undefined)
      return
    }
    const parse = (body: string): void => {
      request.cairnBody = JSON.stringify(Object.fromEntries(new URLSearchParams(body)))
      void parseJson(request, request.cairnBody, done)
    }
    read(request, payload).then(parse, done)
  })
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
}

/** Returns the methods that the path of a request supports. */
function allowedMethods(app: FastifyInstance, request: FastifyRequest): string[] {
  const url = request.url.split('?')[0] ?? '/'
  return ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
    (method) => app.findRoute({ method, url }) !== null,
  )
}
