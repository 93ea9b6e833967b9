import { Readable } from 'node:stream'
import {
  CairnError,
  type CallArguments,
  type CallDefinition,
  type CallResult,
  type DialectName,
  maxJsonBodyBytes,
} from '@cairn/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientGone } from './connections/client-gone.ts'
import { whenClosed } from './connections/when-closed.ts'
import { type DescribeError, sendError } from './errors.ts'
import type { Metrics } from './metrics.ts'
import { parseInput } from './parse-input.ts'
import { stateRate, stateRefusal } from './rate-headers.ts'
import { rateLimitKey } from './rate-limit-key.ts'
import type { RateLimiter, SharedRates } from './rate-limits.ts'

/** The authenticated caller of a request. */
export type Authorized<Caller> = {
  caller: Caller
  /** Identifies the caller in rates and logs: not a secret, and equal for all requests that share one rate. */
  id: string
}

/**
 * Authenticates the caller.
 * @throws CairnError a code of the call
 */
export type Authorize<Caller> = (request: FastifyRequest, call: CallDefinition) => Promise<Authorized<Caller>>

/** Dependencies of routes. */
export type RouteParts<Caller> = {
  readonly metrics: Metrics
  readonly rates: RateLimiter
  /** Rates over all replicas, for calls with `isShared`; undefined for a service that runs as one process. */
  readonly sharedRates?: SharedRates | undefined
  /** For calls with authentication, before the body is read. */
  readonly authorize?: Authorize<Caller>
  /** For calls with authentication whose signature covers the body: its text is in `request.cairnBody`. */
  readonly authorizeBody?: Authorize<Caller>
  readonly describeError?: DescribeError
  /** Dialect of the errors of a request, if it differs from that of the call: Kubo's clients read Kubo's. */
  readonly chooseDialect?: (request: FastifyRequest, call: CallDefinition) => DialectName | undefined
}

/** Input of a handler. */
export type RouteRequest<C extends CallDefinition, Caller> = {
  /** Params, query, headers and JSON body, parsed by the schemas of the call. */
  input: CallArguments<C>
  /** The caller; undefined if the call needs no authentication and no key was sent. */
  caller: C['auth'] extends 'none' ? undefined : C['auth'] extends 'optionalApiKey' ? Caller | undefined : Caller
  /** The Fastify request; the body of streamed calls is unread in `raw.raw`. */
  raw: FastifyRequest
  reply: FastifyReply
  /** Aborts when the client disconnects, the call times out, or the service shuts down. */
  signal: AbortSignal
  /** Identifies the request in logs and responses. */
  id: string
}

/** Handles a call: returns its result, or a reply that it sends itself. What it sends after `signal` aborted is ignored. */
export type Handler<C extends CallDefinition, Caller> = (
  request: RouteRequest<C, Caller>,
) => Promise<CallResult<C> | FastifyReply | Readable>

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can extend that of another module.
  interface FastifyRequest {
    cairnCaller?: Authorized<unknown>
    /** The raw body if it is JSON, or the JSON that a form means. */
    cairnBody?: string
    /** Aborts when the service shuts down. */
    cairnStop?: AbortSignal
  }
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can extend that of another module.
  interface FastifyContextConfig {
    /** The call of a route: tests compare the routes with the list of calls. */
    callId?: string
    /** Whether its JSON body can also be sent as a form. */
    acceptsForm?: boolean
    /** Whether browsers may send credentials to it from other origins. */
    allowsCredentials?: boolean
  }
}

/** Rate of calls without a rate of their own: far above any honest use of one client. */
const defaultPerMinute = 6000
/** Authentication attempts per address, successful or not: checking a proof costs time. */
const checksPerMinute = 60_000

/**
 * The only way to register a call as a route: checks rate and caller, parses the input by the schemas, sets limits, and
 * maps every error to its status and dialect.
 */
export function routeCall<C extends CallDefinition, Caller>(
  app: FastifyInstance,
  parts: RouteParts<Caller>,
  call: C,
  handler: Handler<C, Caller>,
): void {
  const definition: CallDefinition = call
  const { limits } = definition
  const { perMinute = defaultPerMinute } = limits
  const isAnonymous = ({ headers }: FastifyRequest): boolean =>
    definition.auth === 'none' || (definition.auth === 'optionalApiKey' && headers.authorization === undefined)
  const consume = async (caller: string, reply: FastifyReply): Promise<void> => {
    const name = `${definition.id} ${caller}`
    try {
      const own = parts.rates.consume(name, perMinute)
      const shared = limits.isShared === true ? await parts.sharedRates?.consume(name, perMinute) : undefined
      const state = shared ?? own
      if (state !== undefined) stateRate(reply, definition.id, state)
    } catch (error) {
      stateRefusal(reply, definition.id, error)
      throw error
    }
  }
  const authorize = async (request: FastifyRequest, reply: FastifyReply, find: Authorize<Caller>): Promise<void> => {
    const found = await find(request, definition)
    await consume(found.id, reply)
    request.cairnCaller = found
  }
  app.route({
    method: definition.method,
    url: definition.path.replace(/\{\w+\*\}$/, '*').replace(/\{(\w+)\}/g, ':$1'),
    config: {
      callId: definition.id,
      acceptsForm: definition.body?.kind === 'json' && definition.body.acceptsForm === true,
      allowsCredentials: definition.allowsCredentials ?? false,
    },
    exposeHeadRoute: definition.method === 'GET',
    bodyLimit: limits.bodyBytes ?? maxJsonBodyBytes,
    onRequest: async (request, reply) => {
      if (
        definition.method !== 'GET' &&
        definition.method !== 'HEAD' &&
        request.headers['sec-fetch-mode'] === 'navigate'
      ) {
        throw new CairnError('INVALID_REQUEST', {
          message: 'A page may not navigate to this call',
          hint: 'Make the call with fetch, or outside the browser.',
        })
      }
      refuseCompressed(request, reply)
      if (isAnonymous(request)) {
        await consume(rateLimitKey(request.ip), reply)
        return
      }
      // Attempts are counted by address, authenticated calls by caller.
      parts.rates.consume(`auth ${rateLimitKey(request.ip)}`, checksPerMinute)
      if (parts.authorize !== undefined) await authorize(request, reply, parts.authorize)
    },
    preHandler: async (request, reply) => {
      if (!isAnonymous(request) && parts.authorizeBody !== undefined)
        await authorize(request, reply, parts.authorizeBody)
    },
    handler: async (request, reply) => {
      const { signal, done } = watch(request, reply, limits.timeoutMs)
      try {
        const input = parseInput(call, request)
        const caller = request.cairnCaller?.caller as RouteRequest<C, Caller>['caller']
        const answer: unknown = await unlessAborted(
          signal,
          handler({ input, caller, raw: request, reply, signal, id: request.id }),
        )
        // A reply is awaited to its end, which comes early if the client disconnects.
        if (answer === reply || reply.sent || reply.raw.destroyed) return reply
        if (definition.status !== undefined) reply.status(definition.status)
        if (definition.response.kind === 'json') {
          return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(answer))
        }
        if (definition.response.kind === 'text') reply.header('content-type', definition.response.mediaType)
        return reply.send(answer)
      } finally {
        done()
      }
    },
    errorHandler: (error, request, reply) => {
      const dialect = parts.chooseDialect?.(request, definition) ?? definition.dialect
      sendError(request, reply, dialect, error, parts.metrics, parts.describeError)
      ignoreLateAnswer(reply)
    },
  })
}

/** Compressions of a body. Some programs also send other values, such as the character set, with bodies that are not encoded. */
const compressions = /^(?:x-)?(?:gzip|deflate|compress|br|zstd)$/i

/**
 * Bodies are not decompressed: their bytes would be stored, or read, as they are.
 * @throws CairnError UNSUPPORTED_MEDIA_TYPE
 */
function refuseCompressed({ headers }: FastifyRequest, reply: FastifyReply): void {
  const encoding = headers['content-encoding']?.split(',').find((one) => compressions.test(one.trim()))
  if (encoding === undefined) return
  reply.header('accept-encoding', 'identity')
  throw new CairnError('UNSUPPORTED_MEDIA_TYPE', {
    message: `The body is compressed (${encoding.trim()})`,
    hint: 'Send it without compression and without the header Content-Encoding.',
  })
}

/** A handler that does not observe its signal may end after the error of the aborted call was sent, and send its answer. */
function ignoreLateAnswer(reply: FastifyReply): void {
  reply.send = (late?: unknown) => {
    if (late instanceof Readable) late.destroy()
    return reply
  }
}

/** One signal for all reasons to stop. It listens until the response is sent: streams continue after the handler. */
function watch(
  request: FastifyRequest,
  reply: FastifyReply,
  timeoutMs: number | undefined,
): { signal: AbortSignal; done: () => void } {
  const stop = new AbortController()
  const left = () => {
    if (!reply.raw.writableFinished) stop.abort(clientGone())
  }
  const forced = () => stop.abort(new CairnError('UNAVAILABLE', { message: 'The service is shutting down' }))
  whenClosed(reply.raw, left)
  request.cairnStop?.addEventListener('abort', forced, { once: true })
  whenClosed(reply.raw, () => request.cairnStop?.removeEventListener('abort', forced))
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(
          () => stop.abort(new CairnError('UNAVAILABLE', { message: 'The call exceeded its time limit' })),
          timeoutMs,
        )
  timer?.unref()
  return { signal: stop.signal, done: () => clearTimeout(timer) }
}

/** Stops waiting for work that ignores the signal, such as a query of an unavailable database. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
