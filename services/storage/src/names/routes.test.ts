import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createNameKey, createRecord, importNameKey, readRecord } from '@cairn/names'
import { namePublishesPerMinute } from '@cairn/protocol'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { secretFileName } from '../secrets/open-secret.ts'
import { bearer, jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const recordType = 'application/vnd.ipfs.ipns-record'

let storage: TestStorage
let key: string
beforeAll(async () => {
  storage = await startTestStorage({ CAIRN_RATE_FACTOR: '0' })
  key = await storage.createKey()
})
afterAll(() => storage[Symbol.asyncDispose]())

type Name = { id: string; name: string; sequence: string | null; value: string | null; label: string | null }

async function call<T>(path: string, method = 'GET', body?: unknown, by = key): Promise<{ status: number; json: T }> {
  const sent = body === undefined ? { method } : jsonBody(body, method)
  const { status, json } = await storage.call(path, { ...sent, headers: { ...sent.headers, ...bearer(by).headers } })
  // Each test names the type it reads.
  return { status, json: json as T }
}
const create = async (label: string | null = null) => (await call<Name>('/api/names', 'POST', { label })).json

test('a name works from its creation to its removal', async () => {
  const made = await create('page')
  const at = `/api/names/${made.name}`
  const published = await call<{ sequence: string; record: string }>(`${at}/records`, 'POST', { value: cid })
  expect(published).toMatchObject({ status: 200, json: { value: `/ipfs/${cid}`, ttlMs: 300_000 } })
  expect((await call<Name>(at, 'PATCH', { label: 'other' })).json).toMatchObject({ label: 'other', cid })
  expect((await call<Name>(`/api/names/${made.id}`, 'PATCH', { label: null })).json.label).toBeNull()
  expect((await call<{ names: Name[] }>('/api/names?limit=500')).json.names.map(({ id }) => id)).toContain(made.id)
  const history = await call<{ records: { record: string }[] }>(`${at}/records`)
  expect(history.json.records.map(({ record }) => record)).toEqual([published.json.record])
  // Resolving and verifying need no API key.
  const resolved = await storage.call(`${at}/record`)
  expect(resolved.json).toEqual(published.json)
  const record = await readRecord(made.name, Buffer.from(published.json.record, 'base64'))
  expect(record.sequence.toString()).toBe(published.json.sequence)
  expect(await call(at, 'DELETE')).toMatchObject({ status: 200 })
  expect((await call(at)).status).toBe(404)
  expect((await storage.call(`${at}/record`)).status).toBe(404)
})

test('invalid requests get the code of their error', async () => {
  const { name } = await create()
  const refused: [string, string, unknown, string][] = [
    [`/api/names/${name}/records`, 'POST', { value: 'nonsense' }, '400 INVALID_CID'],
    ['/api/names', 'POST', { label: 'page\nother' }, '400 INVALID_LABEL'],
    [`/api/names/${name}`, 'PATCH', { label: 'a\u202eb' }, '400 INVALID_LABEL'],
    [`/api/names/${name}/records`, 'POST', { value: '/x/y' }, '400 INVALID_NAME_VALUE'],
    [`/api/names/${name}/records`, 'POST', { value: cid, lifetimeMs: 1000 }, '400 INVALID_REQUEST'],
    [`/api/names/${name}/records`, 'POST', { value: cid, ttlMs: -1 }, '400 INVALID_REQUEST'],
    [`/api/names/${name}/records`, 'POST', { value: 'x'.repeat(3000) }, '400 INVALID_REQUEST'],
    [`/api/names/${name}/record`, 'PUT', { record: 'AAAA' }, '400 INVALID_IPNS_RECORD'],
    [`/api/names/${name}/record`, 'PUT', { record: 'A'.repeat(20_000) }, '400 INVALID_REQUEST'],
    ['/api/names/k51nothinghere', 'PATCH', { label: 'x' }, '400 INVALID_NAME'],
    [`/api/names/${'0'.repeat(32)}`, 'PATCH', { label: 'x' }, '404 NAME_NOT_FOUND'],
    [`/api/names/${name}`, 'PATCH', { label: '' }, '400 INVALID_REQUEST'],
  ]
  for (const [path, method, body, wanted] of refused) {
    const { status, json } = await call<{ error: { code: string } }>(path, method, body)
    expect(`${status} ${json.error.code}`, `${method} ${path}`).toBe(wanted)
  }
})

test('exports a key to an API key with every scope, and to no other', async () => {
  const { name } = await create()
  const at = `/api/names/${name}/key`
  const exported = await call<{ format: string; key: string }>(at, 'POST', {})
  expect(exported.json.format).toBe('libp2p')
  expect((await importNameKey(exported.json.key)).name).toBe(name)
  const pem = await call<{ key: string }>(at, 'POST', { format: 'pem' })
  expect(pem.json.key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
  for (const scopes of [['account'], ['files:write', 'account'], ['files:read', 'files:write']] as const) {
    const narrow = await storage.createKey(undefined, { scopes })
    expect((await call(at, 'POST', {}, narrow)).status).toBe(403)
  }
  expect((await call(at, 'POST', {}, await storage.createKey())).status).toBe(404)
  expect((await storage.call(at, jsonBody({}))).status).toBe(401)
})

test('delegated routing returns and accepts records', async () => {
  const { context } = storage
  const owner = await createNameKey()
  const at = `/routing/v1/ipns/${owner.name}`
  const put = async (sequence: bigint, type = recordType, options: { lifetimeMs?: number } = {}) => {
    const { lifetimeMs = 3_600_000 } = options
    const record = { value: `/ipfs/${cid}`, sequence, lifetimeMs, ttlMs: 90_000, now: context.clock.now() }
    const body = new Uint8Array(await createRecord(owner, record))
    return { ...(await storage.call(at, { method: 'PUT', headers: { 'content-type': type }, body })), sent: body }
  }
  const codeOf = ({ status, headers }: { status: number; headers: Headers }) =>
    `${status} ${headers.get('x-cairn-code')}`
  const missing = await storage.call(at, { headers: { accept: recordType } })
  expect(missing.status).toBe(200)
  expect(missing.headers.get('content-type')).toMatch(/^text\/plain/)
  expect(missing.headers.get('cache-control')).toBe('public, max-age=15')
  const { status, sent } = await put(5n)
  expect(status).toBe(200)
  const answer = await fetch(`${storage.apiUrl}${at}`, { headers: { accept: recordType, origin: 'https://a.example' } })
  expect(await answer.bytes()).toEqual(sent)
  const { headers } = answer
  expect(headers.get('content-type')).toBe(recordType)
  expect(headers.get('cache-control')).toBe('public, max-age=90')
  expect(headers.get('vary')).toContain('Accept')
  expect(headers.get('access-control-allow-origin')).toBeTruthy()
  const etag = headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
  expect((await storage.call(at, { headers: { 'if-none-match': etag } })).status).toBe(304)
  expect(codeOf(await storage.call(at, { headers: { accept: 'text/html' } }))).toBe('406 NOT_ACCEPTABLE')
  expect(codeOf(await put(4n))).toBe('409 IPNS_RECORD_OUTDATED')
  expect(codeOf(await put(6n, 'application/octet-stream'))).toBe('406 NOT_ACCEPTABLE')
  expect(codeOf(await put(6n, recordType, { lifetimeMs: -1 }))).toBe('400 IPNS_RECORD_EXPIRED')
  const large = { method: 'PUT', headers: { 'content-type': recordType }, body: new Uint8Array(10_241) }
  expect(codeOf(await storage.call(at, large))).toBe('413 PAYLOAD_TOO_LARGE')
  expect(codeOf(await storage.call(at, { ...large, body: 'hello' }))).toBe('400 INVALID_IPNS_RECORD')
  expect(codeOf(await storage.call('/routing/v1/ipns/k51nothinghere'))).toBe('400 INVALID_NAME')
  expect((await put(6n)).status).toBe(200)
  const b58 = base58btc.encode(CID.parse(owner.name, base36).multihash.bytes).slice(1)
  expect((await storage.call(`/routing/v1/ipns/${b58}`)).headers.get('content-type')).toBe(recordType)
})

test('delegated routing names our gateway for stored content, and no provider for the rest', async () => {
  const form = new FormData()
  form.set('file', new Blob(['provided']), 'a.txt')
  const added = await storage.call('/api/v0/add', { method: 'POST', body: form, ...bearer(key) })
  const { Hash: stored } = JSON.parse(added.body)
  const ask = async (path: string, accept = 'application/json') => storage.call(path, { headers: { accept } })
  const found = await ask(`/routing/v1/providers/${stored}`)
  const [host, port] = new URL(storage.gatewayUrl).host.split(':')
  const record = {
    Schema: 'peer',
    ID: expect.stringMatching(/^12D3Koo/),
    Addrs: [`/ip4/${host}/tcp/${port}/http`],
    Protocols: ['transport-ipfs-gateway-http'],
  }
  expect(found.json).toEqual({ Providers: [record] })
  expect(found.headers.get('cache-control')).toBe('public, max-age=300')
  const missing = await ask(`/routing/v1/providers/${cid}`)
  expect(missing).toMatchObject({ status: 200, json: { Providers: [] } })
  expect(missing.headers.get('cache-control')).toBe('public, max-age=15')
  const lines = await ask(`/routing/v1/providers/${stored}`, 'application/x-ndjson')
  expect(lines.headers.get('content-type')).toBe('application/x-ndjson')
  expect(JSON.parse(lines.body)).toEqual(record)
  expect((await ask(`/routing/v1/providers/${cid}`, 'application/x-ndjson')).body).toBe('')
  expect((await ask('/routing/v1/providers/nonsense1')).status).toBe(400)
  const filtered = async (query: string) => (await ask(`/routing/v1/providers/${stored}?${query}`)).json
  for (const query of ['filter-protocols=transport-bitswap', 'filter-addrs=!http', 'filter-addrs=quic-v1']) {
    expect(await filtered(query), query).toEqual({ Providers: [] })
  }
  for (const query of [
    'filter-protocols=unknown,transport-ipfs-gateway-http',
    'filter-addrs=http',
    'filter-addrs=!tls',
  ]) {
    expect(await filtered(query), query).toEqual({ Providers: [record] })
  }
  const { ID: id } = JSON.parse(lines.body)
  expect((await ask(`/routing/v1/peers/${id}`)).json).toEqual({ Peers: [record] })
  expect((await ask(`/routing/v1/peers/${(await createNameKey()).name}`)).json).toEqual({ Peers: [] })
})

test('publications have a rate limit, which the answer states', async () => {
  await using limited = await startTestStorage()
  const own = await limited.createKey()
  const headers = { 'content-type': 'application/json', ...bearer(own).headers }
  const ask = (path: string, body: unknown) =>
    limited.call(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const { json } = await ask('/api/names', { label: null })
  const { name } = json as Name
  // More than any machine could refill meanwhile; invalid requests count, too.
  const answers = await Promise.all(
    Array.from({ length: 4 * namePublishesPerMinute }, () => ask(`/api/names/${name}/records`, { value: 'nonsense' })),
  )
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(namePublishesPerMinute)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]?.headers.get('x-cairn-code')).toBe('RATE_LIMITED')
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
  limited.pass(60_000)
  expect((await ask(`/api/names/${name}/records`, { value: cid })).status).toBe(200)
})

test('the log contains neither keys nor the secret, and no file contains a key', async () => {
  const { name } = await create()
  await call(`/api/names/${name}/records`, 'POST', { value: cid })
  const exported = await call<{ key: string }>(`/api/names/${name}/key`, 'POST', {})
  const { seed } = await importNameKey(exported.json.key)
  const secret = (await readFile(join(storage.home, secretFileName), 'utf8')).trim()
  const keyForms = [Buffer.from(seed), Buffer.from(Buffer.from(seed).toString('hex')), Buffer.from(exported.json.key)]
  const log = Buffer.from(storage.log.join('\n'))
  expect(log.length).toBeGreaterThan(1000)
  for (const form of [...keyForms, Buffer.from(secret), Buffer.from(secret, 'hex')])
    expect(log.includes(form)).toBe(false)
  const files = (await readdir(storage.home, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
  expect(files.length).toBeGreaterThan(1)
  for (const file of files) {
    const bytes = await readFile(join(file.parentPath, file.name))
    for (const form of keyForms) expect(bytes.includes(form), file.name).toBe(false)
    if (file.name !== secretFileName) expect(bytes.includes(Buffer.from(secret)), file.name).toBe(false)
  }
})
