import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Opens a listener; port 0 takes any free one. Answers its URL. */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  await app.listen({ host, port })
  const address = app.server.address() as AddressInfo
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}

const idleCheckMs = 50

/** No new work, then the end of running work, cut at the limit. */
export async function endApps(
  apps: readonly FastifyInstance[],
  stop: AbortController,
  limitMs: number,
  drain: () => void,
): Promise<void> {
  drain()
  const closed = Promise.all(apps.map((app) => app.close()))
  // Connections that were busy when all idle ones were closed stay open after their answer: they are closed as well.
  const idle = setInterval(() => {
    for (const app of apps) app.server.closeIdleConnections()
  }, idleCheckMs)
  const timer = setTimeout(() => {
    stop.abort()
    for (const app of apps) app.server.closeAllConnections()
  }, limitMs)
  try {
    await closed
  } finally {
    clearTimeout(timer)
    clearInterval(idle)
  }
}
