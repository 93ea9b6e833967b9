// The chain of advertisements as an indexer reads it: over HTTP, decoded and verified with libp2p's own code.
import { randomBytes } from 'node:crypto'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { CarReader } from '@ipld/car'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { publicKeyFromProtobuf } from '@libp2p/crypto/keys'
import { multiaddr } from 'kubo-rpc-client'
import { base58btc } from 'multiformats/bases/base58'
import type { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { runAdmin } from '../admin/admin.fixture.ts'
import type { Context } from '../context.ts'
import { migrations } from '../db/database.ts'
import { bearer, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { type Receiver, startReceiver } from '../webhooks/receiver.fixture.ts'
import { fakeRenewals, outlastLease } from '../workers/outlast-lease.fixture.ts'
import { encodeChunks, hashesPerChunk } from './advertisement.ts'
import { restartRestoredChain } from './chain.ts'
import { toMultiaddrBytes } from './multiaddr.ts'
import { publishDue } from './publish.ts'
import { createIpniWorker, createPublisherState, runRound } from './worker.ts'

/** Last advertisement that the indexer claims to have read. */
let last: string | undefined
let status = 204
let indexer: Receiver
let postgres: PostgresFixture
let url = ''
let storage: TestStorage
let key: string
let context: Context
beforeAll(async () => {
  indexer = await startReceiver((response) => {
    if (response.req.method === 'PUT') response.writeHead(status).end()
    else if (last === undefined) response.writeHead(404).end()
    else response.writeHead(200).end(JSON.stringify({ LastAdvertisement: { '/': last } }))
  })
  // Without indexers, no worker runs beside the rounds of the tests.
  postgres = await startPostgres(migrations)
  url = await postgres.createDatabase()
  storage = await startTestStorage({ CAIRN_RATE_FACTOR: '0', CAIRN_DATABASE_URL: url })
  key = await storage.createKey()
  const ipni = { indexers: [new URL(indexer.url).origin], announcesByDefault: true }
  context = { ...storage.context, config: { ...storage.context.config, ipni } }
})
afterAll(async () => {
  await storage?.[Symbol.asyncDispose]()
  await indexer?.[Symbol.asyncDispose]()
  await postgres?.stop()
})

afterEach(() => {
  vi.useRealTimers()
})

const { signal } = new AbortController()
const round = (state = createPublisherState()) => runRound(context, storage.profile, state, signal)

async function upload(bytes: Uint8Array<ArrayBuffer> | string, headers: Record<string, string>, by = key) {
  const body = new FormData()
  body.append('file', new Blob([bytes]), 'a.bin')
  const sent = { ...bearer(by).headers, ...headers }
  const answer = await storage.call('/api/v0/add', { method: 'POST', headers: sent, body })
  return ([JSON.parse(answer.body)].flat()[0] as { Hash: string }).Hash
}
const announced = { announce: 'true' }

async function remove(cid: string, by = key) {
  const { json } = await storage.call(`/api/user/files_uploaded`, bearer(by))
  const file = (json as { fileList: { id: string; cid: string }[] }).fileList.find((one) => one.cid === cid)
  const answer = await storage.call(`/api/user/delete_file?id=${file?.id}`, { method: 'DELETE', ...bearer(by) })
  expect(answer.status, answer.body).toBe(200)
}

type Ad = {
  PreviousID?: CID
  Provider: string
  Addresses: string[]
  Signature: Uint8Array
  Entries: CID
  ContextID: Uint8Array
  Metadata: Uint8Array
  IsRm: boolean
}

async function fetchBlock(cid: CID): Promise<Uint8Array> {
  const response = await fetch(`${storage.apiUrl}/ipni/v1/ad/${cid}`)
  expect(response.status).toBe(200)
  const bytes = await response.bytes()
  expect((await sha256.digest(bytes)).bytes).toEqual(cid.multihash.bytes)
  return bytes
}

/** Reads and verifies the head, as `head.Decode` and `Validate` of go-libipni do. */
async function readHead(): Promise<{ head: CID; peer: string }> {
  const response = await fetch(`${storage.apiUrl}/ipni/v1/ad/head`)
  expect(response.headers.get('cache-control')).toContain('no-store')
  const read = dagJson.decode<{ head: CID; topic: string; pubkey: Uint8Array; sig: Uint8Array }>(await response.bytes())
  const publicKey = publicKeyFromProtobuf(read.pubkey)
  const signed = Buffer.concat([read.head.bytes, Buffer.from(read.topic)])
  expect(await publicKey.verify(signed, read.sig)).toBe(true)
  return { head: read.head, peer: publicKey.toString() }
}

/** Reads the chain from its head, and verifies every advertisement. */
async function readChain(): Promise<{ ads: (Ad & { cid: CID })[]; peer: string }> {
  const { head, peer } = await readHead()
  const ads: (Ad & { cid: CID })[] = []
  for (let cid: CID | undefined = head; cid !== undefined; cid = ads.at(-1)?.PreviousID) {
    const ad: Ad = dagJson.decode<Ad>(await fetchBlock(cid))
    expect(ad.Provider).toBe(peer)
    await verify(ad)
    ads.push({ ...ad, cid })
  }
  return { ads, peer }
}

/** Verifies the envelope of an advertisement (libp2p RFC 0002), with a protobuf reader of its own. */
async function verify(ad: Ad): Promise<void> {
  const fields = new Map<number, Uint8Array>()
  for (let at = 0; at < ad.Signature.length; ) {
    const [tag = 0, length = 0] = ad.Signature.subarray(at)
    fields.set(tag >> 3, ad.Signature.subarray(at + 2, at + 2 + length))
    at += 2 + length
  }
  const part = (field: number) => fields.get(field) ?? new Uint8Array()
  const sized = (bytes: Uint8Array) => [Uint8Array.of(bytes.length), bytes]
  const signed = [...sized(Buffer.from('indexer')), ...sized(part(2)), ...sized(part(3))]
  const publicKey = publicKeyFromProtobuf(part(1))
  expect(publicKey.toString()).toBe(ad.Provider)
  expect(Buffer.from(part(2)).toString()).toBe('/indexer/ingest/adSignature')
  expect(await publicKey.verify(Buffer.concat(signed), part(5))).toBe(true)
  const content = [
    ad.PreviousID?.bytes ?? new Uint8Array(),
    ad.Entries.bytes,
    Buffer.from(ad.Provider),
    ...ad.Addresses.map((address) => Buffer.from(address)),
    ad.Metadata,
    Uint8Array.of(ad.IsRm ? 1 : 0),
  ]
  expect(part(3)).toEqual((await sha256.digest(Buffer.concat(content))).bytes)
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

async function readEntries(ad: Ad): Promise<string[]> {
  const hashes: string[] = []
  for (let cid: CID | undefined = ad.Entries; cid !== undefined; ) {
    const chunk: { Entries: Uint8Array[]; Next?: CID } = dagCbor.decode(await fetchBlock(cid))
    hashes.push(...chunk.Entries.map(hex))
    cid = chunk.Next
  }
  return hashes
}

async function blocksOf(cid: string): Promise<string[]> {
  const car = await CarReader.fromBytes(await (await fetch(`${storage.gatewayUrl}/ipfs/${cid}?format=car`)).bytes())
  const hashes: string[] = []
  for await (const { cid: block } of car.blocks()) hashes.push(hex(block.multihash.bytes))
  return hashes
}

test('announces all blocks of an upload, withdraws it with its last upload, and announces it again', async () => {
  expect((await fetch(`${storage.apiUrl}/ipni/v1/ad/head`)).status).toBe(204)
  const content = new Uint8Array(randomBytes(900_000))
  const cid = await upload(content, announced)
  await upload('not announced', {})
  const other = await storage.createKey()
  await upload(content, announced, other)
  await round()
  const { ads, peer } = await readChain()
  expect(ads).toHaveLength(1)
  const [ad] = ads
  if (ad === undefined) throw new Error('nothing was announced')
  expect(ad).toMatchObject({ IsRm: false, Metadata: Uint8Array.of(0xa0, 0x12, 0) })
  const gateway = new URL(storage.gatewayUrl)
  expect(ad.Addresses).toEqual([`/ip4/127.0.0.1/tcp/${gateway.port}/http`])
  const blocks = await blocksOf(cid)
  expect(blocks.length).toBe(5)
  expect((await readEntries(ad)).sort()).toEqual(blocks.sort())
  // The announcement has the form of the HTTP sender of go-libipni.
  const announcements = indexer.received.filter(({ path }) => path === '/announce')
  expect(announcements).toHaveLength(1)
  const message: { Cid: { '/': string }; Addrs: string[] } = JSON.parse(announcements[0]?.body ?? '')
  expect(message.Cid['/']).toBe(ad.cid.toString())
  const address = multiaddr(new Uint8Array(Buffer.from(message.Addrs[0] ?? '', 'base64'))).toString()
  expect(address).toBe(`/ip4/127.0.0.1/tcp/${new URL(storage.apiUrl).port}/http/p2p/${peer}`)

  await remove(cid)
  await round()
  expect((await readChain()).ads).toHaveLength(1)
  await remove(cid, other)
  await round()
  const after = (await readChain()).ads
  expect(after.map(({ IsRm }) => IsRm)).toEqual([true, false])
  expect(after[0]?.ContextID).toEqual(ad.ContextID)
  expect((await storage.call(`/ipni/v1/ad/${ad.Entries}`)).status).toBe(404)

  await upload(content, announced)
  await round()
  const again = (await readChain()).ads
  expect(again.map(({ IsRm }) => IsRm)).toEqual([false, true, false])
  expect((await readEntries(again[0] ?? ad)).sort()).toEqual(blocks)
})

test('withdraws denied content and announces it again when the rule is gone', async () => {
  const cid = await upload('denied later', announced)
  const state = createPublisherState()
  await round(state)
  const before = (await readChain()).ads.length
  const admin = (...args: string[]) => runAdmin({ CAIRN_HOME: storage.home, CAIRN_DATABASE_URL: url }, ...args)
  const denied = () => expect.poll(async () => (await fetch(`${storage.gatewayUrl}/ipfs/${cid}`)).status)
  expect((await admin('deny', cid, '--reason', 'test')).code).toBe(0)
  await denied().toBe(410)
  const providers = async () => (await storage.call(`/routing/v1/providers/${cid}`)).json
  expect(await providers()).toEqual({ Providers: [] })
  await round(state)
  expect((await readChain()).ads.slice(0, -before).map(({ IsRm }) => IsRm)).toEqual([true])
  expect((await admin('undeny', cid, '--reason', 'test')).code).toBe(0)
  await denied().toBe(200)
  expect(await providers()).toMatchObject({ Providers: [{ Protocols: ['transport-ipfs-gateway-http'] }] })
  await round(state)
  expect((await readChain()).ads.slice(0, -before).map(({ IsRm }) => IsRm)).toEqual([false, true])
})

test('replicas that publish at once append to one chain', async () => {
  const { length } = (await readChain()).ads
  for (const text of ['one', 'two', 'three', 'four']) await upload(text, announced)
  const addresses = (await readChain()).ads[0]?.Addresses ?? []
  await Promise.all([1, 2, 3].map(() => publishDue(context, addresses, signal)))
  // A replica that was too late leaves the rest to its next round.
  while ((await publishDue(context, addresses, signal)) > 0) {}
  const { ads } = await readChain()
  expect(ads).toHaveLength(length + 4)
  const rows = await context.db.read.selectFrom('ipni_ad').select('cid').orderBy('sequence', 'desc').execute()
  expect(rows.map(({ cid }) => cid)).toEqual(ads.map(({ cid }) => cid.toString()))
})

test('retries an indexer only after a pause', async () => {
  const state = createPublisherState()
  await upload('while the indexer fails', announced)
  status = 503
  const count = () => indexer.received.filter(({ path }) => path === '/announce').length
  const before = count()
  await round(state)
  await round(state)
  expect(count()).toBe(before + 1)
  status = 204
  storage.pass(10_000)
  await round(state)
  expect(count()).toBe(before + 2)
  await round(state)
  expect(count()).toBe(before + 2)
})

test('a database that was restored or is older than what indexers read starts its own chain', async () => {
  const first = await readChain()
  last = first.ads[0]?.cid.toString()
  await round()
  expect((await readHead()).peer).toBe(first.peer)
  // Never published by this database.
  last = 'baguqeeragq3vm2mcg4gkzgcw6jpv4w5pozqhyvu6dbvgztdmmccpvz4o6xqa'
  const listed = first.ads.filter(({ IsRm }) => !IsRm).map(({ ContextID }) => hex(ContextID))
  await round()
  const second = await readChain()
  expect(second.peer).not.toBe(first.peer)
  expect(second.ads.every(({ IsRm }) => !IsRm)).toBe(true)
  expect(second.ads.map(({ ContextID }) => hex(ContextID)).sort()).toEqual([...new Set(listed)].sort())
  last = undefined
  await context.db.write(restartRestoredChain)
  // A query changes nothing, for example one to a replica with another secret during a rotation.
  expect((await fetch(`${storage.apiUrl}/ipni/v1/ad/head`)).status).toBe(204)
  expect(await context.db.read.selectFrom('ipni_ad').select('cid').execute()).toHaveLength(second.ads.length)
  await round()
  const third = await readChain()
  expect(new Set([first.peer, second.peer, third.peer]).size).toBe(3)
  expect(third.ads).toHaveLength(second.ads.length)
})

test('a round longer than its lease keeps it from other replicas', async () => {
  const { db } = storage.context
  const clock = { ms: Date.now(), now: () => clock.ms }
  const asked = Promise.withResolvers<() => void>()
  await using slow = await startReceiver((response, count) => {
    const answer = () => response.writeHead(404).end()
    if (count === 1) asked.resolve(answer)
    else answer()
  })
  const ipni = { indexers: [new URL(slow.url).origin], announcesByDefault: true }
  const parts = { ...storage.context, clock, processId: 'own', config: { ...storage.context.config, ipni } }
  const stop = new AbortController()
  fakeRenewals()
  const working = createIpniWorker(parts, storage.profile, { ...clock, sleep: async () => stop.abort() }).run(
    stop.signal,
  )
  const answer = await asked.promise
  const isTaken = await outlastLease(db, clock, { name: 'ipni', durationMs: 60_000 })
  answer()
  await working
  expect(isTaken).toBe(false)
})

test('the service announces unencrypted uploads automatically, and others on request', async () => {
  await using receiver = await startReceiver((response) => response.writeHead(204).end())
  const settings = { CAIRN_IPNI_INDEXERS: new URL(receiver.url).origin, CAIRN_RATE_FACTOR: '0' }
  await using other = await startTestStorage(settings)
  const by = await other.createKey()
  const send = async (text: string, headers: Record<string, string>) => {
    const body = new FormData()
    body.append('file', new Blob([text]), 'a.txt')
    const sent = { ...bearer(by).headers, ...headers }
    expect((await other.call('/api/v0/add', { method: 'POST', headers: sent, body })).status).toBe(200)
  }
  await send('plain', {})
  await send('plain, not announced', { announce: 'false' })
  await send('encrypted', { encryption: 'true' })
  await send('encrypted, announced', { encryption: 'true', announce: 'true' })
  const rows = await other.context.db.read
    .selectFrom('announced_upload')
    .innerJoin('upload', 'upload.id', 'upload_id')
    .select('encryption')
    .orderBy('upload_id')
    .execute()
  expect(rows.map(({ encryption }) => encryption)).toEqual([0, 1])
  const isAnnounced = ({ path }: { path: string }) => path === '/announce'
  while (!receiver.received.some(isAnnounced)) await receiver.until(receiver.received.length + 1)
  expect((await fetch(`${other.apiUrl}/ipni/v1/ad/head`)).status).toBe(200)
})

test('writes multiaddrs as libp2p does, and long lists as linked chunks', () => {
  const peer = base58btc.decode('z12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN')
  for (const address of [
    '/dns/gateway.example/tcp/443/https',
    '/ip4/10.1.2.3/tcp/8080/http',
    '/ip6/2001:db8::1/tcp/80/http',
    '/ip6/::1/tcp/65535/http',
  ]) {
    const text = `${address}/p2p/12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN`
    expect(toMultiaddrBytes(address, peer), address).toEqual(multiaddr(text).bytes)
  }
  const hashes = Array.from({ length: hashesPerChunk * 2 + 1 }, (_, at) => Uint8Array.of(at >> 16, at >> 8, at))
  const chunks = encodeChunks(hashes).reverse()
  const decoded = chunks.map(({ bytes }) => dagCbor.decode<{ Entries: Uint8Array[]; Next?: CID }>(bytes))
  expect(decoded.flatMap(({ Entries }) => Entries)).toEqual(hashes)
  expect(decoded.map(({ Next }) => Next?.toString())).toEqual([
    ...chunks.slice(1).map(({ cid }) => cid.toString()),
    undefined,
  ])
})
