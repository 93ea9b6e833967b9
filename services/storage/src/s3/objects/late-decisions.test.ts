// Decisions after a request was authorised: content is denied, a bucket changes hands, an account is blocked.
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runAdmin } from '../../admin/admin.fixture.ts'
import { startTestS3, type TestS3 } from '../s3.fixture.ts'
import { signedFetch } from '../signed-fetch.fixture.ts'

let s3: TestS3
beforeAll(async () => {
  s3 = await startTestS3()
})
afterAll(() => s3?.[Symbol.asyncDispose]())

const count = async (table: 'upload' | 's3_object' | 'reservation') =>
  Number(
    (
      await s3.context.db.read
        .selectFrom(table)
        .select(({ fn }) => fn.countAll().as('rows'))
        .executeTakeFirstOrThrow()
    ).rows,
  )
/** Waits until the service has reserved the bytes of the upload in progress: it is authorized then. */
const untilReserved = () => expect.poll(() => count('reservation')).toBe(1)

test('stores nothing of an upload into a bucket that another account owns by now', async () => {
  await signedFetch(s3, '/passed-on', { method: 'PUT' })
  const other = await s3.createKeys()
  const answer = await signedFetch(s3, '/passed-on/mine', {
    method: 'PUT',
    body: 'x'.repeat(100_000),
    async halfway() {
      await untilReserved()
      expect((await signedFetch(s3, '/passed-on', { method: 'DELETE' })).status).toBe(204)
      expect((await signedFetch(s3, '/passed-on', { method: 'PUT', keys: other })).status).toBe(200)
    },
  })
  expect(answer).toMatchObject({ status: 404, code: 'NoSuchBucket' })
  expect([await count('upload'), await count('s3_object'), await count('reservation')]).toEqual([0, 0, 0])
  expect((await signedFetch(s3, '/passed-on', { method: 'DELETE', keys: other })).status).toBe(204)
})

const corsRules =
  '<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule></CORSConfiguration>'
const tagSet = '<Tagging><TagSet><Tag><Key>mine</Key><Value>x</Value></Tag></TagSet></Tagging>'

test.each([
  ['?cors', corsRules],
  ['?tagging', tagSet],
  ['/k?tagging', tagSet],
  ['?versioning', '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'],
])('a slow body of %s changes no bucket that another account owns by now', async (path, body) => {
  await signedFetch(s3, '/settings', { method: 'PUT' })
  await signedFetch(s3, '/settings/k', { method: 'PUT', body: 'first' })
  const other = await s3.createKeys()
  const rowsOf = (table: 's3_bucket' | 's3_object') => s3.context.db.read.selectFrom(table).selectAll().execute()
  const readState = async () => [await rowsOf('s3_bucket'), await rowsOf('s3_object')]
  let before: unknown
  const answer = await signedFetch(s3, `/settings${path}`, {
    method: 'PUT',
    body,
    headers: { expect: '100-continue' },
    async halfway() {
      for (const [method, target, keys] of [
        ['DELETE', '/settings/k', s3.keys],
        ['DELETE', '/settings', s3.keys],
        ['PUT', '/settings', other],
        ['PUT', '/settings/k', other],
      ] as const) {
        expect((await signedFetch(s3, target, { method, keys })).status).toBeLessThan(300)
      }
      before = await readState()
    },
  })
  expect(answer).toMatchObject({ status: 404, code: 'NoSuchBucket' })
  expect(await readState()).toEqual(before)
  await signedFetch(s3, '/settings/k', { method: 'DELETE', keys: other })
  expect((await signedFetch(s3, '/settings', { method: 'DELETE', keys: other })).status).toBe(204)
})

test('does not read or copy denied content, as a whole or in part', async () => {
  await signedFetch(s3, '/moderated', { method: 'PUT' })
  await signedFetch(s3, '/moderated/bad', { method: 'PUT', body: 'bad content' })
  const { cid } = await s3.context.db.read
    .selectFrom('s3_object')
    .select('cid')
    .where('key', '=', 'bad')
    .executeTakeFirstOrThrow()
  const admin = await runAdmin({ CAIRN_HOME: s3.home }, 'deny', cid, '--reason', 'phishing')
  expect(admin.code).toBe(0)
  const isDenied = () => {
    try {
      s3.context.denylist.requireContent(CID.parse(cid))
      return false
    } catch {
      return true
    }
  }
  await expect.poll(isDenied).toBe(true)
  const copy = { 'x-amz-copy-source': '/moderated/bad' }
  const statuses = [
    await signedFetch(s3, '/moderated/bad'),
    await signedFetch(s3, '/moderated/bad', { headers: { range: 'bytes=0-2' } }),
    await signedFetch(s3, '/moderated/bad', { method: 'HEAD' }),
    await signedFetch(s3, '/moderated/copy', { method: 'PUT', headers: copy }),
  ].map(({ status }) => status)
  expect(statuses).toEqual([403, 403, 403, 403])
  expect((await signedFetch(s3, '/moderated/bad')).body).not.toContain('bad content')
  expect((await signedFetch(s3, '/moderated/bad', { method: 'DELETE' })).status).toBe(204)
})

test('stores nothing of an upload whose account was blocked meanwhile', async () => {
  await signedFetch(s3, '/blocked-soon', { method: 'PUT' })
  const answer = await signedFetch(s3, '/blocked-soon/late', {
    method: 'PUT',
    body: 'y'.repeat(100_000),
    async halfway() {
      await untilReserved()
      await runAdmin({ CAIRN_HOME: s3.home }, 'accounts', 'block', s3.address, '--reason', 'spam')
    },
  })
  expect(answer).toMatchObject({ status: 403, code: 'AccessDenied' })
  expect([await count('s3_object'), await count('reservation')]).toEqual([0, 0])
})
