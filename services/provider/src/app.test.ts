import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allCalls, CairnError, callPath, commonErrors, isErrorCode, type PieceStatus } from '@cairn/protocol'
import { createReadiness } from '@cairn/service'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProviderApp } from './app.ts'
import { readProviderConfig } from './config.ts'
import {
  bytesOf,
  cidOf,
  startTestProvider,
  startTestSource,
  type TestProvider,
  type TestSource,
  testKey,
} from './test-provider.fixture.ts'

let source: TestSource
let provider: TestProvider
beforeAll(async () => {
  source = await startTestSource()
  provider = await startTestProvider(`${source.url}/allowed, https://other.example/a/`, {
    CAIRN_PROVIDER_CAPACITY_BYTES: '1000000',
    CAIRN_PROVIDER_MAX_PAYLOAD_BYTES: '500000',
  })
})
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await source[Symbol.asyncDispose]()
})

const put = async (length: number, seed: number) => {
  const payload = bytesOf(length, seed)
  return { cid: await cidOf(payload), url: source.put(`/allowed/${length}-${seed}`, payload) }
}
const calls = allCalls.filter(({ host }) => host === 'provider')

test('every route is a call of the list, and every call of a provider has a route', async () => {
  const { context } = provider
  const pulls = { wake: () => undefined, [Symbol.asyncDispose]: async () => undefined }
  const app = createProviderApp(context, pulls, createReadiness({}, context.log), new AbortController().signal)
  await app.ready()
  const served = app.cairnRoutes.filter(({ method }) => method !== 'HEAD').map(({ callId }) => callId)
  expect(served.sort()).toEqual([...calls.map(({ id }) => id), 'getHealth', 'getReadiness'].sort())
  await app.close()
})

describe('access', () => {
  const withKey = calls.filter(({ auth }) => auth === 'providerKey').map((call) => [call.id, call] as const)

  test.each(withKey)('%s needs the key of the provider', async (_id, call) => {
    const { cid } = await put(10, 1)
    const path = callPath(call, { cid })
    for (const key of [null, 'wrong', `${testKey}k`, testKey.slice(1)]) {
      const { status, code, json } = await provider.call(call.method, path, {
        key,
        ...(call.method === 'POST' ? { body: { piece: cid, url: source.url } } : {}),
      })
      expect([status, code]).toEqual([401, 'UNAUTHENTICATED'])
      expect(json).toMatchObject({ error: { hint: expect.stringContaining('the key of this provider') } })
    }
  })

  test('all other calls are open, and return only declared errors', async () => {
    for (const call of calls.filter(({ auth }) => auth === 'none')) {
      const { cid } = await put(10, 2)
      const body = call.method === 'POST' ? { body: { nonce: '00'.repeat(32), count: 1 } } : {}
      const { status, code } = await provider.call(call.method, callPath(call, { cid }), { key: null, ...body })
      if (call.id === 'describeProvider') expect(status).toBe(200)
      else expect([status, code]).toEqual([404, 'PIECE_NOT_FOUND'])
    }
  })
})

test('a provider returns its identity, contents and limits', async () => {
  const { status, json } = await provider.call('GET', '/', { key: null })
  expect(status).toBe(200)
  expect(json).toMatchObject({
    name: 'test',
    id: expect.stringMatching(/^z6Mk/),
    capacityBytes: 1_000_000,
    limits: { maxPayloadBytes: 500_000, maxPossessionLeaves: 64, pullsAtOnce: 2 },
  })
  expect((await provider.call('GET', '/healthz')).json).toEqual({ status: 'ok' })
  expect((await provider.call('GET', '/readyz')).json).toMatchObject({ status: 'ready', parts: { database: 'ok' } })
  expect(await provider.metrics()).toContain('cairn_provider_capacity_bytes 1000000')
})

describe('an offer is rejected', () => {
  test.each([
    'http://127.0.0.1:1/allowed/x',
    'http://user@HOST/allowed/x',
    'HOST/other/x',
    'HOST/allowedx',
    'HOST/allowed/../other',
    'HOST/allowed/%2e%2e/other',
    'HOST/allowed/%2E%2E%2Fother',
    'HOST/allowed/..%5cother',
    'HOST/allowed\\..\\other',
    'https://other.example.evil.example/a/x',
    'https://other.example@evil.example/a/x',
    'http://other.example/a/x',
    'https://other.example:8443/a/x',
    'file:///etc/passwd',
    'data:text/plain,x',
  ])('for the source %s', async (text) => {
    const { cid } = await put(10, 3)
    const host = source.url
    const url = text.replace('http://user@HOST', host.replace('//', '//user@')).replace('HOST', host)
    const asked = source.requests.length
    const { status, code, json } = await provider.offer(cid, url)
    expect([status, code]).toEqual([403, 'SOURCE_NOT_ALLOWED'])
    // States the origin of the source, and nothing else of its URL.
    const message = expect.stringMatching(/^This provider does not fetch from that (source|URL of https?:\/\/[\w.:]+)$/)
    expect(json).toMatchObject({ error: { message } })
    expect(source.requests).toHaveLength(asked)
    expect((await provider.call('GET', `/pieces/${cid}`)).code).toBe('PIECE_NOT_FOUND')
  })

  test('for an invalid URL or piece', async () => {
    const { cid, url } = await put(10, 4)
    expect((await provider.offer(cid, 'nowhere')).code).toBe('INVALID_REQUEST')
    expect((await provider.offer('bafkqaaabbbbbbbbbbbbbbb', url)).code).toBe('INVALID_PIECE_CID')
    expect((await provider.offer(`${cid}/..`, url)).code).toBe('INVALID_REQUEST')
    // A piece CID of version 1 does not contain the length of the payload.
    const v1 = 'baga6ea4seaqomqafu276g53zko4k23xzh4h4uecjwicbmvhsuqi7o4bhthhm4aq'
    expect((await provider.offer(v1, url)).code).toBe('INVALID_PIECE_CID')
  })

  test('for one that is too large', async () => {
    const { cid, url } = await put(500_001, 5)
    const { status, code, json } = await provider.offer(cid, url)
    expect([status, code]).toEqual([413, 'PIECE_TOO_LARGE'])
    expect(json).toMatchObject({ error: { details: { limitBytes: 500_000 } } })
  })

  test('without free space, until there is some', async () => {
    const first = await put(500_000, 6)
    const second = await put(499_000, 7)
    const third = await put(2_000, 8)
    for (const { cid, url } of [first, second]) {
      expect((await provider.offer(cid, url)).status).toBe(202)
      await provider.until(cid, 'kept')
    }
    const refused = await provider.offer(third.cid, third.url)
    expect([refused.status, refused.code]).toEqual([507, 'PROVIDER_FULL'])
    // A stored piece may be offered again.
    expect((await provider.offer(first.cid, first.url)).status).toBe(202)
    expect((await provider.call('DELETE', `/pieces/${first.cid}`)).json).toEqual({ piece: first.cid, removed: true })
    expect((await provider.offer(third.cid, third.url)).status).toBe(202)
    await provider.until(third.cid, 'kept')
    for (const { cid } of [second, third]) await provider.call('DELETE', `/pieces/${cid}`)
  })

  test('for one of two concurrent offers that only fit alone', async () => {
    const pieces = await Promise.all([9, 10, 11, 12].map((seed) => put(400_000, seed)))
    const answers = await Promise.all(pieces.map(({ cid, url }) => provider.offer(cid, url)))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 507, 507])
    for (const { cid } of pieces) await provider.call('DELETE', `/pieces/${cid}`)
  })
})

test('every call answers any input with a declared error', async () => {
  const junk = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.constantFrom(
      '..',
      '%00',
      '%ff',
      'bafkzcibcaabdomn3tgwgrh3g532zopskstnbrd2n3sxfqbze7rxt7vqn7veigmy',
      'a'.repeat(161),
    ),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...calls),
      junk,
      fc.jsonValue({ maxDepth: 3 }),
      junk,
      async (call, cid, body, range) => {
        // The client would resolve a dot segment and request another path.
        const path = callPath(call, { cid: /^\.{0,2}$/.test(cid) ? 'x' : cid })
        const { status, code } = await provider.call(call.method, path, {
          ...(call.method === 'POST' ? { body } : {}),
          ...(/^[\x20-\x7e]*$/.test(range) ? { headers: { range } } : {}),
        })
        if (status < 300) return
        expect([...call.errors, ...commonErrors]).toContain(code)
        expect(status).toBeLessThan(500)
      },
    ),
    { numRuns: 300 },
  )
})

test('one folder has one provider', async () => {
  await expect(startTestProvider(source.url, {}, { home: provider.home })).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining(provider.home),
  })
  expect((await provider.call('GET', '/readyz')).status).toBe(200)
})

test('lists pieces page by page, and by state', async () => {
  const pieces = await Promise.all([1, 2, 3, 4, 5].map((seed) => put(100 + seed, 20 + seed)))
  const lost = await cidOf(bytesOf(10, 30))
  for (const { cid, url } of pieces) await provider.offer(cid, url)
  await provider.offer(lost, `${source.url}/allowed/lost`)
  for (const { cid } of pieces) await provider.until(cid, 'kept')
  await provider.until(lost, 'failed')
  const found: string[] = []
  for (let next: string | undefined = ''; next !== undefined; ) {
    const { json } = await provider.call('GET', `/pieces?limit=2${next === '' ? '' : `&after=${next}`}`)
    const page = json as { pieces: PieceStatus[]; next?: string }
    expect(page.pieces.length).toBeLessThanOrEqual(2)
    found.push(...page.pieces.map(({ piece }) => piece))
    next = page.next
  }
  expect(found).toEqual([...pieces.map(({ cid }) => cid), lost].sort())
  const failed = await provider.call('GET', '/pieces?state=failed')
  expect(failed.json).toMatchObject({ pieces: [{ piece: lost, state: 'failed' }] })
  expect((await provider.call('GET', '/pieces?limit=0')).code).toBe('INVALID_REQUEST')
  for (const cid of found) await provider.call('DELETE', `/pieces/${cid}`)
})

describe('removing', () => {
  test('happens once, and leaves no file', async () => {
    const { cid, url } = await put(1000, 40)
    await provider.offer(cid, url)
    await provider.until(cid, 'kept')
    expect((await provider.call('DELETE', `/pieces/${cid}`)).json).toEqual({ piece: cid, removed: true })
    expect((await provider.call('DELETE', `/pieces/${cid}`)).json).toEqual({ piece: cid, removed: false })
    expect((await provider.call('GET', `/pieces/${cid}`)).code).toBe('PIECE_NOT_FOUND')
    expect(await provider.context.files.list()).not.toContain(cid)
  })

  test('ends a running pull', async () => {
    const { cid, url } = await put(400_000, 41)
    const closed = Promise.withResolvers<void>()
    source.handlers.push((request, response, body) => {
      request.socket.once('close', () => closed.resolve())
      response.writeHead(200, { 'content-length': body.length })
      response.write(body.subarray(0, 200_000))
    })
    await provider.offer(cid, url)
    await provider.untilReceived(cid, 1)
    expect((await provider.call('GET', `/pieces/${cid}`)).json).toMatchObject({ state: 'pulling' })
    expect((await provider.call('DELETE', `/pieces/${cid}`)).json).toEqual({ piece: cid, removed: true })
    await closed.promise
    expect(await provider.context.files.list()).not.toContain(cid)
    // It can be offered again.
    await provider.offer(cid, url)
    await provider.until(cid, 'kept')
    await provider.call('DELETE', `/pieces/${cid}`)
  })
})

test('rejects more challenges per minute than the limit of an address', async () => {
  await using strict = await startTestProvider(source.url, { CAIRN_RATE_FACTOR: '1' })
  const { cid } = await put(10, 50)
  const ask = async () =>
    (await strict.call('POST', `/pieces/${cid}/challenge`, { body: { nonce: 'aa'.repeat(32), count: 1 } })).code
  const codes: (string | null)[] = []
  // Two more are allowed per second, so a slow machine needs more requests until one is rejected.
  while (codes.at(-1) !== 'RATE_LIMITED') codes.push(await ask())
  expect(codes.filter((code) => code === 'PIECE_NOT_FOUND').length).toBeGreaterThanOrEqual(120)
})

describe('settings', () => {
  const right = {
    CAIRN_PROVIDER_SECRET: 'cd'.repeat(32),
    CAIRN_PROVIDER_KEY: 'a'.repeat(32),
    CAIRN_PROVIDER_SOURCES: 'https://storage.example/',
  }

  test('that are wrong are all reported at once, without secrets', () => {
    const wrong = {
      CAIRN_PROVIDER_SECRET: 'my secret',
      CAIRN_PROVIDER_KEY: 'short one',
      CAIRN_PROVIDER_SOURCES: 'ftp://x',
    }
    try {
      readProviderConfig({ ...wrong, CAIRN_PROVIDER_NAME: '<b>', CAIRN_PROVIDER_COLOUR: 'red' })
      expect.unreachable()
    } catch (error) {
      if (!CairnError.is(error)) throw error
      expect(error.code).toBe('INVALID_CONFIGURATION')
      expect(isErrorCode(error.code)).toBe(true)
      for (const name of [...Object.keys(wrong), 'CAIRN_PROVIDER_NAME', 'CAIRN_PROVIDER_COLOUR']) {
        expect(error.message).toContain(name)
      }
      expect(error.message).not.toMatch(/my secret|short one/)
    }
  })

  test('for sources with credentials or a query are rejected', () => {
    for (const source of ['https://user:pass@storage.example', 'https://storage.example/?token=1']) {
      expect(() => readProviderConfig({ ...right, CAIRN_PROVIDER_SOURCES: source })).toThrow('CAIRN_PROVIDER_SOURCES')
    }
    expect(readProviderConfig(right).sources).toEqual(['https://storage.example'])
  })

  test('with another secret do not open a folder', async () => {
    const home = await mkdtemp(join(tmpdir(), 'cairn-provider-'))
    await (await startTestProvider(source.url, {}, { home }))[Symbol.asyncDispose]()
    await expect(startTestProvider(source.url, { CAIRN_PROVIDER_SECRET: '12'.repeat(32) }, { home })).rejects.toThrow(
      'another secret',
    )
    await rm(home, { recursive: true, force: true })
  })
})
