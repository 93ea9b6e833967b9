import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** A minimal load balancer: it checks whether the replicas are ready, and sends each request to the next ready one. */
export type Balancer = AsyncDisposable & { readonly url: string }

const checkMs = 500
const checkTimeoutMs = 3_000

/**
 * Starts a balancer on a free port.
 * @param targets addresses to send requests to
 * @param checks the URL of each that answers with success while it is ready
 */
export async function startBalancer(targets: readonly string[], checks: readonly string[]): Promise<Balancer> {
  const ready = new Set<number>()
  const stop = new AbortController()
  const watch = async (at: number): Promise<void> => {
    while (!stop.signal.aborted) {
      const isReady = await fetch(checks[at] ?? '', { signal: AbortSignal.timeout(checkTimeoutMs) }).then(
        async (answer) => {
          await answer.arrayBuffer()
          return answer.ok
        },
        () => false,
      )
      if (isReady) ready.add(at)
      else ready.delete(at)
      await wait(checkMs, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  }
  const watches = targets.map((_, at) => watch(at))

  let last = 0
  const forward = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    for (let tries = 0; tries < targets.length; tries++) {
      const at = next()
      if (at === undefined) break
      const upstream = request(new URL(message.url ?? '/', targets[at]), {
        method: message.method ?? 'GET',
        headers: message.headers,
        agent: false,
      })
      let isSent = false
      upstream.on('error', () => {
        if (!isSent) return
        if (response.headersSent) response.destroy()
        else response.writeHead(502).end()
      })
      response.once('close', () => upstream.destroy())
      try {
        const [socket] = await once(upstream, 'socket')
        await once(socket, 'connect')
      } catch {
        // Nothing was sent, so another replica can take the request.
        ready.delete(at)
        continue
      }
      upstream.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.on('error', () => response.destroy())
        answer.pipe(response)
      })
      isSent = true
      message.pipe(upstream)
      return
    }
    response.writeHead(503).end()
  }
  const next = (): number | undefined => {
    for (let step = 1; step <= targets.length; step++) {
      const at = (last + step) % targets.length
      if (!ready.has(at)) continue
      last = at
      return at
    }
    return undefined
  }

  const server = createServer((message, response) => {
    message.on('error', () => undefined)
    forward(message, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      stop.abort()
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      await Promise.all(watches)
    },
  }
}
