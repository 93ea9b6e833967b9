import type { Readable } from 'node:stream'
import {
  CairnError,
  type CallArguments,
  type CallDefinition,
  type CallResult,
  type DialectName,
  jsonBodyBytesMost,
} from '@cairn/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientGone } from './client-gone.ts'
import { type DescribeError, sendError } from './errors.ts'
import type { Metrics } from './metrics.ts'
import { nameAsker } from './name-asker.ts'
import { parseInput } from './parse-input.ts'
import type { RateLimiter } from './rate-limits.ts'

/** Who a call was found to come from. */
export type Authorized<Caller> = {
  caller: Caller
  /** Names the caller in rates and logs: no secret, and the same for all requests that share one rate. */
  id: string
}

/** Finds out who calls. @throws CairnError a code of the call's */
export type Authorize<Caller> = (request: FastifyRequest, call: CallDefinition) => Promise<Authorized<Caller>>

/** What routes are made with. */
export type RouteParts<Caller> = {
  readonly metrics: Metrics
  readonly rates: RateLimiter
  /** For calls that need somebody, before the body is read. */
  readonly authorize?: Authorize<Caller>
  /** For calls that need somebody, where the body is part of what was signed: its text is in `request.cairnBody`. */
  readonly authorizeBody?: Authorize<Caller>
  readonly describeError?: DescribeError
  /** The dialect of a request's errors, if it differs from the call's: Kubo's clients read Kubo's. */
  readonly chooseDialect?: (request: FastifyRequest, call: CallDefinition) => DialectName | undefined
}

/** What a handler gets. */
export type RouteRequest<C extends CallDefinition, Caller> = {
  /** Params, query, headers and JSON body, parsed by the call's schemas. */
  input: CallArguments<C>
  /** Who calls; undefined if the call needs nobody and no key was sent. */
  caller: C['auth'] extends 'none' ? undefined : C['auth'] extends 'optionalApiKey' ? Caller | undefined : Caller
  /** The request of the frame; the body of streamed calls is unread in `raw.raw`. */
  raw: FastifyRequest
  reply: FastifyReply
  /** Fires when the client goes away, the call's time is over, or the service is made to end. */
  signal: AbortSignal
  /** Names the request in logs and answers. */
  id: string
}

/** Answers a call: its result, or an answer that it sends by itself. */
export type Handler<C extends CallDefinition, Caller> = (
  request: RouteRequest<C, Caller>,
) => Promise<CallResult<C> | FastifyReply | Readable>

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can add to another module's.
  interface FastifyRequest {
    cairnCaller?: Authorized<unknown>
    /** The body as it came, where it is JSON. */
    cairnBody?: string
    /** Fires when the service is made to end. */
    cairnStop?: AbortSignal
  }
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can add to another module's.
  interface FastifyContextConfig {
    /** Which call a route serves: tests compare the routes with the list of calls. */
    callId?: string
    /** Whether browsers may send credentials to it from other origins. */
    allowsCredentials?: boolean
  }
}

/** Rate of calls that state none: far above any honest use of one client. */
const defaultPerMinute = 6000
/** Calls that have to prove who makes them, rightly or not, from one address: checking a proof costs time. */
const checksPerMinute = 60_000

/**
 * The only way a call becomes a route: checks rate and caller, parses the input by the schemas, sets limits, and maps every
 * error to its status and dialect.
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
  const authorize = async (request: FastifyRequest, find: Authorize<Caller>): Promise<void> => {
    const found = await find(request, definition)
    parts.rates.take(`${definition.id} ${found.id}`, perMinute)
    request.cairnCaller = found
  }
  app.route({
    method: definition.method,
    url: definition.path.replace(/\{\w+\*\}$/, '*').replace(/\{(\w+)\}/g, ':$1'),
    config: { callId: definition.id, allowsCredentials: definition.allowsCredentials ?? false },
    exposeHeadRoute: definition.method === 'GET',
    bodyLimit: limits.bodyBytes ?? jsonBodyBytesMost,
    onRequest: async (request) => {
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
      if (isAnonymous(request)) {
        parts.rates.take(`${definition.id} ${nameAsker(request.ip)}`, perMinute)
        return
      }
      // Guesses are counted by address, calls of somebody by who it is.
      parts.rates.take(`auth ${nameAsker(request.ip)}`, checksPerMinute)
      if (parts.authorize !== undefined) await authorize(request, parts.authorize)
    },
    preHandler: async (request) => {
      if (!isAnonymous(request) && parts.authorizeBody !== undefined) await authorize(request, parts.authorizeBody)
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
        // A reply is waited for to its end, which a client that goes away makes an early one.
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
    },
  })
}
/** One signal for all reasons to stop. It listens until the answer is out: streams go on after the handler. */
function watch(
  request: FastifyRequest,
  reply: FastifyReply,
  timeoutMs: number | undefined,
): { signal: AbortSignal; done: () => void } {
  const stop = new AbortController()
  const left = () => {
    if (!reply.raw.writableFinished) stop.abort(clientGone())
  }
  const forced = () => stop.abort(new CairnError('UNAVAILABLE', { message: 'The service is about to end' }))
  reply.raw.once('close', left)
  request.cairnStop?.addEventListener('abort', forced, { once: true })
  reply.raw.once('close', () => request.cairnStop?.removeEventListener('abort', forced))
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => stop.abort(new CairnError('UNAVAILABLE', { message: 'The call took too long' })), timeoutMs)
  timer?.unref()
  return { signal: stop.signal, done: () => clearTimeout(timer) }
}

/** Gives up waiting for work that does not heed the signal itself, such as a query of a database that is gone. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason)
    signal.addEventListener('abort', give, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give))
  })
}
