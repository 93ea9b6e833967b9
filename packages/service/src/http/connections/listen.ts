import { type AddressInfo, isIPv6 } from 'node:net'
import { setTimeout as waitMs } from 'node:timers/promises'
import { CairnError } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { ListenerConfig } from '../../listener-settings.ts'
import type { Readiness } from '../../readiness.ts'
import { closeUnused, watchConnections } from './unused-connections.ts'

const otherHost = {
  reason: 'is not available: the host is not an address of this machine',
  remedy: 'Choose an address of this machine',
  setting: 'host',
} as const

/** Reason and remedy for the error codes of a rejected address, and the setting to change. */
const listenFailures: Readonly<Record<string, { reason: string; remedy: string; setting: keyof ListenSettings }>> = {
  EADDRINUSE: {
    reason: 'is in use',
    remedy: 'Stop the process that uses the port, or choose another port',
    setting: 'port',
  },
  EACCES: {
    reason: 'requires privileges that this process does not have',
    remedy: 'Choose a port above 1023',
    setting: 'port',
  },
  EADDRNOTAVAIL: otherHost,
  ENOTFOUND: otherHost,
}

/** Names of the settings of a listener, for messages. */
export type ListenSettings = { host: string; port: string }

/**
 * Opens a listener and returns its URL; port 0 selects a free one.
 * @throws CairnError INVALID_CONFIGURATION for an unusable address
 */
export async function listen(
  app: FastifyInstance,
  host: string,
  port: number,
  settings?: ListenSettings,
): Promise<string> {
  watchConnections(app.server)
  try {
    await app.listen({ host, port })
  } catch (cause) {
    const failure = cause instanceof Error && 'code' in cause ? listenFailures[String(cause.code)] : undefined
    if (failure === undefined) throw cause
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `Port ${port} on ${host} ${failure.reason}`,
      hint: `${failure.remedy}${settings === undefined ? '' : ` with ${settings[failure.setting]}`}.`,
      details: { host, port },
      cause,
    })
  }
  const address = app.server.address() as AddressInfo
  return listenerUrl(address.address, address.port)
}

/** Returns the URL of a listener on a host name or address; those of IPv6 are in brackets. */
export function listenerUrl(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
}

const idleCheckMs = 50

/** Parameters of a shutdown. */
export type EndOptions = {
  readiness: Pick<Readiness, 'drain' | 'stop'>
  /** Aborted when running requests are to be stopped. */
  stop: AbortController
  limits: Pick<ListenerConfig, 'drainMs' | 'stopTimeoutMs'>
  /** Waits while the service drains; tests pass their own. */
  wait?: (ms: number) => Promise<unknown>
}

/**
 * Shuts down: readiness reports draining while requests continue; then no new requests, and running ones end within the
 * limit.
 */
export async function endApps(
  apps: readonly FastifyInstance[],
  { readiness, stop, limits: { drainMs, stopTimeoutMs }, wait = waitMs }: EndOptions,
): Promise<void> {
  readiness.drain()
  if (drainMs > 0) await wait(drainMs)
  readiness.stop()
  const closed = Promise.all(apps.map((app) => app.close()))
  // Busy connections stay open after their response although idle ones were closed, so they are closed as well.
  const idle = setInterval(() => {
    for (const { server } of apps) {
      server.closeIdleConnections()
      closeUnused(server)
    }
  }, idleCheckMs)
  const timer = setTimeout(() => {
    stop.abort()
    for (const app of apps) app.server.closeAllConnections()
  }, stopTimeoutMs)
  try {
    await closed
  } finally {
    clearTimeout(timer)
    clearInterval(idle)
  }
}
