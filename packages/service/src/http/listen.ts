import type { AddressInfo } from 'node:net'
import { setTimeout as waitMs } from 'node:timers/promises'
import { CairnError } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { ListenerConfig } from '../listener-settings.ts'
import type { Readiness } from '../readiness.ts'

/** What the error codes of a refused address mean, and what to do. */
const listenFailures: Readonly<Record<string, { reason: string; remedy: string }>> = {
  EADDRINUSE: { reason: 'is in use', remedy: 'Stop the process that uses it, or choose another port' },
  EACCES: { reason: 'needs rights that this process does not have', remedy: 'Choose a port above 1023' },
  EADDRNOTAVAIL: { reason: 'is not an address of this machine', remedy: 'Choose an address of this machine' },
}

/**
 * Opens a listener; port 0 takes any free one. Answers its URL.
 * @param setting name of the setting to change, for the message
 * @throws CairnError INVALID_CONFIGURATION for an address that cannot be listened on
 */
export async function listen(app: FastifyInstance, host: string, port: number, setting?: string): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (cause) {
    const failure = cause instanceof Error && 'code' in cause ? listenFailures[String(cause.code)] : undefined
    if (failure === undefined) throw cause
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `Port ${port} on ${host} ${failure.reason}`,
      hint: `${failure.remedy}${setting === undefined ? '' : ` with ${setting}`}.`,
      details: { host, port },
      cause,
    })
  }
  const address = app.server.address() as AddressInfo
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}

const idleCheckMs = 50

/** How listeners end. */
export type EndOptions = {
  readiness: Pick<Readiness, 'drain' | 'stop'>
  /** Fired when running requests are cut. */
  stop: AbortController
  limits: Pick<ListenerConfig, 'drainMs' | 'stopTimeoutMs'>
  /** Waits while the service drains; tests give their own. */
  wait?: (ms: number) => Promise<unknown>
}

/** Readiness says no while all goes on; then no new work, and the end of running work, cut at the limit. */
export async function endApps(
  apps: readonly FastifyInstance[],
  { readiness, stop, limits: { drainMs, stopTimeoutMs }, wait = waitMs }: EndOptions,
): Promise<void> {
  readiness.drain()
  if (drainMs > 0) await wait(drainMs)
  readiness.stop()
  const closed = Promise.all(apps.map((app) => app.close()))
  // Connections that were busy when all idle ones were closed stay open after their answer: they are closed as well.
  const idle = setInterval(() => {
    for (const app of apps) app.server.closeIdleConnections()
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
