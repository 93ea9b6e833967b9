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
import { authenticate, type Caller } from '../accounts/accounts.ts'
import type { Context } from '../context.ts'
import { readBearer } from './bearer.ts'
import { sendError } from './errors.ts'
import { parseInput } from './parse-input.ts'

/** What a handler gets. */
export type RouteRequest<C extends CallDefinition> = {
  /** Params, query, headers and JSON body, parsed by the call's schemas. */
  input: CallArguments<C>
  /** Who calls, where the call needs a key. */
  caller: C['auth'] extends 'apiKey' ? Caller : undefined
  /** The request of the frame; the body of streamed calls is unread in `raw.raw`. */
  raw: FastifyRequest
  reply: FastifyReply
  /** Fires when the client goes away, the call's time is over, or the service is made to end. */
  signal: AbortSignal
  /** Names the request in logs and answers. */
  id: string
}

type Handler<C extends CallDefinition> = (request: RouteRequest<C>) => Promise<CallResult<C> | FastifyReply | Readable>

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can add to another module's.
  interface FastifyReply {
    /** The dialect of this answer's errors, where it differs from the call's. */
    cairnDialect?: DialectName
  }
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can add to another module's.
  interface FastifyRequest {
    cairnCaller?: Caller
    /** Fires when the service is made to end. */
    cairnStop?: AbortSignal
  }
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can add to another module's.
  interface FastifyContextConfig {
    /** Which call a route serves: tests compare the routes with the list of calls. */
    callId?: string
  }
}

/** Rate of calls that state none: far above any honest use of one client. */
const defaultPerMinute = 6000
/** Calls with a key, good or not, from one address: checking a key costs a look-up. */
const keyChecksPerMinute = 60_000

/** Lets errors of this answer speak another dialect: Kubo's clients read Kubo's. */
export function setDialect(reply: FastifyReply, dialect: DialectName): void {
  reply.cairnDialect = dialect
}

/**
 * The only way a call becomes a route: checks rate, key and scope before the body, parses the input by the schemas, sets
 * limits, and maps every error to its status and dialect.
 */
export function route<C extends CallDefinition>(
  app: FastifyInstance,
  context: Context,
  call: C,
  handler: Handler<C>,
): void {
  const definition: CallDefinition = call
  const { limits } = definition
  const { perMinute = defaultPerMinute } = limits
  app.route({
    method: definition.method,
    url: definition.path.replace(/\{\w+\*\}$/, '*').replace(/\{(\w+)\}/g, ':$1'),
    config: { callId: definition.id },
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
      if (definition.auth === 'none') {
        context.rates.take(`${definition.id} ${request.ip}`, perMinute)
        return
      }
      // Guesses of keys are counted by address, calls with a key by the key.
      context.rates.take(`auth ${request.ip}`, keyChecksPerMinute)
      const caller = await authenticate(context, readBearer(request.headers.authorization))
      if (definition.scope !== undefined && !caller.scopes.includes(definition.scope)) {
        throw new CairnError('FORBIDDEN', { details: { scope: definition.scope } })
      }
      context.rates.take(`${definition.id} ${caller.keyId}`, perMinute)
      request.cairnCaller = caller
    },
    handler: async (request, reply) => {
      const { signal, done } = watch(request, reply, limits.timeoutMs)
      try {
        const input = parseInput(call, request)
        const caller = request.cairnCaller as RouteRequest<C>['caller']
        const answer: unknown = await unlessAborted(
          signal,
          handler({ input, caller, raw: request, reply, signal, id: request.id }),
        )
        if (answer === reply || reply.sent) return reply
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
      sendError(request, reply, reply.cairnDialect ?? definition.dialect, error, context.metrics)
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
    if (!reply.raw.writableFinished) stop.abort(new CairnError('ABORTED', { message: 'The client went away' }))
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
