import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { describeFailure } from '../../describe-failure.ts'
import { AnswerTooLargeError } from './answer-too-large.ts'
import { type ServerRequest, sendRequest } from './send-request.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function serve(answer: RequestListener, host = '127.0.0.1', port = 0) {
  const server = createServer({ keepAliveTimeout: 60_000 }, answer)
  servers.push(server)
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  return {
    server,
    port: address.port,
    url: new URL(`http://${host.includes(':') ? `[${host}]` : host}:${address.port}`),
  }
}

function send(url: URL, request: Partial<ServerRequest> = {}) {
  return sendRequest(url, { method: 'GET', signal: AbortSignal.timeout(20_000), maxAnswerBytes: 1000, ...request })
}

/** Resolves when a connection is closed, also by a reset. */
const closeOf = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve))
const textOf = (body: Uint8Array) => new TextDecoder().decode(body)
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

test.each(['POST', 'DELETE', 'GET'])(
  '%s sends a body with its length, and returns the whole answer',
  async (method) => {
    const { url } = await serve(async (request, response) => {
      const { 'content-length': length, 'x-of-caller': own, 'transfer-encoding': transfer } = request.headers
      const body = await Array.fromAsync(request)
      response.writeHead(418, { 'x-code': 'A', 'set-cookie': ['a', 'b'] })
      response.write(`${request.method} ${request.url} `)
      response.end(`${length} ${transfer} ${own} ${Buffer.concat(body)}`)
    })
    const answer = await send(new URL('/a%2Fb?c=d', url), { method, body: 'é', headers: { 'x-of-caller': 'mine' } })
    expect(textOf(answer.body)).toBe(`${method} /a%2Fb?c=d 2 undefined mine é`)
    const named = ['x-code', 'set-cookie', 'x-none'].map((name) => answer.header(name))
    expect([answer.status, ...named]).toEqual([418, 'A', 'a, b', null])
  },
)

test('reuses a connection, and opens another after the server restarted', async () => {
  const ports: (number | undefined)[] = []
  const answer: RequestListener = (request, response) => {
    ports.push(request.socket.remotePort)
    response.end('x')
  }
  const { server, url, port } = await serve(answer)
  const other = await serve((_request, response) => void response.end('y'))
  for (let count = 0; count < 3; count++) await send(url)
  expect(new Set(ports).size).toBe(1)
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
  await serve(answer, '127.0.0.1', port)
  // The client has seen its connection end when another server responds.
  await send(other.url)
  expect(textOf((await send(url, { method: 'POST', body: 'x' })).body)).toBe('x')
  expect(new Set(ports).size).toBe(2)
})

test('reaches an IPv6 address', async () => {
  const { url } = await serve((_request, response) => void response.end('six'), '::1')
  expect(textOf((await send(url)).body)).toBe('six')
})

test('decompresses a response, and limits the decompressed size', async () => {
  const { url } = await serve((request, response) => {
    const packed = gzipSync('x'.repeat(request.url === '/long' ? 1001 : 1000))
    const sent = request.url === '/cut' ? packed.subarray(0, -9) : packed
    response.writeHead(200, { 'content-encoding': request.url === '/other' ? 'br' : 'gzip' }).end(sent)
  })
  expect((await send(url)).body.length).toBe(1000)
  expect(await failureOf(send(new URL('/long', url)))).toBeInstanceOf(AnswerTooLargeError)
  expect(await failureOf(send(new URL('/cut', url)))).toMatchObject({ cause: { code: 'Z_BUF_ERROR' } })
  expect(await failureOf(send(new URL('/other', url)))).toMatchObject({ message: 'the request failed' })
})

test('closes the connection of a response that is too large', async () => {
  let closed: Promise<unknown> | undefined
  const { url } = await serve((request, response) => {
    closed = closeOf(request.socket)
    response.write('x'.repeat(1001))
  })
  expect(await failureOf(send(url))).toBeInstanceOf(AnswerTooLargeError)
  await closed
})

test.each<[string, RequestListener]>([
  ['a cut connection', (request) => void request.socket.destroy()],
  [
    'a cut body',
    (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('x', () => request.socket.destroy())
    },
  ],
  ['a cut body in chunks', (request, response) => void response.write('x', () => request.socket.destroy())],
  ['no HTTP', (request) => void request.socket.end('hello\r\n\r\n')],
  [
    'another protocol',
    (request) => {
      request.socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
    },
  ],
  ['a redirect', (_request, response) => void response.writeHead(307, { location: '/elsewhere' }).end('x')],
])('%s is a failure that names no host', async (_what, answer) => {
  const { url } = await serve(answer)
  const failure = await failureOf(send(url))
  expect(failure).toMatchObject({ message: 'the request failed', cause: expect.any(Error) })
  expect(describeFailure(failure) ?? '').not.toContain('127.0.0.1')
})

test('a closed port is a failure with the code of the system', async () => {
  const { server, url } = await serve(() => undefined)
  server.close()
  await once(server, 'close')
  expect(describeFailure(await failureOf(send(url)))).toBe('Error (ECONNREFUSED)')
})

test.each<[string, RequestListener]>([
  ['no answer', () => undefined],
  ['an answer without end', (_request, response) => void response.write('x')],
  [
    'a compressed answer without end',
    (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync('x').subarray(0, 12))
    },
  ],
])('%s ends with the reason of the signal, and closes the connection', async (_what, answer) => {
  const arrived = Promise.withResolvers<{ closed: Promise<unknown> }>()
  const { url } = await serve((request, response) => {
    answer(request, response)
    arrived.resolve({ closed: closeOf(request.socket) })
  })
  const stop = new AbortController()
  const failure = failureOf(send(url, { signal: stop.signal }))
  const { closed } = await arrived.promise
  stop.abort(new Error('enough'))
  expect(await failure).toBe(stop.signal.reason)
  await closed
  expect(await failureOf(send(url, { signal: stop.signal }))).toBe(stop.signal.reason)
  const late = await failureOf(send(url, { signal: AbortSignal.timeout(50) }))
  expect(describeFailure(late)).toContain('timed out')
})
