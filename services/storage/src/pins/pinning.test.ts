import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { migrations, openDatabase } from '../db/database.ts'
import { bearer, jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

type Status = {
  requestid: string
  status: string
  created: string
  pin: { cid: string; name?: string; origins?: string[]; meta?: Record<string, string> }
  delegates: string[]
  info: Record<string, string>
}
type Answer<T> = { status: number; headers: Headers; json: T }

let origin: TestStorage
let originKey: string
let storage: TestStorage
let key: string
let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres(migrations)
  origin = await startTestStorage()
  originKey = await origin.createKey()
})
afterAll(async () => {
  await origin?.[Symbol.asyncDispose]()
  await postgres?.stop()
})

const settings = { CAIRN_PIN_PRIVATE_ORIGINS: 'on', CAIRN_FREE_BYTES: String(2 * 1024 * 1024), CAIRN_RATE_FACTOR: '0' }

async function call<T>(path: string, method = 'GET', body?: unknown, by = key): Promise<Answer<T>> {
  const sent = body === undefined ? { method } : jsonBody(body, method)
  const answer = await storage.call(path, { ...sent, headers: { ...sent.headers, ...bearer(by).headers } })
  // Each test says what it reads.
  return { status: answer.status, headers: answer.headers, json: answer.json as T }
}

async function add(
  to: TestStorage,
  by: string,
  files: Record<string, string | Uint8Array<ArrayBuffer>>,
): Promise<string> {
  const body = new FormData()
  for (const [name, content] of Object.entries(files)) body.append('file', new Blob([content]), name)
  const { json } = await to.call('/api/v0/add', { method: 'POST', headers: bearer(by).headers, body })
  return (json as { Hash: string }).Hash
}

const multiaddrOf = (url: string) => `/ip4/127.0.0.1/tcp/${new URL(url).port}/http`

async function pin(body: unknown): Promise<Status> {
  const { status, json } = await call<Status>('/pins', 'POST', body)
  expect([status, json]).toMatchObject([202, { requestid: expect.any(String) }])
  return json
}

const get = async (id: string) => (await call<Status>(`/pins/${id}`)).json

/** Waits until a pin has one of these states. */
async function until(id: string, ...wanted: string[]): Promise<Status> {
  await expect.poll(async () => (await get(id)).status, { interval: 100 }).toBeOneOf(wanted)
  return get(id)
}

/** Lets each pause between tries pass, until the pin has failed. */
async function untilFailed(id: string): Promise<Status> {
  await expect
    .poll(
      async () => {
        storage.pass(60_000)
        return (await get(id)).status
      },
      { interval: 100 },
    )
    .toBe('failed')
  return get(id)
}

const usage = async () => (await call<{ dataUsed: number }>('/api/user/user_data_usage')).json.dataUsed
const filesOf = async () =>
  (await call<{ fileList: { cid: string; fileName: string }[] }>('/api/user/files_uploaded')).json.fileList

/** Answers with what another server answered. */
const passOn = (response: ServerResponse) => async (answer: Response) => {
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
  response.end(Buffer.from(await answer.arrayBuffer()))
}

/** A server that answers as the test says, in front of nothing. */
async function serve(listener: RequestListener): Promise<AsyncDisposable & { url: string; server: Server }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe.each(['sqlite', 'postgres'] as const)('on %s', (kind) => {
  beforeAll(async () => {
    const database = kind === 'sqlite' ? {} : { CAIRN_DATABASE_URL: await postgres.createDatabase() }
    storage = await startTestStorage({ ...settings, ...database })
  })
  afterAll(() => storage?.[Symbol.asyncDispose]())
  beforeEach(async () => {
    key = await storage.createKey()
  })

  describe('a pin', () => {
    test('is fetched from its origin in the background, verified, listed and counted', async () => {
      const cid = await add(origin, originKey, { 'd/a': 'A'.repeat(700_000), 'd/b/c': 'C' })
      const requested = {
        cid,
        name: 'my folder',
        origins: ['/ip4/127.0.0.1/tcp/4001/p2p/12D3KooWNothing', multiaddrOf(origin.gatewayUrl)],
        meta: { app: 'test' },
      }
      const queued = await pin(requested)
      expect(queued).toMatchObject({
        status: 'queued',
        pin: requested,
        info: { status_details: 'Skipped 1 origins that are not HTTP gateways.' },
      })
      expect(queued.created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(queued.delegates).toEqual([expect.stringMatching(/^\/ip4\/127\.0\.0\.1\/tcp\/\d+\/http\/p2p\/12D3Koo/)])
      const pinned = await until(queued.requestid, 'pinned', 'failed')
      expect(pinned).toMatchObject({ status: 'pinned', created: queued.created, info: { raw_size: '700001' } })
      expect(Number(pinned.info['dag_size'])).toBeGreaterThan(700_001)
      const read = await fetch(`${storage.gatewayUrl}/ipfs/${cid}/b/c`)
      expect(await read.text()).toBe('C')
      expect(await usage()).toBe(700_001)
      expect(await filesOf()).toMatchObject([{ cid, fileName: 'my folder' }])
    })

    test('of stored content is pinned with the answer', async () => {
      const cid = await add(storage, await storage.createKey(), { x: 'stored by another account' })
      const pinned = await pin({ cid })
      expect(pinned).toMatchObject({ status: 'pinned', pin: { cid }, info: { raw_size: '25' } })
      expect(await usage()).toBe(25)
    })

    test('is fetched block by block from a gateway without CARs', async () => {
      const cid = await add(origin, originKey, { big: 'block by block '.repeat(60_000) })
      const asked: string[] = []
      await using front = await serve((request, response) => {
        const url = new URL(request.url ?? '', origin.gatewayUrl)
        const format = url.searchParams.get('format') ?? ''
        asked.push(format)
        if (format === 'car') return response.writeHead(406).end()
        return fetch(url, { headers: { accept: 'application/vnd.ipld.raw' } })
          .then(passOn(response))
          .catch(() => response.destroy())
      })
      const { requestid } = await pin({ cid, origins: [multiaddrOf(front.url)] })
      expect(await until(requestid, 'pinned', 'failed')).toMatchObject({
        status: 'pinned',
        info: { raw_size: '900000' },
      })
      expect(new Set(asked)).toEqual(new Set(['car', 'raw']))
      expect(asked.length).toBeGreaterThan(4)
    })

    test('fails with the reason, after all tries, if its origins are offline or lie', async () => {
      await using gone = await serve(() => undefined)
      const { url } = gone
      await gone[Symbol.asyncDispose]()
      const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
      await using liar = await serve((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/vnd.ipld.raw' }).end('hello w0rld')
      })
      const { requestid } = await pin({ cid, origins: [multiaddrOf(url), multiaddrOf(liar.url)] })
      const { info } = await untilFailed(requestid)
      expect(info['status_details']).toContain(`The gateway ${new URL(url).host} could not be reached`)
      expect(info['status_details']).toContain(`The gateway ${new URL(liar.url).host} returned invalid data`)
      expect(await usage()).toBe(0)
      expect(await filesOf()).toEqual([])
    })

    test('fails at once without a source, and if the account has too little storage', async () => {
      const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
      const without = await until((await pin({ cid })).requestid, 'failed')
      expect(without.info['status_details']).toMatch(/no origin is an HTTP gateway, and the operator configured none/)
      const large = await add(origin, originKey, { big: new Uint8Array(3 * 1024 * 1024).fill(7) })
      const { requestid } = await pin({ cid: large, origins: [multiaddrOf(origin.gatewayUrl)] })
      expect((await until(requestid, 'failed')).info['status_details']).toMatch(/^QUOTA_EXCEEDED: /)
      expect(await usage()).toBe(0)
    })

    test('is deleted with its upload, and its upload with it', async () => {
      const other = await storage.createKey()
      const cid = await add(storage, other, { x: 'to be removed again' })
      const first = await pin({ cid })
      const second = await pin({ cid })
      expect(await usage()).toBe(2 * 19)
      expect((await call(`/pins/${first.requestid}`, 'DELETE', undefined, other)).status).toBe(404)
      const removed = await call(`/pins/${first.requestid}`, 'DELETE')
      expect([removed.status, removed.json]).toEqual([202, undefined])
      expect((await call(`/pins/${first.requestid}`)).status).toBe(404)
      expect(await usage()).toBe(19)
      await call('/api/user/delete_file', 'DELETE', undefined)
      const [file] = (await call<{ fileList: { id: string }[] }>('/api/user/files_uploaded')).json.fileList
      await call(`/api/user/delete_file?id=${file?.id}`, 'DELETE')
      expect((await call(`/pins/${second.requestid}`)).status).toBe(404)
      expect(await usage()).toBe(0)
    })

    test('that replaces another keeps the stored content until the new one is complete', async () => {
      const cid = await add(storage, await storage.createKey(), { x: 'the old content' })
      const old = await pin({ cid, name: 'old' })
      const next = await add(origin, originKey, { y: 'the new content!' })
      const asked = Promise.withResolvers<void>()
      const go = Promise.withResolvers<void>()
      await using front = await serve((request, response) => {
        asked.resolve()
        go.promise
          .then(() => fetch(new URL(request.url ?? '', origin.gatewayUrl)))
          .then(passOn(response))
          .catch(() => response.destroy())
      })
      const body = { cid: next, origins: [multiaddrOf(front.url)] }
      const replaced = await call<Status>(`/pins/${old.requestid}`, 'POST', body)
      expect([replaced.status, replaced.json.status]).toEqual([202, 'queued'])
      expect(replaced.json.requestid).not.toBe(old.requestid)
      expect((await call(`/pins/${old.requestid}`)).status).toBe(404)
      expect((await call(`/pins/${old.requestid}`, 'POST', body)).status).toBe(404)
      await asked.promise
      expect(await filesOf()).toMatchObject([{ cid }])
      go.resolve()
      await until(replaced.json.requestid, 'pinned')
      expect(await filesOf()).toMatchObject([{ cid: next }])
      expect(await usage()).toBe(16)
    })

    test('that is removed while it is fetched leaves nothing', async () => {
      const cid = await add(origin, originKey, { z: 'never stored' })
      const asked = Promise.withResolvers<void>()
      const go = Promise.withResolvers<void>()
      await using front = await serve((request, response) => {
        asked.resolve()
        go.promise
          .then(() => fetch(new URL(request.url ?? '', origin.gatewayUrl)))
          .then(passOn(response))
          .then(() => answered.resolve())
          .catch(() => response.destroy())
      })
      const answered = Promise.withResolvers<void>()
      const { requestid } = await pin({ cid, origins: [multiaddrOf(front.url)] })
      await asked.promise
      expect(await get(requestid)).toMatchObject({ status: 'pinning' })
      expect((await call(`/pins/${requestid}`, 'DELETE')).status).toBe(202)
      go.resolve()
      await answered.promise
      const { db } = storage.context
      await expect.poll(() => db.read.selectFrom('reservation').selectAll().execute()).toEqual([])
      expect([await usage(), await filesOf()]).toEqual([0, []])
    })
  })

  describe('a list', () => {
    test('starts with the newest, and is filtered by state, name, CID, meta and time', async () => {
      const other = await storage.createKey()
      const cids = await Promise.all(['one', 'two'].map((text) => add(storage, other, { f: text })))
      const pins: Status[] = []
      for (let i = 0; i < 12; i++) {
        pins.push(
          await pin({ cid: cids[i % 2], name: `Pin Ü${i}`, meta: { number: String(i), even: String(i % 2 === 0) } }),
        )
      }
      const nowhere = await pin({
        cid: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku',
        name: '100%_[x]',
      })
      await until(nowhere.requestid, 'failed')
      expect(new Set(pins.map(({ created }) => created)).size).toBe(12)
      const list = async (query: Record<string, string>) => {
        const { status, json } = await call<{ count: number; results: Status[] }>(`/pins?${new URLSearchParams(query)}`)
        expect(status).toBe(200)
        return { count: json.count, names: json.results.map((row) => row.pin.name) }
      }
      const names = (...numbers: number[]) => numbers.map((number) => `Pin Ü${number}`)
      expect(await list({})).toEqual({ count: 12, names: names(11, 10, 9, 8, 7, 6, 5, 4, 3, 2) })
      expect(await list({ before: pins[2]?.created ?? '' })).toEqual({ count: 2, names: names(1, 0) })
      expect(await list({ after: pins[9]?.created ?? '', limit: '1' })).toEqual({ count: 2, names: names(11) })
      expect(await list({ name: 'Pin Ü3' })).toEqual({ count: 1, names: names(3) })
      expect(await list({ name: 'PIN ü3' })).toEqual({ count: 0, names: [] })
      expect(await list({ name: 'PIN ü3', match: 'iexact' })).toEqual({ count: 1, names: names(3) })
      expect(await list({ name: 'n Ü1', match: 'partial' })).toEqual({ count: 3, names: names(11, 10, 1) })
      expect(await list({ name: 'N ü1', match: 'ipartial' })).toEqual({ count: 3, names: names(11, 10, 1) })
      expect(await list({ name: '%_[', match: 'partial' })).toEqual({ count: 1, names: ['100%_[x]'] })
      expect(await list({ status: 'failed,queued' })).toEqual({ count: 1, names: ['100%_[x]'] })
      expect((await list({ cid: cids[0] ?? '', limit: '1000' })).count).toBe(6)
      expect((await list({ cid: cids.join(','), status: 'pinned' })).count).toBe(12)
      expect(await list({ meta: '{"number":"7","even":"false"}' })).toEqual({ count: 1, names: names(7) })
      expect((await list({ meta: '{"even":"true"}' })).count).toBe(6)
      expect(await list({ meta: '{"a\'b\\"c":"x"}' })).toEqual({ count: 0, names: [] })
      const several = await call<{ count: number }>(`/pins?cid=${cids[0]}&cid=${cids[1]}&status=pinned&status=failed`)
      expect(several.json.count).toBe(12)
    })
  })

  describe('errors', () => {
    test('for content that cannot be stored come before a pin is recorded', async () => {
      const unsafe = CID.createV1(0x55, create(0x22, new Uint8Array(8)))
      const cut = CID.createV1(0x55, create(0x12, new Uint8Array(19)))
      const key = CID.createV1(0x72, create(0x12, new Uint8Array(32)))
      const kept = await call<Status>('/pins', 'POST', { cid: 'bafkqaaa' })
      const before = (await call<{ count: number }>('/pins?status=queued,pinning,pinned,failed')).json.count
      for (const [cid, details] of [
        [unsafe, /^Hash function murmur3-x64-64 \(0x22\) is not supported\n/],
        [cut, /^A digest of sha2-256 has 19 bytes, expected 20 to 32\n/],
        [key, /^Codec 0x72 is not supported\n/],
      ] as const) {
        for (const path of ['/pins', `/pins/${kept.json.requestid}`]) {
          const { status, json } = await call(path, 'POST', { cid: `${cid}` })
          const error = { reason: 'UNSUPPORTED_CODEC', details: expect.stringMatching(details) }
          expect([path, status, json]).toEqual([path, 400, { error }])
        }
        const now = await call('/api/lighthouse/pin', 'POST', { cid: `${cid}` })
        expect([now.status, now.headers.get('x-cairn-code')]).toEqual([400, 'UNSUPPORTED_CODEC'])
      }
      expect((await call<{ count: number }>('/pins?status=queued,pinning,pinned,failed')).json.count).toBe(before)
      expect((await call(`/pins/${kept.json.requestid}`)).status).toBe(200)
    })

    test('have a reason and details', async () => {
      const wrong: [Promise<Answer<unknown>>, number, string][] = [
        [call('/pins', 'POST', { cid: 'nonsense!' }), 400, 'INVALID_CID'],
        [call('/pins', 'POST', { cid: 'bafkrei123' }), 400, 'INVALID_CID'],
        [call('/pins', 'POST', {}), 400, 'INVALID_REQUEST'],
        [call('/pins', 'POST', { cid: 'bafkqaaa', name: '../x' }), 400, 'INVALID_PATH'],
        [call('/pins', 'POST', { cid: 'bafkqaaa', meta: { a: 1 } }), 400, 'INVALID_REQUEST'],
        [call('/pins?limit=0'), 400, 'INVALID_REQUEST'],
        [call('/pins?limit=1001'), 400, 'INVALID_REQUEST'],
        [call('/pins?status=done'), 400, 'INVALID_REQUEST'],
        [call('/pins?before=yesterday'), 400, 'INVALID_REQUEST'],
        [call('/pins?meta=%7B'), 400, 'INVALID_REQUEST'],
        [call('/pins', 'GET', undefined, 'wrong'), 401, 'UNAUTHENTICATED'],
        [call('/pins/018f0000-0000-7000-8000-000000000000'), 404, 'PIN_NOT_FOUND'],
        [call('/pins/018f0000-0000-7000-8000-000000000000', 'DELETE'), 404, 'PIN_NOT_FOUND'],
      ]
      for (const [answer, status, reason] of wrong) {
        const { json, ...rest } = await answer
        expect([rest.status, json]).toEqual([status, { error: { reason, details: expect.stringMatching(/.\n./) } }])
      }
    })
  })
})

describe('pins', () => {
  test('with private origins are rejected unless the operator allows them', async () => {
    await using strict = await startTestStorage()
    const strictKey = await strict.createKey()
    const cid = await add(origin, originKey, { p: 'private' })
    const { port } = new URL(origin.gatewayUrl)
    const origins = [multiaddrOf(origin.gatewayUrl), `/dns4/localhost/tcp/${port}/http`]
    const sent = {
      ...jsonBody({ cid, origins }),
      headers: { ...bearer(strictKey).headers, 'content-type': 'application/json' },
    }
    const { requestid } = (await strict.call('/pins', sent)).json as Status
    const read = async () => (await strict.call(`/pins/${requestid}`, bearer(strictKey))).json as Status
    await expect.poll(async () => (await read()).status).toBe('failed')
    expect((await read()).info['status_details']).toMatch(
      /^ADDRESS_NOT_ALLOWED: 127\.0\.0\.1 is not on the public internet; localhost is not on the public internet/,
    )
  })

  test('are limited per account while they are unfinished', async () => {
    await using small = await startTestStorage({ CAIRN_MAX_OPEN_PINS: '1', CAIRN_PIN_PRIVATE_ORIGINS: 'on' })
    const by = await small.createKey()
    await using silent = await serve(() => undefined)
    const send = (cid: string) => {
      const body = jsonBody({ cid, origins: [multiaddrOf(silent.url)] })
      return small.call('/pins', { ...body, headers: { ...body.headers, ...bearer(by).headers } })
    }
    expect((await send('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')).status).toBe(202)
    const refused = await send('bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e')
    expect([refused.status, refused.headers.get('x-cairn-code')]).toEqual([403, 'PIN_LIMIT'])
  })

  test('are fetched again after a restart or the end of their replica', async () => {
    const home = await mkdtemp(join(tmpdir(), 'cairn-pins-'))
    const cid = await add(origin, originKey, { r: 'after a restart' })
    const asked = Promise.withResolvers<void>()
    let isSilent = true
    await using front = await serve((request, response) => {
      asked.resolve()
      if (isSilent) return
      fetch(new URL(request.url ?? '', origin.gatewayUrl))
        .then(passOn(response))
        .catch(() => response.destroy())
    })
    const own = { ...settings, CAIRN_HOME: home }
    try {
      await using first = await startTestStorage(own)
      const by = await first.createKey()
      const body = jsonBody({ cid, origins: [multiaddrOf(front.url)] })
      const sent = await first.call('/pins', { ...body, headers: { ...body.headers, ...bearer(by).headers } })
      const { requestid } = sent.json as Status
      await asked.promise
      await first[Symbol.asyncDispose]()
      isSilent = false
      const db = await openDatabase({ kind: 'sqlite', path: join(home, 'storage.sqlite') })
      expect(await db.read.selectFrom('pin').select(['status', 'owner', 'tries']).execute()).toEqual([
        { status: 'queued', owner: null, tries: 0 },
      ])
      // As a process leaves it that is killed.
      const killed = { status: 'pinning', owner: 'killed', owner_until: Date.now() + 3_600_000 } as const
      await db.write((trx) => trx.updateTable('pin').set(killed).execute())
      await db.close()
      await using second = await startTestStorage(own)
      const read = async () => ((await second.call(`/pins/${requestid}`, bearer(by))).json as Status).status
      await expect.poll(read).toBe('pinned')
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  })
})
