import { CairnError, keepAliveTimeoutMs } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { ListenerConfig } from '../../listener-settings.ts'
import { maxHeadBytes } from '../client-errors.ts'
import { matchAddresses } from '../match-addresses.ts'
import { createAddressSlots } from './address-slots.ts'
import { deriveMaxConnections, deriveMaxPerAddress, readFileLimit } from './file-limit.ts'
import { guardConnections, stalledReaderMs } from './guard-connections.ts'
import { whenClosed } from './when-closed.ts'

/** Interval in ms of the timeout checks of the server. */
const maxCheckIntervalMs = 5_000

/** Limits of every connection to a listener. */
export type ListenerLimits = Pick<
  ListenerConfig,
  'trustedProxies' | 'bodyTimeoutMs' | 'maxConnections' | 'maxConnectionsPerAddress'
>

/** Fastify options of every public listener. */
export function listenerOptions({ trustedProxies, bodyTimeoutMs }: ListenerLimits) {
  return {
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : (false as const),
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionTimeout: stalledReaderMs,
    http: {
      headersTimeout: bodyTimeoutMs,
      // Overridden by Fastify; it must be at least that of the head.
      requestTimeout: bodyTimeoutMs,
      connectionsCheckingInterval: Math.min(maxCheckIntervalMs, bodyTimeoutMs / 4),
      maxHeaderSize: maxHeadBytes,
      // A listener answers without it by `wrongHost`, with a body.
      requireHostHeader: false,
    },
  }
}

/** Guard of a listener. */
export type ListenerGuard = {
  limits: ListenerLimits
  /** Number of public listeners of the process, which share its limit of open files. */
  listeners: number
  /** Called for each rejected connection. */
  onRefuse: () => void
}

/**
 * Guards a listener created with {@link listenerOptions}: counts connections per address. A trusted proxy represents
 * many clients, so its connections count towards the total only, and its requests by the address it forwards.
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
        message: `This address already has ${maxPerAddress} requests in progress`,
        hint: 'Wait until some of them complete.',
        retryAfterSeconds: 1,
        details: { limit: maxPerAddress },
      })
    }
    whenClosed(reply.raw, release)
  })
}
