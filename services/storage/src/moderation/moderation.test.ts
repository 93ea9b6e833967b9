// A service with a denylist: what it serves and accepts, and how soon a takedown takes effect.
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { runAdmin } from '../admin/admin.fixture.ts'
import { migrations } from '../db/database.ts'
import { bearer, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-denylist-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function send(storage: TestStorage, key: string, content: string, query = '') {
  const body = new FormData()
  body.append('file', new Blob([content]), 'a.txt')
  return storage.call(`/api/v0/add${query}`, { method: 'POST', ...bearer(key), body })
}
const store = async (storage: TestStorage, key: string, content: string) =>
  (JSON.parse((await send(storage, key, content)).body) as { Hash: string }).Hash

async function read(storage: TestStorage, path: string) {
  const answer = await fetch(`${storage.gatewayUrl}${path}`)
  return { status: answer.status, code: answer.headers.get('x-cairn-code'), body: await answer.text() }
}

test('no replica serves or accepts newly denied content, in any form; undeny restores it', async () => {
  const url = await postgres.createDatabase()
  const settings = { CAIRN_DATABASE_URL: url, CAIRN_REPORT_ADDRESS: 'abuse@example.org', CAIRN_RATE_FACTOR: '0' }
  await using first = await startTestStorage(settings)
  await using second = await startTestStorage({
    ...settings,
    CAIRN_PACK_FOLDER: first.context.config.packFolder,
    CAIRN_STORAGE_SECRET: Buffer.from(first.context.secret).toString('hex'),
  })
  const key = await first.createKey()
  const cid = await store(first, key, 'bad content')
  const other = await store(first, key, 'good content')
  for (const replica of [first, second]) expect((await read(replica, `/ipfs/${cid}`)).status).toBe(200)

  const admin = (...args: string[]) => runAdmin({ CAIRN_HOME: first.home, CAIRN_DATABASE_URL: url }, ...args)
  expect((await admin('deny', cid)).code).toBe(2)
  expect((await admin('deny', cid, '--reason', 'phishing', '--dry-run')).code).toBe(0)
  expect((await admin('denials')).lines).toEqual([])
  expect((await admin('deny', cid, '--reason', 'phishing')).code).toBe(0)
  for (const replica of [first, second]) {
    const path = `/ipfs/${cid}`
    await expect.poll(async () => (await read(replica, path)).status).toBe(410)
    const refused = await read(replica, path)
    expect(refused).toMatchObject({ code: 'CONTENT_DENIED', body: expect.stringContaining('abuse@example.org') })
    expect(refused.body).toContain('This service does not serve this content')
    for (const form of ['?format=raw', '?format=car']) expect((await read(replica, path + form)).status).toBe(410)
    const cat = await fetch(`${replica.gatewayUrl}/api/v0/cat/${cid}`, { method: 'POST' })
    expect(cat.status).toBe(410)
    const kubo = await replica.call(`/api/v0/block/get?arg=${cid}`, { method: 'POST' })
    expect(kubo.headers.get('x-cairn-code')).toBe('CONTENT_DENIED')
    expect((await read(replica, `/ipfs/${other}`)).status).toBe(200)
    const again = await send(replica, key, 'bad content')
    expect([again.status, again.headers.get('x-cairn-code')]).toEqual([410, 'CONTENT_DENIED'])
    const metrics = await (await fetch(replica.metricsUrl ?? '')).text()
    expect(metrics).toMatch(/^cairn_errors_total\{code="CONTENT_DENIED"\} [1-9]\d*$/m)
    expect(metrics).toMatch(/^cairn_denylist_rules 1$/m)
  }

  expect((await admin('deny', cid, '--by-law', '--reason', 'order of a court')).code).toBe(0)
  await expect.poll(async () => (await read(second, `/ipfs/${cid}`)).status).toBe(451)
  expect((await admin('denials')).lines).toEqual([expect.stringContaining(`/ipfs/${cid}/* gateway_status:451`)])
  expect((await admin('undeny', cid)).code).toBe(0)
  for (const replica of [first, second])
    await expect.poll(async () => (await read(replica, `/ipfs/${cid}`)).status).toBe(200)
  expect((await admin('undeny', cid)).lines).toEqual(['No changes.'])
  const { json } = await admin('audit', '--json')
  expect(json.map(({ action }) => action)).toEqual(['undeny', 'deny', 'deny'])
  for (const wrong of ['nonsense', '/ipns/', '//abc', `${cid} x`])
    expect((await admin('deny', wrong, '--reason', 'x')).code).toBe(2)
})

test('a takedown of a folder covers no neighbour with the same prefix', async () => {
  await using storage = await startTestStorage({ CAIRN_RATE_FACTOR: '0' })
  const key = await storage.createKey()
  const body = new FormData()
  for (const name of ['site/sub/a.txt', 'site/subway/b.txt']) body.append('file', new Blob([name]), name)
  const added = await storage.call('/api/v0/add?wrap-with-directory=true', { method: 'POST', ...bearer(key), body })
  const last: unknown = JSON.parse(added.body.trim().split('\n').at(-1) ?? '')
  const root = typeof last === 'object' && last !== null && 'Hash' in last ? String(last.Hash) : ''
  const [bad, good] = [`/ipfs/${root}/site/sub`, `/ipfs/${root}/site/subway/b.txt`]
  expect((await read(storage, good)).status).toBe(200)
  expect((await runAdmin({ CAIRN_HOME: storage.home }, 'deny', bad, '--reason', 'phishing')).code).toBe(0)
  await expect.poll(async () => (await read(storage, `${bad}/a.txt`)).status).toBe(410)
  expect((await read(storage, bad)).status).toBe(410)
  expect((await read(storage, good)).status).toBe(200)
})

test('refuses the proofs of denied content, which contain its root block', async () => {
  await using storage = await startTestStorage({
    CAIRN_PROVIDERS: JSON.stringify([{ kind: 'cairn', name: 'one', url: 'http://127.0.0.1:1', key: 'x'.repeat(32) }]),
    CAIRN_DEALS: JSON.stringify({ waitSeconds: 0, pollMs: 50 }),
    CAIRN_RATE_FACTOR: '0',
  })
  const cid = await store(storage, await storage.createKey(), 'bad content')
  const prove = () => storage.call(`/api/proofs/${cid}`)
  await expect.poll(async () => (await prove()).status, { timeout: 20_000 }).toBe(200)
  const args = ['deny', cid, '--by-law', '--reason', 'order of a court']
  expect((await runAdmin({ CAIRN_HOME: storage.home }, ...args)).code).toBe(0)
  await expect.poll(async () => (await read(storage, `/ipfs/${cid}`)).status).toBe(451)
  const refused = await prove()
  expect([refused.status, refused.headers.get('x-cairn-code')]).toEqual([451, 'CONTENT_DENIED_BY_LAW'])
  expect(refused.body).not.toContain('"bytes"')
})

test('rejects an upload for any denied block, and leaves nothing; reads a changed file again', async () => {
  const file = join(folder, 'own.deny')
  await writeFile(file, '')
  await using storage = await startTestStorage({ CAIRN_DENYLIST_FILES: folder, CAIRN_RATE_FACTOR: '0' })
  const key = await storage.createKey()
  const only = await send(storage, key, 'part of a folder', '?only-hash=true')
  const { Hash: part } = JSON.parse(only.body) as { Hash: string }
  await writeFile(file, `# a list\n/ipfs/${part}\n`)
  await expect.poll(async () => (await read(storage, `/ipfs/${part}`)).status).toBe(410)
  const body = new FormData()
  body.append('file', new Blob(['harmless']), 'site/a.txt')
  body.append('file', new Blob(['part of a folder']), 'site/b.txt')
  const refused = await storage.call('/api/v0/add?wrap-with-directory=true', { method: 'POST', ...bearer(key), body })
  expect([refused.status, refused.headers.get('x-cairn-code')]).toEqual([410, 'CONTENT_DENIED'])
  // A chunk in the middle or at the end of a large file.
  const chunk = 'x'.repeat(256 * 1024)
  const chunkOnly = await send(storage, key, chunk, '?only-hash=true&cid-version=1')
  const { Hash: chunkCid } = JSON.parse(chunkOnly.body) as { Hash: string }
  await writeFile(file, `# a list\n/ipfs/${part}\n/ipfs/${chunkCid}\n`)
  await expect.poll(async () => (await read(storage, `/ipfs/${chunkCid}`)).status).toBe(410)
  const before = Array.from({ length: 40 }, (_, at) => `${at}`.padEnd(256 * 1024, '-')).join('')
  for (const content of [before + chunk, before + chunk + before + before]) {
    expect((await send(storage, key, content, '?cid-version=1')).status).toBe(410)
  }
  expect((await storage.call('/api/user/user_data_usage', bearer(key))).json).toMatchObject({ dataUsed: 0 })
  expect(await storage.context.db.read.selectFrom('pack').select('id').execute()).toEqual([])

  // A broken file changes nothing, and the log reports it.
  await writeFile(file, 'version: 2\n---\n')
  await expect.poll(() => storage.log.some((line) => line.includes('failed to read a denylist'))).toBe(true)
  expect((await read(storage, `/ipfs/${part}`)).status).toBe(410)
  await rm(file)
  await expect.poll(async () => (await read(storage, `/ipfs/${part}`)).status).toBe(404)
})

test('follows a list at a URL, and denies its entries also while its publisher is offline', async () => {
  let list = ''
  const server = createServer((_request, response) => response.end(list)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const settings = { CAIRN_DENYLIST_URLS: `http://127.0.0.1:${port}/list.deny`, CAIRN_RATE_FACTOR: '0' }
  const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
  list = `/ipfs/${cid}/*\n`
  const home = join(folder, 'home')
  await using storage = await startTestStorage({ ...settings, CAIRN_HOME: home })
  // Before the first request is answered.
  expect((await read(storage, `/ipfs/${cid}`)).status).toBe(410)
  expect((await read(storage, `/ipfs/${cid}/below`)).status).toBe(410)
  const admin = (...args: string[]) => runAdmin({ CAIRN_HOME: home }, ...args)
  expect((await admin('allow', cid, '--reason', 'a mistake of the list')).code).toBe(0)
  await expect.poll(async () => (await read(storage, `/ipfs/${cid}`)).status).toBe(404)
  expect((await admin('undeny', cid)).code).toBe(0)
  await expect.poll(async () => (await read(storage, `/ipfs/${cid}`)).status).toBe(410)
  server.close()
  server.closeAllConnections()
  await storage[Symbol.asyncDispose]()
  await using next = await startTestStorage({ ...settings, CAIRN_HOME: home })
  expect((await read(next, `/ipfs/${cid}`)).status).toBe(410)
  await expect.poll(() => next.log.some((line) => line.includes('failed to fetch a denylist'))).toBe(true)
})
