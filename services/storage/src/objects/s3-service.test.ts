// A complete storage service whose packs lie on S3.
import { randomBytes } from 'node:crypto'
import { resumableSegmentBytes, tusBodyType, type UploadInfo } from '@cairn/protocol'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { createS3Place } from '@cairn/service/s3-place-fixture'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StorageConfig } from '../config.ts'
import { migrations } from '../db/database.ts'
import { recoverStore } from '../maintenance/maintain.ts'
import { openStore } from '../maintenance/open-store.ts'
import { check } from '../packs/checking/check.ts'
import { removeUnreferencedPacks } from '../packs/removal/remove-packs.ts'
import { bearer, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { systemClock } from '../workers/worker.ts'
import { s3Environment } from './s3-environment.fixture.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

async function upload(storage: TestStorage, key: string, bytes: Uint8Array<ArrayBuffer>) {
  const body = new FormData()
  body.append('file', new Blob([bytes]), 'file.bin')
  const answer = await storage.call('/api/v0/add', { method: 'POST', ...bearer(key), body })
  return { status: answer.status, cid: answer.status === 200 ? String(JSON.parse(answer.body).Hash) : '' }
}

async function read(storage: TestStorage, cid: string) {
  const answer = await fetch(`${storage.gatewayUrl}/ipfs/${cid}`)
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
}

test('stores a resumable upload of which each replica received a part, and its packs leave S3 when it is cancelled', async () => {
  await using place = await createS3Place()
  const environment = s3Environment(place, await postgres.createDatabase())
  await using first = await startTestStorage(environment)
  await using second = await startTestStorage(environment)
  const key = await first.createKey()
  const bytes = randomBytes(3 * resumableSegmentBytes + 7)
  const packs = () => [...place.server.objects('cairn/objects/packs/').keys()]
  const tus = (storage: TestStorage, path: string, options: RequestInit & { headers?: Record<string, string> } = {}) =>
    storage.call(path, {
      ...options,
      headers: { ...bearer(key).headers, 'tus-resumable': '1.0.0', 'content-type': tusBodyType, ...options.headers },
    })
  const begin = async () => {
    const headers = { 'upload-length': String(bytes.length) }
    return `/api/${(await tus(first, '/api/uploads', { method: 'POST', headers })).headers.get('location')}`
  }
  const send = async (storage: TestStorage, path: string, from: number, to: number) => {
    const headers = { 'upload-offset': String(from) }
    const answer = await tus(storage, path, { method: 'PATCH', headers, body: bytes.subarray(from, to) })
    expect(answer.status).toBe(204)
  }
  const cancelled = await begin()
  await send(first, cancelled, 0, 2 * resumableSegmentBytes)
  expect(packs().length).toBeGreaterThan(0)
  expect((await tus(second, cancelled, { method: 'DELETE' })).status).toBe(204)
  expect(packs()).toEqual([])

  const path = await begin()
  const cuts = [0, 1000, resumableSegmentBytes + 300_000, 2 * resumableSegmentBytes + 5, bytes.length]
  for (const [at, to] of cuts.slice(1).entries()) await send(at % 2 === 0 ? first : second, path, cuts[at] ?? 0, to)
  const { result } = (await tus(first, path)).json as UploadInfo
  expect(Buffer.compare((await read(second, result?.[0]?.Hash ?? '')).bytes, bytes)).toBe(0)
  expect([...place.server.objects('cairn/unconfirmed/').keys()]).toEqual([])
  expect([...place.server.objects('cairn/objects/uploads/').keys()]).toEqual([])
  expect(place.server.uploads()).toEqual([])
  expect(await Array.fromAsync(check({ ...first.context, readData: 1 }))).toEqual([])
})

test('a service on S3 stores, serves and deletes, also after a restart and beside another replica', async () => {
  await using place = await createS3Place()
  const environment = s3Environment(place, await postgres.createDatabase())
  const contents = [randomBytes(1000), randomBytes(18_000_000), randomBytes(500_000)]
  const cids: string[] = []
  let key = ''
  {
    await using storage = await startTestStorage(environment)
    key = await storage.createKey()
    for (const bytes of contents) cids.push((await upload(storage, key, bytes)).cid)
    for (const [at, cid] of cids.entries()) expect((await read(storage, cid)).bytes).toEqual(contents[at])
  }
  const packs = () => [...place.server.objects('cairn/objects/packs/').keys()]
  expect(packs()).toHaveLength(3)
  expect([...place.server.objects('cairn/unconfirmed/').keys()]).toEqual([])
  expect([...place.server.objects('cairn/replicas/').keys()]).toEqual([])
  expect(place.server.uploads()).toEqual([])

  await using storage = await startTestStorage(environment)
  await using other = await startTestStorage(environment)
  for (const [at, cid] of cids.entries()) expect((await read(storage, cid)).bytes).toEqual(contents[at])
  const reads = place.server.requests.length
  await read(other, cids[1] ?? '')
  // Runs of about 1 MiB, one call each.
  const calls = place.server.requests.slice(reads).filter((each) => each.startsWith('GET cairn/objects/packs/'))
  expect(calls.length).toBeLessThanOrEqual(30)
  const range = await fetch(`${other.gatewayUrl}/ipfs/${cids[1]}`, { headers: { range: 'bytes=9000000-9000099' } })
  expect(range.status).toBe(206)
  expect(Buffer.from(await range.arrayBuffer())).toEqual(contents[1]?.subarray(9_000_000, 9_000_100))

  const { json } = await storage.call('/api/user/files_uploaded', bearer(key))
  const row = (json as { fileList: { id: string; cid: string }[] }).fileList.find(({ cid }) => cid === cids[1])
  const deleted = await storage.call(`/api/user/delete_file?id=${row?.id}`, { method: 'DELETE', ...bearer(key) })
  expect(deleted.status).toBe(200)
  const clock = { ...systemClock, now: () => Date.now() + 1000 }
  expect(await removeUnreferencedPacks({ ...storage.context, clock, graceMs: 0 })).toBe(1)
  expect(packs()).toHaveLength(2)
  await expect.poll(async () => (await read(other, cids[1] ?? '')).status).toBe(404)
  expect((await read(other, cids[2] ?? '')).bytes).toEqual(contents[2])

  await using store = await openStore(storage.context.config, 'read')
  expect(await Array.fromAsync(check({ ...store, readData: 1 }))).toEqual([])
})

test('acknowledges nothing while S3 is offline, and recovers automatically', async () => {
  await using place = await createS3Place()
  await using storage = await startTestStorage(s3Environment(place, await postgres.createDatabase()))
  const key = await storage.createKey()
  const kept = await upload(storage, key, randomBytes(300_000))
  place.proxy.plan = () => ({ kind: 'refuse', status: 503 })
  expect((await upload(storage, key, randomBytes(1000))).status).toBe(503)
  expect((await storage.call('/readyz')).status).toBe(503)
  expect((await storage.call('/healthz')).status).toBe(200)
  place.proxy.plan = () => undefined
  await expect.poll(async () => (await storage.call('/readyz')).status).toBe(200)
  expect((await read(storage, kept.cid)).bytes).toHaveLength(300_000)
  expect((await upload(storage, key, randomBytes(1000))).status).toBe(200)
  expect(JSON.stringify(storage.log)).not.toContain(place.server.account.secretAccessKey)
})

test('serves cached content while S3 is offline', async () => {
  await using place = await createS3Place()
  await using storage = await startTestStorage({
    ...s3Environment(place, await postgres.createDatabase()),
    CAIRN_S3_CACHE_BYTES: '33554432',
  })
  const key = await storage.createKey()
  const bytes = randomBytes(3_000_000)
  const { cid } = await upload(storage, key, bytes)
  expect((await read(storage, cid)).bytes).toEqual(bytes)
  const range = () => fetch(`${storage.gatewayUrl}/ipfs/${cid}`, { headers: { range: 'bytes=1000000-2000000' } })
  place.proxy.plan = () => ({ kind: 'refuse', status: 503 })
  const answer = await range()
  expect(answer.status).toBe(206)
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes.subarray(1_000_000, 2_000_001))
  expect((await storage.call('/readyz')).status).toBe(503)
  expect((await storage.call('/readyz?for=all')).status).toBe(503)
  expect((await storage.call('/readyz?for=reads')).json).toMatchObject({ status: 'ready', parts: { database: 'ok' } })
  expect((await storage.call('/readyz?for=writes')).status).toBe(400)
  place.proxy.plan = () => undefined
})

test('a bucket belongs to one database, until a recovery assigns it to another', async () => {
  await using place = await createS3Place()
  const bytes = randomBytes(1000)
  const environment = s3Environment(place, await postgres.createDatabase())
  let config: StorageConfig
  let cid: string
  {
    await using storage = await startTestStorage(s3Environment(place, await postgres.createDatabase()))
    ;({ cid } = await upload(storage, await storage.createKey(), bytes))
    config = {
      ...storage.context.config,
      database: { kind: 'postgres', url: environment.CAIRN_DATABASE_URL, poolSize: 2 },
    }
    const before = place.server.requests.length
    await expect(startTestStorage(environment)).rejects.toMatchObject({ code: 'RECOVERY_NEEDED' })
    // The check of conditional writes aborts its own multipart upload. Nothing else is removed.
    expect(place.server.requests.slice(before).filter((each) => each.startsWith('DELETE '))).toEqual([
      'DELETE upload cairn/identity',
    ])
    const besideIt = recoverStore(config, { takeOver: true, owner: undefined }, () => undefined)
    await expect(besideIt).rejects.toMatchObject({ code: 'CONFLICT' })
  }
  expect(await recoverStore(config, { takeOver: true, owner: undefined }, () => undefined)).toEqual({ isWell: true })
  await using storage = await startTestStorage(environment)
  expect((await read(storage, cid)).bytes).toEqual(bytes)
})
