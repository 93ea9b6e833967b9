import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import { createGateway } from './gateway.ts'
import { serveAnswers } from './serve-answers.fixture.ts'

const cid = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')
const { signal } = new AbortController()
const raw = { 'content-type': 'application/vnd.ipld.raw' }

async function serve(answer: Parameters<typeof serveAnswers>[0]) {
  const server = await serveAnswers(answer)
  return { ...server, gateway: createGateway(`${server.url}/sub/ipfs/`) }
}

test('waits as a busy gateway asks, below the path of the gateway', async () => {
  await using server = await serve((response, path, count) => {
    expect(path).toBe(`/sub/ipfs/${cid}?format=raw`)
    if (count < 3) response.writeHead(count === 1 ? 429 : 503, { 'retry-after': '0' }).end()
    else response.writeHead(200, raw).end('hello')
  })
  expect(Buffer.from(await server.gateway.fetchBlock(cid, signal)).toString()).toBe('hello')
  expect(server.requestCount()).toBe(3)
})

test('does not count the pause that a busy gateway requests as its silence', async () => {
  await using server = await serveAnswers((response, _path, count) => {
    if (count < 3) response.writeHead(429, { 'retry-after': '90' }).end()
    else response.writeHead(200, raw).end('hello')
  })
  const running = new Set<() => void>()
  const pauses: number[] = []
  const gateway = createGateway(server.url, {
    startTimer(_ms, act) {
      running.add(act)
      return () => running.delete(act)
    },
    // Each timer that runs is due before the pause ends.
    async pause(ms) {
      pauses.push(ms)
      for (const act of running) act()
    },
  })
  expect(Buffer.from(await gateway.fetchBlock(cid, signal)).toString()).toBe('hello')
  expect(pauses).toEqual([60_000, 60_000])
  expect(running.size).toBe(0)
})

test.each([
  ['a gateway without the content', 404, raw, 'BLOCK_NOT_FOUND'],
  ['a gateway that refuses the format', 406, raw, 'NOT_ACCEPTABLE'],
  ['a gateway that ignores the format', 200, { 'content-type': 'text/html' }, 'NOT_ACCEPTABLE'],
  ['a gateway that refuses the caller', 403, raw, 'UPSTREAM_FAILED'],
] as const)('reports %s', async (_name, status, headers, code) => {
  await using server = await serve((response) => response.writeHead(status, headers).end('x'))
  await expect(server.gateway.fetchBlock(cid, signal)).rejects.toMatchObject({ code })
  expect(server.requestCount()).toBe(1)
})

test('a block beyond the limit, a closed connection and a port without a server are failures of the gateway', async () => {
  await using server = await serve((response, _path, count) => {
    response.writeHead(200, raw)
    if (count === 1) response.end(new Uint8Array(2 * 1024 * 1024 + 1))
    else response.write('half', () => response.destroy())
  })
  for (let i = 0; i < 2; i++)
    await expect(server.gateway.fetchBlock(cid, signal)).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
  const closed = createGateway('http://127.0.0.1:1')
  await expect(closed.fetchBlock(cid, signal)).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
  await expect(server.gateway.fetchBlock(cid, AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' })
})

test('rejects an invalid address', () => {
  expect(createGateway('ipfs.io').host).toBe('ipfs.io')
  expect(() => createGateway('ftp://ipfs.io')).toThrow(expect.objectContaining({ code: 'USAGE' }))
})
