import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startProviderProcess } from './provider-process.fixture.ts'
import { answerRightly, bytesOf, cidOf, startTestSource, type TestSource } from './test-provider.fixture.ts'

let home = ''
let source: TestSource
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'cairn-provider-'))
  source = await startTestSource()
})
afterEach(async () => {
  await source[Symbol.asyncDispose]()
  await rm(home, { recursive: true, force: true })
})

async function put(length: number, seed: number) {
  const payload = bytesOf(length, seed)
  const cid = await cidOf(payload)
  return { cid, payload, url: source.put(`/${cid}`, payload) }
}

async function readPayload(url: string, cid: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(`${url}/pieces/${cid}/payload`)).arrayBuffer())
}

test('a provider that is killed repeatedly while it fetches ends with every offered piece complete', async () => {
  const pieces = await Promise.all([1, 2, 3, 4].map((seed) => put(1_500_000 + seed, seed)))
  const kept = new Set<string>()
  // Each process is killed once the source has sent this many bytes, of any piece.
  for (const lifeBytes of [1, 400_000, 1_500_000, 1_600_000, 2_500_000]) {
    const provider = await startProviderProcess(home, source.url, {
      environment: { CAIRN_PROVIDER_PULLS: '2', CAIRN_PROVIDER_SCRUB_BYTES_PER_SECOND: '0' },
    })
    // Pieces kept before a kill are kept after it.
    for (const cid of kept) expect(await provider.status(cid)).toMatchObject({ state: 'kept' })
    const enough = Promise.withResolvers<void>()
    let left = lifeBytes
    source.handlers.length = 0
    for (let count = 0; count < 20; count++) {
      source.handlers.push((request, response, body) => {
        const start = Number(/\d+/.exec(request.headers.range ?? '0')?.[0])
        if (body.length - start <= left) {
          left -= body.length - start
          answerRightly(request, response, body)
          return
        }
        response.writeHead(start === 0 ? 200 : 206, {
          'content-length': body.length - start,
          ...(start === 0 ? {} : { 'content-range': `bytes ${start}-${body.length - 1}/${body.length}` }),
        })
        response.write(body.subarray(start, start + left), () => enough.resolve())
        left = 0
      })
    }
    for (const { cid, url } of pieces) expect((await provider.offer(cid, url)).status).toBe(202)
    await enough.promise
    for (const { cid } of pieces) if ((await provider.status(cid))?.state === 'kept') kept.add(cid)
    await provider.end('SIGKILL')
  }
  source.handlers.length = 0
  const provider = await startProviderProcess(home, source.url)
  for (const { cid, payload } of pieces) {
    await provider.until(cid, ({ state }) => state === 'kept')
    expect((await readPayload(provider.url, cid)).equals(payload)).toBe(true)
  }
  expect(await readdir(join(home, 'parts'))).toEqual([])
  expect(await provider.end('SIGTERM')).toBe(0)
})

test('a full disk fails the piece and nothing else, and a new offer retries it', async () => {
  const small = await put(100_000, 1)
  const large = await put(6_000_000, 2)
  {
    const provider = await startProviderProcess(home, source.url, { maxFileBlocks: 4_096 })
    await provider.offer(large.cid, large.url)
    const waiting = await provider.until(large.cid, ({ lastError }) => lastError !== null)
    expect(waiting).toMatchObject({ state: 'queued', lastError: { code: 'STORAGE_FULL' } })
    await provider.offer(small.cid, small.url)
    await provider.until(small.cid, ({ state }) => state === 'kept')
    expect((await readPayload(provider.url, small.cid)).equals(small.payload)).toBe(true)
    expect(await provider.end('SIGTERM')).toBe(0)
  }
  // With free space again, it continues from what fitted.
  const provider = await startProviderProcess(home, source.url)
  await provider.until(large.cid, ({ state }) => state === 'kept')
  expect(source.requests.at(-1)?.headers.range).toMatch(/^bytes=[1-9]/)
  expect((await readPayload(provider.url, large.cid)).equals(large.payload)).toBe(true)
  await provider.end('SIGTERM')
})

test('stops at once with 0 while it fetches and serves, and resumes at its next start', async () => {
  const { cid, payload, url } = await put(2_000_000, 3)
  source.handlers.push((_request, response, body) => {
    response.writeHead(200, { 'content-length': body.length })
    response.write(body.subarray(0, 1_000_000))
  })
  const first = await startProviderProcess(home, source.url, { environment: { CAIRN_STOP_TIMEOUT_SECONDS: '1' } })
  await first.offer(cid, url)
  await first.until(cid, ({ receivedBytes }) => receivedBytes > 0)
  expect(await first.end('SIGTERM')).toBe(0)
  expect(await readFile(join(home, 'parts', cid))).not.toHaveLength(0)
  const second = await startProviderProcess(home, source.url)
  await second.until(cid, ({ state }) => state === 'kept')
  expect((await readPayload(second.url, cid)).equals(payload)).toBe(true)
  await second.end('SIGTERM')
})
