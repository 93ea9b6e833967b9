// Traces of a complete storage service, as a collector receives them.

import { startCollector } from '@cairn/service/collector-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { createS3Place } from '@cairn/service/s3-place-fixture'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from './db/database.ts'
import { s3Environment } from './objects/s3-environment.fixture.ts'
import { bearer, startTestStorage, type TestStorage } from './start-test-storage.fixture.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

/** Uploads a file and reads it through the gateway. */
async function useStorage(storage: TestStorage) {
  const key = await storage.createKey()
  const body = new FormData()
  body.append('file', new Blob(['secret content']), 'secret-name.txt')
  const added = await storage.call('/api/v0/add', { method: 'POST', ...bearer(key), body })
  const cid = String(JSON.parse(added.body).Hash)
  expect(await (await fetch(`${storage.gatewayUrl}/ipfs/${cid}`)).text()).toBe('secret content')
  return { key, cid }
}

test('an upload is one trace: the request, its transaction with statements, and the calls to S3', async () => {
  await using collector = await startCollector()
  await using place = await createS3Place()
  const environment = { ...s3Environment(place, await postgres.createDatabase()), CAIRN_TRACES_URL: collector.url }
  let used: { key: string; cid: string }
  {
    await using storage = await startTestStorage(environment)
    used = await useStorage(storage)
  }
  const request = collector.spans.find(({ attributes }) => attributes['http.route'] === '/api/v0/add')
  const inTrace = collector.spans.filter(({ traceId }) => traceId === request?.traceId)
  const byId = new Map(inTrace.map((span) => [span.spanId, span]))
  expect(inTrace.every((span) => span === request || byId.has(span.parentSpanId ?? ''))).toBe(true)
  const names = inTrace.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['transaction', 'INSERT', 'S3 PutObject']))
  const insert = inTrace.find(({ name }) => name === 'INSERT')
  expect(byId.get(insert?.parentSpanId ?? '')?.name).toBe('transaction')
  expect(insert?.attributes).toMatchObject({
    'db.system.name': 'postgresql',
    'db.query.text': expect.stringMatching(/^insert into .*\$1/),
  })
  // Neither keys, nor names, nor CIDs, nor content.
  for (const secret of [used.key, used.cid, 'secret-name', 'secret content', place.server.account.secretAccessKey]) {
    expect(collector.text()).not.toContain(secret)
  }
})

test('on SQLite, units of work that share a commit stay in their own traces', async () => {
  await using collector = await startCollector()
  {
    await using storage = await startTestStorage({ CAIRN_TRACES_URL: collector.url })
    const keys = await Promise.all([1, 2, 3].map(() => storage.createKey()))
    await Promise.all(keys.map((key) => storage.call('/api/user/user_data_usage', bearer(key))))
  }
  const created = collector.spans.filter(({ name }) => name === 'POST /api/auth/create_api_key')
  expect(created).toHaveLength(3)
  for (const { traceId } of created) {
    const inTrace = collector.spans.filter((span) => span.traceId === traceId)
    const text = inTrace.flatMap(({ attributes }) => attributes['db.query.text'] ?? [])
    expect(text.filter((statement) => String(statement).startsWith('insert into "api_key"'))).toHaveLength(1)
  }
})
