import { CairnError, keepAliveTimeoutMs } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { ListenerConfig } from '../listener-settings.ts'
import { createAddressSlots } from './address-slots.ts'
import { deriveMaxConnections, deriveMaxPerAddress, readFileLimit } from './file-limit.ts'
import { guardConnections, stalledReaderMs } from './guard-connections.ts'
import { matchAddresses } from './match-addresses.ts'

/** A request's head in bytes; more is answered 431. */
const maxHeadBytes = 32 * 1024
/** How often heads, and bodies that the server itself times, are looked at. */
const maxCheckIntervalMs = 5_000

/** What holds for all that connects to a listener. */
export type ListenerLimits = Pick<
  ListenerConfig,
  'trustedProxies' | 'bodyTimeoutMs' | 'maxConnections' | 'maxConnectionsPerAddress'
>

/** Options of the frame that every public listener has. */
export function listenerOptions({ trustedProxies, bodyTimeoutMs }: ListenerLimits) {
  return {
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : (false as const),
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionTimeout: stalledReaderMs,
    http: {
      headersTimeout: bodyTimeoutMs,
      // Replaced by the frame's own; here it must only be no less than that of the head.
      requestTimeout: bodyTimeoutMs,
      connectionsCheckingInterval: Math.min(maxCheckIntervalMs, bodyTimeoutMs / 4),
      maxHeaderSize: maxHeadBytes,
    },
  }
}

/** How a listener is guarded. */
export type ListenerGuard = {
  limits: ListenerLimits
  /** Public listeners of the process, which share its limit of open files. */
  listeners: number
  /** Told of each connection that is closed at once. */
  onRefuse: () => void
}

/**
 * Guards a listener that was made with {@link listenerOptions}: connections are counted by their address. A trusted proxy
 * holds those of many clients, so its connections count towards all alone, and the requests under way that it passes on
 * by the address it forwards.
 */
export function guardListener(app: FastifyInstance, { limits, listeners, onRefuse }: ListenerGuard): void {
  const max = limits.maxConnections ?? deriveMaxConnections(readFileLimit(), listeners)
  const maxPerAddress = limits.maxConnectionsPerAddress ?? deriveMaxPerAddress(max)
  const isTrusted = matchAddresses(limits.trustedProxies)
  guardConnections(app.server, { max, maxPerAddress, isExempt: isTrusted }, onRefuse)
  if (limits.trustedProxies.length === 0) return

  const forwarded = createAddressSlots({ max: Number.POSITIVE_INFINITY, maxPerAddress, isExempt: isTrusted })
  app.addHook('onRequest', async (request, reply) => {
    if (!isTrusted(request.socket.remoteAddress ?? '')) return
    const release = forwarded.acquire(request.ip)
    if (release === undefined) {
      throw new CairnError('OVERLOADED', {
        message: `${maxPerAddress} requests of this address are under way`,
        hint: 'Wait until some of them have been answered.',
        retryAfterSeconds: 1,
        details: { limit: maxPerAddress },
      })
    }
    reply.raw.once('close', release)
  })
}
