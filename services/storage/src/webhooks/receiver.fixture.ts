import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A delivery as its receiver sees it. */
export type Received = { headers: IncomingHttpHeaders; body: string; path: string }

/** An HTTP server that receives deliveries. */
export type Receiver = AsyncDisposable & {
  readonly url: string
  readonly received: readonly Received[]
  /** Resolves once this many deliveries have arrived. */
  until(count: number): Promise<readonly Received[]>
}

/** Starts a receiver on a free port. */
export async function startReceiver(respond: (response: ServerResponse, count: number) => void): Promise<Receiver> {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const server = createServer(async (request, response) => {
    // Deliveries that are cut off arrive as an error of the request.
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    received.push({
      headers: request.headers,
      body: Buffer.concat(parts).toString(),
      path: request.url ?? '',
    })
    respond(response, received.length)
    for (const notify of waiting) notify()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    until: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (received.length < count) return
          waiting.delete(check)
          resolve(received)
        }
        waiting.add(check)
        check()
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Answers with a status and no body. */
export const answer =
  (status: number) =>
  (response: ServerResponse): void => {
    response.writeHead(status).end()
  }
