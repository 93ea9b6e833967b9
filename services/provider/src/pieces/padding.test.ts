// Both sides know the zeros that pad an aggregate: they are neither fetched nor written.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAggregate, encodePieceCid, hashPiece, listContentWindows, verifyChallenge } from '@cairn/pieces'
import { type ChallengeAnswer, KIB, type LeafWindow, MIB } from '@cairn/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startProviderProcess } from '../provider-process.fixture.ts'
import {
  answerRightly,
  bytesOf,
  randomNonce,
  startTestProvider,
  startTestSource,
  stopAfter,
  type TestSource,
} from '../test-provider.fixture.ts'

let source: TestSource
let home = ''
beforeEach(async () => {
  source = await startTestSource()
  home = await mkdtemp(join(tmpdir(), 'cairn-padding-'))
})
afterEach(async () => {
  await source[Symbol.asyncDispose]()
  await rm(home, { recursive: true, force: true })
})

type Offered = { cid: string; url: string; payload: Buffer; content: LeafWindow[]; offsets: number[] }

/** Puts an aggregate of pieces with these lengths at the source. */
async function putAggregate(...lengths: number[]): Promise<Offered> {
  const payloads = lengths.map((length, at) => bytesOf(length, at + 1))
  const pieces = await Promise.all(payloads.map(async (payload) => (await hashPiece([payload])).piece))
  const aggregate = buildAggregate(pieces)
  const payload = Buffer.alloc(aggregate.piece.payloadBytes)
  const offsets = aggregate.segments.map(({ offset }) => (offset / 128) * 127)
  for (const [at, bytes] of payloads.entries()) payload.set(bytes, offsets[at])
  payload.set(aggregate.index.payload, aggregate.index.payloadOffset)
  const cid = encodePieceCid(aggregate.piece)
  return { cid, url: source.put(`/${cid}`, payload), payload, content: listContentWindows(pieces), offsets }
}

/** Bytes that a file occupies on disk. */
async function diskBytes(path: string): Promise<number> {
  return (await stat(path)).blocks * 512
}

test('20 MB in an aggregate of 64 MiB use 20 MB on the wire, on the disk and of the capacity', async () => {
  // The first piece is written past the page cache, the second is not.
  const contentBytes = 20_500_000
  const { cid, url, payload, content, offsets } = await putAggregate(18_000_000, 2_500_000)
  expect(payload.length).toBe((64 * MIB * 127) / 128)
  await using provider = await startTestProvider(
    source.url,
    { CAIRN_PROVIDER_CAPACITY_BYTES: `${21_000_000}` },
    { home },
  )
  expect((await provider.offer(cid, url, undefined, content)).status).toBe(202)
  await provider.until(cid, 'kept', 'failed')
  const path = provider.context.files.payloadPath(cid)
  const { json: self } = await provider.call('GET', '/')
  const { usedBytes } = self as { usedBytes: number }
  for (const bytes of [source.sentBytes(), await diskBytes(path), usedBytes]) {
    expect(bytes).toBeGreaterThanOrEqual(contentBytes)
    expect(bytes).toBeLessThan(contentBytes + 100 * KIB)
  }
  expect((await stat(path)).size).toBe(payload.length)

  // Served bytes match the commitment, and padding can be proven like any other leaf.
  const whole = await provider.call('GET', `/pieces/${cid}/payload`)
  expect(whole.bytes.equals(payload)).toBe(true)
  const [, second = 0] = offsets
  const range = { range: `bytes=${second - 5}-${second + 999}` }
  const part = await provider.call('GET', `/pieces/${cid}/payload`, { headers: range })
  expect(part.bytes.equals(payload.subarray(second - 5, second + 1000))).toBe(true)
  for (const within of [content, undefined]) {
    const asked = { nonce: randomNonce(), count: 20, within }
    const { json } = await provider.call('POST', `/pieces/${cid}/challenge`, { body: asked, key: null })
    verifyChallenge(json as ChallengeAnswer, { piece: cid, provider: provider.id, ...asked })
  }
})

test('a provider killed in the middle of a pull resumes, and fetches no zeros either', async () => {
  const { cid, url, payload, content } = await putAggregate(2_500_000, 1_500_000, 300)
  // The whole first piece, and one megabyte of the second.
  source.handlers.push(answerRightly, stopAfter(1_000_000))
  const middle = (4 * MIB * 127) / 128 + 500_000
  {
    const first = await startProviderProcess(home, source.url)
    expect(await first.offer(cid, url, content)).toMatchObject({ status: 202 })
    await first.until(cid, ({ receivedBytes }) => receivedBytes > middle)
    await first.end('SIGKILL')
  }
  const part = join(home, 'parts', cid)
  expect((await stat(part)).size).toBeGreaterThan(4_000_000)
  expect(await diskBytes(part)).toBeLessThan(3_600_000)
  const second = await startProviderProcess(home, source.url)
  await second.until(cid, ({ state }) => state === 'kept' || state === 'failed')
  const path = join(home, 'pieces', cid.slice(-2), `${cid}.payload`)
  expect((await readFile(path)).equals(payload)).toBe(true)
  expect(await diskBytes(path)).toBeLessThan(4_300_300 + 64 * KIB)
  // Some bytes were sent but not written before the kill, and were fetched again.
  expect(source.sentBytes()).toBeLessThan(4_300_300 + 1_000_000)
  const [, from] = /^bytes=(\d+)-/.exec(source.requests[2]?.headers.range ?? '') ?? []
  expect(Number(from)).toBeGreaterThan(middle)
  expect(await second.end('SIGTERM')).toBe(0)
})

test('a source without range support is read up to the end of the content', async () => {
  const { cid, url, payload, content } = await putAggregate(70_000, 40_000)
  const answerWhole: TestSource['handlers'][number] = (_request, response, body) => {
    response.writeHead(200, { 'content-length': body.length }).end(body)
  }
  source.handlers.push(...content.map(() => answerWhole))
  await using provider = await startTestProvider(source.url, {}, { home })
  await provider.offer(cid, url, undefined, content)
  await provider.until(cid, 'kept', 'failed')
  expect((await readFile(provider.context.files.payloadPath(cid))).equals(payload)).toBe(true)
})

test('detects an offer that declares other bytes as zeros', async () => {
  const { cid, url, content } = await putAggregate(70_000, 40_000)
  await using provider = await startTestProvider(source.url, {}, { home })
  await provider.offer(cid, url, undefined, content.slice(1))
  expect(await provider.until(cid, 'kept', 'failed')).toMatchObject({ lastError: { code: 'VERIFICATION_FAILED' } })
  // Offered correctly, it is fetched from its start.
  await provider.offer(cid, url, undefined, content)
  await provider.until(cid, 'kept')
})

test('rejects an offer of leaves that the piece does not have', async () => {
  const { cid, url, content } = await putAggregate(70_000)
  await using provider = await startTestProvider(source.url, {}, { home })
  for (const wrong of [[], [...content].reverse(), [{ start: 0, count: 2 ** 30 }], [{ start: 0, count: 0 }]]) {
    expect(await provider.offer(cid, url, undefined, wrong)).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
  }
  expect((await provider.call('GET', `/pieces/${cid}`)).code).toBe('PIECE_NOT_FOUND')
})

test('a pending piece reserves its offered size, unless there is more space', async () => {
  const { cid, url, content } = await putAggregate(300_000, 100_000)
  source.handlers.push(stopAfter(1000))
  await using provider = await startTestProvider(source.url, { CAIRN_PROVIDER_CAPACITY_BYTES: '450000' }, { home })
  expect(await provider.offer(cid, url, undefined, content)).toMatchObject({ status: 202 })
  expect(await provider.offer(cid, url)).toMatchObject({ code: 'PROVIDER_FULL' })
  expect(await provider.offer(cid, url, undefined, content)).toMatchObject({ status: 202 })
})

test('a pending piece that is offered with more content does not need its space twice', async () => {
  const { cid, url, payload, content } = await putAggregate(300_000, 100_000)
  source.handlers.push(stopAfter(1000))
  await using provider = await startTestProvider(
    source.url,
    { CAIRN_PROVIDER_CAPACITY_BYTES: String(payload.length) },
    { home },
  )
  expect(await provider.offer(cid, url, undefined, content)).toMatchObject({ status: 202 })
  expect(await provider.offer(cid, url)).toMatchObject({ status: 202 })
})

test('fetches a whole piece if its offer predates ranges', async () => {
  const { cid, url, payload, content } = await putAggregate(70_000, 40_000)
  source.handlers.push(stopAfter(1000))
  {
    await using first = await startTestProvider(source.url, {}, { home })
    await first.offer(cid, url, undefined, content)
    await first.untilReceived(cid, 1000)
    const asBefore = { content: null, content_bytes: payload.length }
    await first.context.db.write((trx) => trx.updateTable('piece').set(asBefore).where('cid', '=', cid).execute())
  }
  await using second = await startTestProvider(source.url, {}, { home })
  await second.until(cid, 'kept')
  expect(source.requests).toHaveLength(2)
  expect((await readFile(second.context.files.payloadPath(cid))).equals(payload)).toBe(true)
})
