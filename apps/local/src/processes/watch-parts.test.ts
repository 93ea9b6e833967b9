import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { watchParts } from './watch-parts.ts'
import { httpPart, type WatchedPart } from './watched-part.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function serve(listener: RequestListener, port = 0): Promise<{ server: Server; url: string; port: number }> {
  const server = createServer(listener).listen(port, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const own = (server.address() as AddressInfo).port
  return { server, url: `http://127.0.0.1:${own}`, port: own }
}

/** Watches with short intervals; `lines` is its output. */
function watch(parts: readonly WatchedPart[]): AsyncDisposable & { lines: string[] } {
  const lines: string[] = []
  const watching = watchParts(parts, { everyMs: 20, limitMs: 200, retryMs: 20, print: (line) => lines.push(line) })
  return { lines, [Symbol.asyncDispose]: () => watching[Symbol.asyncDispose]() }
}

const part = (url: string): WatchedPart => httpPart('Key node 3', url, '/readyz', 'Files wait.')
const advice = 'Files wait. If this lasts, restart the network: press Ctrl-C, then run npm start.'

test('reports a part once when it stops answering, and once when it answers again', async () => {
  let isHanging = true
  let probes = 0
  const { url } = await serve((_request, response) => {
    probes++
    if (!isHanging) response.end()
  })
  await using watching = watch([part(url)])
  await expect.poll(() => watching.lines).toHaveLength(1)
  expect(watching.lines[0]).toBe(`Key node 3 does not respond at ${url} (no response within 0.2 s). ${advice}`)
  // Probing continues, without repeated lines.
  const before = probes
  await expect.poll(() => probes).toBeGreaterThan(before + 2)
  expect(watching.lines).toHaveLength(1)
  isHanging = false
  await expect.poll(() => watching.lines).toHaveLength(2)
  expect(watching.lines[1]).toMatch(/^Key node 3 is available again after \d+ s\.$/)
})

test('reports an ended or unready service with the reason', async () => {
  const gone = await serve((_request, response) => response.end())
  const broken = await serve((_request, response) => response.writeHead(503).end())
  gone.server.close()
  await using watching = watch([part(gone.url), part(broken.url)])
  await expect.poll(() => watching.lines).toHaveLength(2)
  expect(watching.lines).toContain(
    `Key node 3 does not respond at ${gone.url} (connection refused, its process has exited). ${advice}`,
  )
  expect(watching.lines).toContain(`Key node 3 does not respond at ${broken.url} (status 503). ${advice}`)
})

test('a single failed call is not reported', async () => {
  let probes = 0
  const { url } = await serve((_request, response) => {
    probes++
    response.writeHead(probes % 2 === 0 ? 200 : 503).end()
  })
  await using watching = watch([part(url)])
  await expect.poll(() => probes).toBeGreaterThan(6)
  expect(watching.lines).toEqual([])
})

test('disposal is immediate, even if a service does not answer', async () => {
  let probes = 0
  const { url } = await serve(() => probes++)
  const watching = watchParts([part(url)], { limitMs: 3_600_000, print: () => undefined })
  await expect.poll(() => probes).toBe(1)
  await watching[Symbol.asyncDispose]()
})
