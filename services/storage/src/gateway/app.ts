import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { maxJsonBodyBytes } from '@cairn/protocol'
import {
  answerClientError,
  createAddressSlots,
  createLogGate,
  guardListener,
  type ListenerLimits,
  listenerOptions,
  type Metrics,
  matchAddresses,
  type Traces,
  traceRequests,
  wrongHost,
} from '@cairn/service'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { GatewayLinks } from '../gateway-links/gateway-links.ts'
import { type Denylist, guardSource } from '../moderation/moderation.ts'
import type { NameResolver } from '../names/names.ts'
import type { PackReader, PackStore } from '../packs/packs.ts'
import type { Pictures } from '../pictures/pictures.ts'
import { createAnswerCache, type KeptAnswer } from './caching/answer-cache.ts'
import { atTurnEnd } from './caching/at-turn-end.ts'
import { createNodeCache, withNodes } from './caching/node-cache.ts'
import { watchRepeats } from './caching/repeated-requests.ts'
import { type Handling, handleRequest } from './handle-request.ts'
import { toGatewayError } from './open-path.ts'
import type { HostSettings } from './requests/gateway-host.ts'
import { encodeGatewayError, fromFastify, sendError, wrongMethod } from './send-error.ts'

/** The part of the context that the gateway uses. */
export type GatewayContext = {
  packs: Pick<PackStore, 'openReader' | 'openPrivate'>
  links: GatewayLinks
  denylist: Denylist
  names: NameResolver
  pictures: Pick<Pictures, 'get' | 'requireVersion'>
  log: FastifyBaseLogger
  clock: { now(): number }
  metrics: Pick<Metrics, 'clientsGone' | 'refusedConnections'>
  traces?: Traces | undefined
  /** Called with the bytes that were sent of a root, with their headers. */
  onSent: (rootMultihash: Uint8Array, bytes: number) => void
  /** Called before each piece of an answer that follows the first. */
  onMore: () => void
  /** Number of public listeners of the process, which share what it may open. */
  publicListeners: number
  config: ListenerLimits & {
    /** Hosts under which each CID has an origin of its own, such as `localhost` or `dweb.example`. */
    gatewayHosts: readonly string[]
    /** Public URL of the gateway, if configured. */
    publicGatewayUrl: string | undefined
  }
}

/** Each stream holds about 4 MiB, regardless of how slow its reader is: these limits bound memory to about 1 GiB. */
const streamLimits = { max: 256, maxPerAddress: 64 }
/** Call id for requests to the gateway; their paths belong to the content. */
const callId = 'gateway'

/**
 * Builds the gateway: a listener of its own, so that users' content never shares an origin with the service.
 * All paths belong to the content, so one handler receives them as sent; no router decodes them first.
 * @see https://specs.ipfs.tech/http-gateways/
 */
export function createGatewayApp(context: GatewayContext): FastifyInstance {
  const hosts: HostSettings = {
    subdomainHosts: context.config.gatewayHosts.map((name) => name.toLowerCase()),
    ownHost:
      context.config.publicGatewayUrl === undefined ? undefined : new URL(context.config.publicGatewayUrl).hostname,
    isTrustedProxy: matchAddresses(context.config.trustedProxies),
  }
  const answers = createAnswerCache(context.clock.now)
  const nodes = createNodeCache(context.clock.now)
  const slots = createAddressSlots({
    ...streamLimits,
    isExempt: (address) => hosts.isTrustedProxy(address) || isOwnAddress(address),
  })
  const handling: Handling = { hosts, slots, failures: createLogGate(context), onMore: context.onMore }
  const app = Fastify({
    ...listenerOptions(context.config),
    loggerInstance: context.log,
    logController: new LogController({ disableRequestLogging: true }),
    // Unique across restarts and replicas, as those of the API.
    genReqId: () => randomUUID(),
    rewriteUrl: () => '/',
    // Bodies are ignored here, so the server's own timeout applies.
    requestTimeout: context.config.bodyTimeoutMs,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, encodeGatewayError),
    bodyLimit: maxJsonBodyBytes,
    exposeHeadRoutes: false,
  })
  guardListener(app, {
    limits: context.config,
    listeners: context.publicListeners,
    onRefuse: () => context.metrics.refusedConnections.inc(),
  })
  traceRequests(app, context.traces)
  // Published clients post an empty body with any content type or none; it is not read.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined))
  /** Counts what is sent of an answer. Returns what names its root, once that is known. */
  const count = ({ socket }: IncomingMessage, response: ServerResponse): ((root: Uint8Array | undefined) => void) => {
    const sentBefore = socket.bytesWritten
    let root: Uint8Array | undefined
    response.once('close', () => {
      if (root !== undefined) context.onSent(root, socket.bytesWritten - sentBefore)
      if (!response.writableFinished) context.metrics.clientsGone.inc({ call: callId })
    })
    return (known) => {
      root = known
    }
  }
  const sendLater = atTurnEnd<{ request: IncomingMessage; response: ServerResponse; kept: KeptAnswer }>(
    ({ request, response, kept }) => {
      count(request, response)(kept.root)
      response.writeHead(200, kept.headers).end(kept.body)
    },
  )
  /** Repeats an answer that is kept. Returns whether there is one. */
  const repeat = (request: IncomingMessage, response: ServerResponse, key: string | undefined): boolean => {
    const kept = key === undefined ? undefined : answers.get(key)
    // A request without a valid Host header is for Fastify.
    if (kept === undefined || wrongHost(request) !== undefined) return false
    if (key !== undefined) repeated.note(request, key)
    sendLater({ request, response, kept })
    return true
  }
  app.all('/', async (request, reply) => {
    reply.hijack()
    const key = answers.keyOf(request.raw, request.originalUrl)
    if (repeat(request.raw, reply.raw, key)) return
    const onRoot = count(request.raw, reply.raw)
    try {
      const { denylist, links, names, pictures } = context
      const open = (reader: PackReader) => {
        reply.raw.once('close', () => reader.close(reply.raw.writableFinished))
        return guardSource(reader, denylist)
      }
      const source = withNodes(open(context.packs.openReader()), nodes)
      const openPrivate = (uploadId: string) => open(context.packs.openPrivate(uploadId))
      const gateway = { source, openPrivate, links, denylist, names, pictures }
      const answer = await handleRequest(gateway, handling, { request, reply, onRoot })
      if (key !== undefined && answer !== undefined) answers.keep(key, answer)
    } catch (error) {
      // An unexpected error must not leave the client waiting: nothing else answers a hijacked reply.
      request.log.error({ err: error }, 'gateway request failed')
      sendError(request, reply, toGatewayError(error))
    }
  })
  // A request of a trace, and one to a closing listener, which ends connections, are for Fastify.
  const mayRepeat = (): boolean => context.traces === undefined && app.server.listening
  answerFirst(app.server, (request, response) => {
    return mayRepeat() && repeat(request, response, answers.keyOf(request, request.url ?? ''))
  })
  // Before the next bytes of the same connection are read, so that its answers keep their order.
  const writeLater = atTurnEnd<{ socket: Socket; kept: KeptAnswer }>(({ socket, kept }) => {
    const bytes = answers.encode(kept)
    socket.write(bytes)
    if (kept.root !== undefined) context.onSent(kept.root, bytes.length)
  })
  // After `answerFirst`, so that it sees all requests, also those that Fastify does not.
  const repeated = watchRepeats(app.server, (socket, key) => {
    const kept = mayRepeat() ? answers.get(key) : undefined
    if (kept === undefined) return false
    writeLater({ socket, kept })
    return true
  })
  app.setNotFoundHandler(async (request, reply) => {
    reply.hijack()
    sendError(request, reply, wrongMethod())
  })
  // Fastify rejects the content of a request with this method (RFC 10008) before it finds that no route has it.
  app.addHook('onRequest', async ({ method, raw }) => {
    if (method === 'QUERY') throw wrongMethod()
    const error = wrongHost(raw)
    if (error !== undefined) throw error
  })
  app.setErrorHandler(async (error, request, reply) => {
    reply.hijack()
    sendError(request, reply, fromFastify(error))
  })
  return app
}

/**
 * Offers requests to `answer` before Fastify sees them, because Fastify takes longer than repeating a small answer. Requests that
 * it does not answer continue as before.
 */
function answerFirst(
  server: FastifyInstance['server'],
  answer: (request: IncomingMessage, response: ServerResponse) => boolean,
): void {
  const others = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (answer(request, response)) return
    for (const other of others) other.call(server, request, response)
  })
}

const isOwnAddress = matchAddresses(['127.0.0.0/8', '::1'])
