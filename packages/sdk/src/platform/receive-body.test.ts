import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createClient } from '../client.ts'
import { openBody } from '../request.ts'
import { sendStreamed } from './send-body.ts'

/** A server with the responses of a test, and a client for it. */
async function serve(answer: RequestListener) {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createClient({ network: { name: 't', api: url, upload: url, gateway: url }, apiKey: 'key' })
  return {
    server,
    client,
    send: { url: `${url}/file`, method: 'GET' as const, dialect: 'gateway' as const, timeoutMs: 60_000 },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('a body arrives completely, and each of its chunks is freed on the request for the next', async () => {
  const sent = randomBytes(5_000_001)
  await using served = await serve((request, response) => {
    if (request.url === '/slow')
      for (let at = 0; at < sent.length; at += 300_000) response.write(sent.subarray(at, at + 300_000))
    response.end(request.url === '/slow' ? '' : sent)
  })
  for (const path of ['/file', '/slow', '/file']) {
    const hash = createHash('sha256')
    const seen: Uint8Array[] = []
    for await (const piece of await openBody(served.client, {
      ...served.send,
      url: new URL(path, served.send.url).href,
    })) {
      expect(piece.length).toBeGreaterThan(0)
      expect(piece.slice().buffer).not.toBe(piece.buffer)
      hash.update(piece)
      seen.push(piece)
    }
    expect(hash.digest('hex')).toBe(sha256(sent))
    expect(seen.length).toBeGreaterThan(10)
    expect(seen.filter((piece) => piece.length > 0)).toEqual([])
  }
})

test.each([
  ['before its first chunk', 0],
  ['in the middle', 3],
])('a body that is ended %s closes its connection', async (_, count) => {
  let closed: Promise<unknown> | undefined
  await using served = await serve((_request, response) => {
    closed = once(response, 'close')
    const more = () => {
      while (response.write(randomBytes(100_000)));
    }
    response.on('drain', more)
    more()
  })
  const body = await openBody(served.client, served.send)
  for (let read = 0; read < count; read++) expect((await body.next()).done).toBe(false)
  await body.return?.()
  await closed
  expect(await body.next()).toMatchObject({ done: true })
})

test('a connection that breaks in the middle fails the body after the bytes that came', async () => {
  await using served = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('half', () => response.destroy())
  })
  const body = await openBody(served.client, served.send)
  expect(Buffer.from((await body.next()).value ?? []).toString()).toBe('half')
  await expect(body.next()).rejects.toThrow(/aborted|closed/)
})

test('an abort and a time-out end a stalled body with their own errors', async () => {
  await using served = await serve((_request, response) => {
    response.writeHead(200).write('half')
  })
  const stop = new AbortController()
  const body = await openBody(served.client, { ...served.send, signal: stop.signal })
  await body.next()
  const reading = body.next()
  stop.abort(new Error('enough'))
  await expect(reading).rejects.toThrow('enough')
  const late = await openBody(served.client, { ...served.send, timeoutMs: 1_000 })
  await late.next()
  await expect(late.next()).rejects.toMatchObject({ name: 'TimeoutError' })
})

test('replaces a connection that the server closes while it is idle', async () => {
  let requests = 0
  await using served = await serve((request, response) => {
    // Without a response, as if both sides had acted at once; the client knows only that the connection was used before.
    if (++requests === 2) request.socket.resetAndDestroy()
    else response.end('answer')
  })
  for (const count of [1, 3]) {
    const pieces: Uint8Array[] = []
    for await (const piece of await openBody(served.client, served.send)) pieces.push(piece.slice())
    expect(Buffer.concat(pieces).toString()).toBe('answer')
    expect(requests).toBe(count)
  }
})

test('does not retry on a new connection that breaks', async () => {
  let requests = 0
  await using served = await serve((request) => {
    requests++
    request.socket.resetAndDestroy()
  })
  await expect(openBody(served.client, served.send)).rejects.toMatchObject({ code: 'NETWORK_ERROR' })
  expect(requests).toBe(1)
})

test('reads an error, and does not follow a redirect', async () => {
  let elsewhere = 0
  await using served = await serve((request, response) => {
    if (request.url === '/elsewhere') elsewhere++
    if (request.url === '/moved') response.writeHead(302, { location: '/elsewhere' }).end()
    else response.writeHead(404, { 'x-request-id': 'r1' }).end('not here')
  })
  const moved = { ...served.send, url: new URL('/moved', served.send.url).href }
  await expect(openBody(served.client, moved)).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE', status: 302 })
  expect(elsewhere).toBe(0)
  await expect(openBody(served.client, served.send)).rejects.toMatchObject({ code: 'NOT_FOUND', requestId: 'r1' })
})

test('uses the custom fetch of a client', async () => {
  const sent = randomBytes(200_000)
  await using served = await serve((request, response) => response.end(request.headers['x-own'] === 'yes' ? sent : ''))
  const fetchOwn: typeof fetch = (input, init) => fetch(input, { ...init, headers: { 'x-own': 'yes' } })
  const pieces: Uint8Array[] = []
  for await (const piece of await openBody({ ...served.client, fetch: fetchOwn }, served.send)) pieces.push(piece)
  expect(Buffer.concat(pieces)).toEqual(sent)
})

test('a server that switches protocols fails the request', async () => {
  await using served = await serve((request) => {
    request.socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
  })
  await expect(openBody(served.client, served.send)).rejects.toMatchObject({ code: 'NETWORK_ERROR' })
  const { signal } = new AbortController()
  const sending = sendStreamed({ url: served.send.url, headers: {}, contentLength: 1, body: new Blob(['x']), signal })
  await expect(sending).rejects.toThrow('the server sent no response')
})
