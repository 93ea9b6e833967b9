// The event log through the API: order, completeness, streams and expiry, on each database.
import type { EventPage, Scope } from '@cairn/protocol'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { sql } from 'kysely'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrations } from '../db/database.ts'
import { bearer, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { pruneEvents } from './prune-events.ts'
import { recordEvents } from './record-events.ts'
import { openStream } from './stream-reader.fixture.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

const upload = async (
  storage: TestStorage,
  key: string,
  name: string,
  text = name,
  headers: Record<string, string> = {},
): Promise<void> => {
  const body = new FormData()
  body.append('file', new Blob([text]), name)
  const init = { method: 'POST', headers: { ...bearer(key).headers, ...headers }, body }
  const answer = await storage.call('/api/v0/add', init)
  expect(answer.status, answer.body).toBe(200)
}

const list = async (storage: TestStorage, key: string, query: Record<string, string> = {}): Promise<EventPage> => {
  const answer = await storage.call(`/api/events?${new URLSearchParams(query)}`, bearer(key))
  expect(answer.status, answer.body).toBe(200)
  return answer.json as EventPage
}

const codeOf = async (storage: TestStorage, key: string, path: string) =>
  (await storage.call(path, bearer(key))).headers.get('x-cairn-code')

test('a client that disconnects before its stream opens occupies none', async () => {
  await using storage = await startTestStorage({
    CAIRN_DATABASE_URL: await postgres.createDatabase(),
    CAIRN_MAX_EVENT_STREAMS_PER_ACCOUNT: '1',
    CAIRN_RATE_FACTOR: '0',
  })
  const { db, metrics } = storage.context
  const key = await storage.createKey()
  const [locked, unlock] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const locking = db.write(async (trx) => {
    await sql`lock table account in access exclusive mode`.execute(trx)
    locked.resolve()
    await unlock.promise
  })
  await locked.promise
  const leave = new AbortController()
  const left = fetch(`${storage.apiUrl}/api/events/stream`, { ...bearer(key), signal: leave.signal })
  // Its API key is looked up.
  const waiting = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%from "api_key"%'`
  await expect.poll(async () => (await waiting.execute(db.read)).rows.length).toBe(1)
  leave.abort()
  await expect(left).rejects.toThrow()
  const countLeft = async () => (await metrics.clientsGone.get()).values.map(({ value }) => value)
  await expect.poll(countLeft).toEqual([1])
  unlock.resolve()
  await locking
  await expect.poll(async () => codeOf(storage, key, '/api/events')).toBe(null)
  await using stream = await openStream(storage.apiUrl, key, {})
  expect(stream.headers.get('content-type')).toContain('text/event-stream')
})

describe.each(databaseKinds)('the event log on %s', (kind) => {
  const environment = async () => ({
    CAIRN_RATE_FACTOR: '0',
    ...(kind === 'postgres' ? { CAIRN_DATABASE_URL: await postgres.createDatabase() } : {}),
  })

  test('exports the log only to keys with the scopes of all events', async () => {
    await using storage = await startTestStorage(await environment())
    const account = privateKeyToAccount(generatePrivateKey())
    await upload(storage, await storage.createKey(account), 'confidential.txt')
    const read = async (scopes: readonly Scope[]) =>
      storage.call('/api/events/export', bearer(await storage.createKey(account, { scopes })))
    for (const scopes of [['account'], ['files:read']] as const) {
      const refused = await read(scopes)
      expect([refused.status, refused.headers.get('x-cairn-code')]).toEqual([403, 'FORBIDDEN'])
      expect(refused.body).not.toContain('confidential.txt')
    }
    expect((await read(['account', 'files:read'])).body).toContain('confidential.txt')
  })

  test('reports uploads, deletions and keys in order, each once, with a number without gaps', async () => {
    await using storage = await startTestStorage(await environment())
    const account = privateKeyToAccount(generatePrivateKey())
    const key = await storage.createKey(account)
    await upload(storage, key, 'a.txt')
    await upload(storage, key, 'b.txt')
    const [file] = (
      (await storage.call('/api/user/files_uploaded', bearer(key))).json as { fileList: { id: string }[] }
    ).fileList
    await storage.call(`/api/user/delete_file?id=${file?.id}`, { method: 'DELETE', ...bearer(key) })
    const page = await list(storage, key)
    expect(page.events.map(({ cursor, type, data }) => [cursor, type, data['name']])).toEqual([
      ['1', 'api_key.created', 'default'],
      ['2', 'upload.stored', 'a.txt'],
      ['3', 'upload.stored', 'b.txt'],
      ['4', 'upload.deleted', expect.stringMatching(/^[ab]\.txt$/)],
    ])
    expect(page).toMatchObject({ cursor: '4', hasMore: false, missedEvents: 0 })
    expect(page.events[1]?.data).toMatchObject({
      sizeBytes: 5,
      isEncrypted: false,
      cid: expect.stringMatching(/^\w+$/),
    })
    expect(new Set(page.events.map(({ id }) => id)).size).toBe(4)

    const first = await list(storage, key, { limit: '1', types: 'upload.stored' })
    expect(first).toMatchObject({ cursor: '2', hasMore: true })
    const second = await list(storage, key, { after: first.cursor, types: 'upload.stored' })
    expect(second).toMatchObject({ cursor: '4', hasMore: false, events: [{ cursor: '3' }] })
    expect(await list(storage, key, { after: 'latest' })).toMatchObject({ cursor: '4', events: [] })
    expect(await codeOf(storage, key, '/api/events?after=5')).toBe('INVALID_CURSOR')
    expect(await codeOf(storage, key, '/api/events?types=upload.stored,no.such')).toBe('INVALID_REQUEST')

    const scopes: Scope[] = ['files:read']
    const reader = await storage.createKey(account, { scopes })
    expect((await list(storage, reader)).events.map(({ cursor }) => cursor)).toEqual(['2', '3', '4'])
    expect(await codeOf(storage, reader, '/api/events?types=api_key.created')).toBe('FORBIDDEN')
    const stranger = await storage.createKey()
    expect((await list(storage, stranger, { types: 'upload.stored' })).events).toEqual([])
  })

  test('states who can open an upload: everyone, its owner, or holders of the key', async () => {
    await using storage = await startTestStorage(await environment())
    const key = await storage.createKey()
    await upload(storage, key, 'poster.txt')
    await upload(storage, key, 'letter.txt', 'between us', { private: 'true' })
    await upload(storage, key, 'sealed.txt', 'bytes', { encryption: 'true' })
    const { events } = await list(storage, key, { types: 'upload.stored' })
    expect(events.map(({ data }) => [data['name'], data['isEncrypted'], data['isPrivate']])).toEqual([
      ['poster.txt', false, false],
      ['letter.txt', false, true],
      ['sealed.txt', true, false],
    ])
  })

  test('has no event of a unit that fails, and no gap after it', async () => {
    await using storage = await startTestStorage(await environment())
    const { db } = storage.context
    const account = privateKeyToAccount(generatePrivateKey())
    const key = await storage.createKey(account)
    const address = account.address.toLowerCase()
    const event = (keyId: string) => ({ type: 'api_key.revoked' as const, data: { keyId, name: '' } })
    await expect(
      db.write(async (trx) => {
        await recordEvents(trx, address, 1, event('lost'))
        throw new Error('the unit fails')
      }),
    ).rejects.toThrow('the unit fails')
    await db.write((trx) => recordEvents(trx, address, 1, event('x'.repeat(5000)), event('last')))
    const { events } = await list(storage, key)
    expect(events.map(({ cursor, data }) => [cursor, String(data['keyId']).length])).toEqual([
      ['1', 8],
      ['2', 1024],
      ['3', 4],
    ])
  })

  test('expires from its oldest end, by age and by number, and reports what a cursor missed', async () => {
    await using storage = await startTestStorage({ ...(await environment()), CAIRN_MAX_EVENTS_PER_ACCOUNT: '100' })
    const { db, clock } = storage.context
    const account = privateKeyToAccount(generatePrivateKey())
    const key = await storage.createKey(account)
    const address = account.address.toLowerCase()
    const events = Array.from({ length: 149 }, (_, at) => ({
      type: 'api_key.revoked' as const,
      data: { keyId: String(at), name: '' },
    }))
    await db.write((trx) => recordEvents(trx, address, clock.now(), ...events))
    const { signal } = new AbortController()
    const other = await storage.createKey()
    expect(await pruneEvents(storage.context, signal)).toBe(50)
    expect(await list(storage, other)).toMatchObject({ events: [{ cursor: '1' }], missedEvents: 0 })
    expect(await list(storage, key, { after: '10', limit: '1' })).toMatchObject({
      events: [{ cursor: '51' }],
      missedEvents: 40,
    })
    expect(await list(storage, key, { limit: '1' })).toMatchObject({ events: [{ cursor: '51' }], missedEvents: 0 })
    await using stream = await openStream(storage.apiUrl, key, { after: '49' })
    expect(await stream.next()).toEqual({ event: 'gap', data: { missedEvents: 1 } })
    expect(await stream.next()).toMatchObject({ id: '51', event: 'api_key.revoked' })

    storage.pass(31 * 24 * 3_600_000)
    await db.write((trx) =>
      recordEvents(trx, address, clock.now(), { type: 'api_key.revoked', data: { keyId: 'new', name: '' } }),
    )
    // Those of the first account, and the one of the other.
    expect(await pruneEvents(storage.context, signal)).toBe(101)
    expect(await list(storage, key, { after: '150' })).toMatchObject({ events: [{ cursor: '151' }], missedEvents: 0 })
    expect(await list(storage, key, { after: '0' })).toMatchObject({ events: [{ cursor: '151' }], missedEvents: 150 })
  })

  test('is followed by a stream that resumes, and ends with its key', async () => {
    await using storage = await startTestStorage({
      ...(await environment()),
      CAIRN_MAX_EVENT_STREAMS_PER_ACCOUNT: '1',
    })
    const account = privateKeyToAccount(generatePrivateKey())
    const key = await storage.createKey(account)
    const ending = await storage.createKey(account)
    await upload(storage, key, 'before.txt')
    {
      await using stream = await openStream(storage.apiUrl, ending, { types: 'upload.stored' })
      expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
      await upload(storage, key, 'during.txt')
      const message = await stream.next()
      expect(message).toMatchObject({ id: '4', event: 'upload.stored', data: { data: { name: 'during.txt' } } })
      expect(await codeOf(storage, key, '/api/events/stream')).toBe('EVENT_STREAM_LIMIT')
      const keys = (await storage.call('/api/auth/api_keys', bearer(key))).json as { keys: { id: string }[] }
      const id = ending.split('_')[1]
      expect(keys.keys.map((one) => one.id)).toContain(id)
      await storage.call(`/api/auth/api_keys/${id}`, { method: 'DELETE', ...bearer(key) })
      // Events of other types only move the cursor.
      const rest = []
      for (let next = await stream.next(); next !== undefined; next = await stream.next()) rest.push(next)
      expect(rest.at(-1)).toMatchObject({ event: 'end', data: { code: 'API_KEY_REVOKED' } })
    }
    await using resumed = await openStream(storage.apiUrl, key, {}, { 'last-event-id': '2' })
    expect(await resumed.next()).toMatchObject({ id: '3', data: { data: { name: 'before.txt' } } })
    expect(await resumed.next()).toMatchObject({ id: '4', data: { data: { name: 'during.txt' } } })
    expect(await resumed.next()).toMatchObject({ id: '5', event: 'api_key.revoked' })
    expect(await codeOf(storage, key, '/api/events/stream?after=99')).toBe('INVALID_CURSOR')
    // When the service stops, the stream ends without waiting for its reader.
    await storage[Symbol.asyncDispose]()
    expect(await resumed.next()).toBeUndefined()
  })
})

test('a reader of one replica gets every event of two replicas, each once and in order', async () => {
  const place = { CAIRN_DATABASE_URL: await postgres.createDatabase(), CAIRN_RATE_FACTOR: '0' }
  await using first = await startTestStorage({ ...place, CAIRN_STORAGE_SECRET: '11'.repeat(32) })
  await using second = await startTestStorage({
    ...place,
    CAIRN_STORAGE_SECRET: '11'.repeat(32),
    CAIRN_PACK_FOLDER: first.context.config.packFolder,
  })
  const key = await first.createKey()
  const count = 60
  await using stream = await openStream(second.apiUrl, key, { after: '0', types: 'upload.stored' })
  const streamed: string[] = []
  const streaming = (async () => {
    while (streamed.length < count) {
      const message = await stream.next()
      if (message?.event === 'upload.stored') streamed.push(message.id ?? '')
    }
  })()
  const polled: string[] = []
  const polling = (async () => {
    for (let after = '0'; polled.length < count; ) {
      const page = await list(first, key, { after, types: 'upload.stored', limit: '7' })
      polled.push(...page.events.map(({ cursor }) => cursor))
      after = page.cursor
    }
  })()
  await Promise.all(Array.from({ length: count }, (_, at) => upload(at % 2 === 0 ? first : second, key, `file ${at}`)))
  await Promise.all([streaming, polling])
  // The first event is the API key.
  const expected = Array.from({ length: count }, (_, at) => String(at + 2))
  expect(streamed).toEqual(expected)
  expect(polled).toEqual(expected)
})
