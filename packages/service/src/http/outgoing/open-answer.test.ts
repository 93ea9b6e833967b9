import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { openAnswer } from './open-answer.ts'

async function serve(answer: RequestListener) {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

const never = new AbortController().signal

test('a response arrives with its status, headers and body, and each piece is freed on the request for the next', async () => {
  const sent = randomBytes(3_000_001)
  await using server = await serve((request, response) => {
    response.writeHead(206, { 'content-type': String(request.headers['x-type']) }).end(sent)
  })
  const { status, header, body } = await openAnswer(server.url, { headers: { 'x-type': 'a/b' }, signal: never })
  expect([status, header('content-type'), header('etag')]).toEqual([206, 'a/b', null])
  const hash = createHash('sha256')
  const seen: Uint8Array[] = []
  for await (const piece of body) {
    hash.update(piece)
    seen.push(piece)
  }
  expect(hash.digest('hex')).toBe(createHash('sha256').update(sent).digest('hex'))
  expect(seen.length).toBeGreaterThan(10)
  expect(seen.filter(({ length }) => length > 0)).toEqual([])
})

test('returns a redirect as a response', async () => {
  await using server = await serve((_request, response) => response.writeHead(302, { location: '/other' }).end())
  const { status, header, body } = await openAnswer(server.url, { headers: {}, signal: never })
  expect([status, header('location')]).toEqual([302, '/other'])
  await body.return?.()
})

test('a body that breaks off fails, and so does a request without an answer', async () => {
  await using server = await serve((request, response) => {
    if (request.url === '/begun') {
      response.writeHead(200, { 'content-length': 1000 }).write('x', () => response.destroy())
    } else if (request.url === '/broken') {
      request.socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno length\r\n')
    } else request.socket.destroy()
  })
  for (const path of ['/begun', '/broken']) {
    const { body } = await openAnswer(new URL(path, server.url), { headers: {}, signal: never })
    await expect(Array.fromAsync(body), path).rejects.toThrow()
  }
  await expect(openAnswer(server.url, { headers: {}, signal: never })).rejects.toThrow()
})

test('the signal ends the request, before and after its response', async () => {
  const reason = new Error('enough')
  await using server = await serve((request, response) => {
    if (request.url === '/begun') response.writeHead(200).write('x')
  })
  for (const path of ['/silent', '/begun']) {
    const stop = new AbortController()
    const open = openAnswer(new URL(path, server.url), { headers: {}, signal: stop.signal })
    if (path === '/silent') {
      stop.abort(reason)
      await expect(open).rejects.toMatchObject({ name: 'AbortError' })
      continue
    }
    const { body } = await open
    expect((await body.next()).done).toBe(false)
    stop.abort(reason)
    await expect(body.next()).rejects.toBe(reason)
  }
})
