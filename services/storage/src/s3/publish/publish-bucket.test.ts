// Buckets that are published under a name: the folder, its changes, and who may publish.
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import type { S3BucketState } from '@cairn/protocol'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createName } from '../../names/names.ts'
import { describeOnDatabases } from '../../on-databases.fixture.ts'
import { bearer } from '../../start-test-storage.fixture.ts'
import { startTestS3, type TestS3 } from '../s3.fixture.ts'
import { signedFetch } from '../signed-fetch.fixture.ts'
import { buildBucketFolder } from './bucket-folder.ts'
import { publishBucket } from './publish-bucket.ts'
import { createPublishRounds, publishChanged } from './publish-worker.ts'

describeOnDatabases('names of buckets, on %s:', (newDatabase) => {
  let s3: TestS3
  let key: string
  beforeAll(async () => {
    s3 = await startTestS3(await newDatabase())
    key = (await s3.createKeys()).apiKey
  })
  afterAll(() => s3?.[Symbol.asyncDispose]())

  /** Opens a bucket of the account of `key`, with calls for it. */
  async function openBucket(Bucket: string) {
    const keys = await s3.createKeys({ apiKey: key })
    const client = s3.createClient(keys)
    await client.send(new CreateBucketCommand({ Bucket }))
    const call = async (method: string, apiKey = key) => {
      const answer = await s3.call(`/api/s3/buckets/${Bucket}/name`, { method, ...bearer(apiKey) })
      return { status: answer.status, state: answer.json as S3BucketState }
    }
    const read = async (path: string) => {
      const { state } = await call('GET')
      const answer = await fetch(`${s3.gatewayUrl}/ipns/${state.name}/${path}`)
      return answer.status === 200 ? answer.text() : answer.status
    }
    const computeCid = async () => {
      const { body } = await signedFetch({ ...s3, keys }, `/${Bucket}?cid`)
      return { cid: /<CID>(\w+)<\/CID>/.exec(body)?.[1], name: /<Name>(\w+)<\/Name>/.exec(body)?.[1] }
    }
    return {
      client,
      call,
      read,
      computeCid,
      put: (Key: string, Body: string) => client.send(new PutObjectCommand({ Bucket, Key, Body })),
      remove: (Key: string) => client.send(new DeleteObjectCommand({ Bucket, Key })),
      /** A round of the worker; its own rounds may come first. */
      publish: async () => {
        await publishChanged(s3.context, createPublishRounds(), new AbortController().signal)
        await expect.poll(async () => (await call('GET')).state.isCurrent).toBe(true)
      },
    }
  }

  const addressOf = async (name: string) => {
    const row = s3.context.db.read.selectFrom('s3_bucket').select('address').where('name', '=', name)
    return (await row.executeTakeFirstOrThrow()).address
  }
  const listFiles = async () => {
    const { json } = await s3.call('/api/user/files_uploaded', bearer(key))
    return (json as { fileList: { fileName: string; cid: string }[] }).fileList
  }

  test('a bucket has a name that points to its newest objects', async () => {
    const bucket = await openBucket('named')
    await bucket.put('a.txt', 'a')
    await bucket.put('folder/b.txt', 'b')
    expect((await bucket.call('GET')).state).toEqual({
      bucket: 'named',
      name: null,
      cid: null,
      isPublished: false,
      isCurrent: false,
      error: null,
    })
    expect((await bucket.computeCid()).name).toBe(undefined)
    const { status, state } = await bucket.call('PUT')
    expect(status).toBe(200)
    expect(state).toMatchObject({
      name: expect.stringMatching(/^k51/),
      isPublished: true,
      isCurrent: true,
      error: null,
    })
    expect(await bucket.computeCid()).toEqual({ cid: state.cid, name: state.name })
    expect(await bucket.read('folder/b.txt')).toBe('b')
    // Publishing again changes nothing.
    expect((await bucket.call('PUT')).state).toEqual(state)

    await bucket.put('a.txt', 'new')
    await bucket.remove('folder/b.txt')
    await bucket.publish()
    expect(await bucket.read('a.txt')).toBe('new')
    expect(await bucket.read('folder/b.txt')).toBe(404)
    const changed = (await bucket.call('GET')).state
    expect(changed).toMatchObject({ name: state.name, isPublished: true })
    expect(await bucket.computeCid()).toEqual({ cid: changed.cid, name: state.name })
    // The earlier folder is not kept.
    const folders = (await listFiles()).filter(({ fileName }) => fileName === 'named')
    expect(folders.map(({ cid }) => cid)).toEqual([changed.cid])
  })

  test('deletions by other calls, and versions, are published too', async () => {
    const bucket = await openBucket('changing')
    await bucket.client.send(
      new PutBucketVersioningCommand({ Bucket: 'changing', VersioningConfiguration: { Status: 'Enabled' } }),
    )
    await bucket.put('k', 'old')
    await bucket.put('k', 'new')
    await bucket.call('PUT')
    expect(await bucket.read('k')).toBe('new')
    const { VersionId } = await bucket.put('k', 'newest')
    await bucket.publish()
    expect(await bucket.read('k')).toBe('newest')
    await s3.call(`/api/user/delete_file?id=${VersionId}`, { method: 'DELETE', ...bearer(key) })
    await bucket.publish()
    expect(await bucket.read('k')).toBe('new')
    await bucket.remove('k')
    await bucket.publish()
    expect(await bucket.read('k')).toBe(404)
  })

  test('buckets that cannot be published do not block others', async () => {
    const { db } = s3.context
    const full = '0x2222222222222222222222222222222222222222'
    const used = { data_limit_bytes: 0, data_used_bytes: 0, reserved_bytes: 0 }
    await db.write((trx) =>
      trx
        .insertInto('account')
        .values({ address: full, created_at: 1, ...used })
        .execute(),
    )
    for (let at = 0; at < 100; at++) {
      const { name } = await createName(s3.context, full, { label: `b${at}` })
      const settings = { cors: null, tags: null, versioning: null, publish_error: null, created_at: 1 }
      const roots = { root_upload_id: null, previous_root_id: null, revision: 1, published_revision: -1 }
      const bucket = { name: `000-${String(at).padStart(3, '0')}`, address: full, ipns_name: name }
      await db.write((trx) =>
        trx
          .insertInto('s3_bucket')
          .values({ ...bucket, ...settings, ...roots })
          .execute(),
      )
    }
    const bucket = await openBucket('zealous')
    await bucket.call('PUT')
    await bucket.put('k', 'new')
    const rounds = createPublishRounds()
    const { signal } = new AbortController()
    for (let count = 0; count < 2; count++) await publishChanged(s3.context, rounds, signal)
    await expect.poll(async () => (await bucket.call('GET')).state.isCurrent).toBe(true)
    expect(await bucket.read('k')).toBe('new')
    await db.write((trx) => trx.deleteFrom('s3_bucket').where('address', '=', full).execute())
  })

  test('retries a bucket that cannot be published less and less often, and does not log it again', async () => {
    const bucket = await openBucket('growing')
    await bucket.call('PUT')
    await bucket.put('kept', 'old')
    await bucket.put('removed', 'old')
    // A round of the service that began before the limit is lowered would still publish.
    await bucket.publish()
    const { db } = s3.context
    const setLimit = (data_limit_bytes: number) =>
      db.write((trx) => trx.updateTable('account').set({ data_limit_bytes }).execute())
    const { data_limit_bytes: limit } = await db.read
      .selectFrom('account')
      .select('data_limit_bytes')
      .where('address', '=', await addressOf('growing'))
      .executeTakeFirstOrThrow()
    onTestFinished(() => setLimit(limit).then(() => undefined))
    await setLimit(0)
    await bucket.remove('removed')
    let passedMs = 0
    const context = { ...s3.context, clock: { now: () => Date.now() + passedMs } }
    const rounds = createPublishRounds()
    const delays: (number | undefined)[] = []
    for (let failures = 0; failures < 8; failures++) {
      await publishChanged(context, rounds, new AbortController().signal)
      const delay = rounds.due.get('growing')?.retryMs
      delays.push(delay)
      passedMs += delay ?? 0
    }
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((minutes) => minutes * 60_000))
    expect((await bucket.call('GET')).state.error).toBe('QUOTA_EXCEEDED')
    const lines = s3.log.filter((line) => line.includes('failed to publish a bucket') && line.includes('"growing"'))
    // None if another bucket failed in the same minute.
    expect(lines.length).toBeLessThanOrEqual(1)
    await setLimit(limit)
    await bucket.publish()
    expect((await bucket.call('GET')).state.error).toBeNull()
  })

  test('a bucket with too many objects has no folder', async () => {
    const bucket = await openBucket('many')
    for (const key of ['a', 'b', 'c']) await bucket.put(key, key)
    const { signal } = new AbortController()
    const build = (maxObjects: number) =>
      buildBucketFolder(s3.context, 'many', { put: () => undefined }, signal, maxObjects)
    expect((await build(3)).objectCount).toBe(3)
    await expect(build(2)).rejects.toMatchObject({ code: 'TOO_MANY_PARTS', details: { limit: 2 } })
  })

  test('a bucket that is published again has the same name', async () => {
    const bucket = await openBucket('paused')
    await bucket.put('k', 'one')
    const first = (await bucket.call('PUT')).state
    const stopped = (await bucket.call('DELETE')).state
    expect(stopped).toMatchObject({ name: first.name, cid: null, isPublished: false })
    expect((await listFiles()).some(({ fileName }) => fileName === 'paused')).toBe(false)
    await bucket.put('k', 'two')
    expect(await publishChanged(s3.context, createPublishRounds(), new AbortController().signal)).toBe(0)
    expect((await bucket.call('PUT')).state).toMatchObject({ name: first.name })
    // The worker of the service may have published it in the meantime, and record so later.
    await expect.poll(async () => (await bucket.call('GET')).state.isCurrent).toBe(true)
    expect(await bucket.read('k')).toBe('two')
  })

  test('a name that the account removed ends the publication, and the next one has another name', async () => {
    const bucket = await openBucket('renamed')
    const { name } = (await bucket.call('PUT')).state
    await s3.call(`/api/names/${name}`, { method: 'DELETE', ...bearer(key) })
    await bucket.put('k', 'one')
    await publishChanged(s3.context, createPublishRounds(), new AbortController().signal)
    await expect.poll(async () => (await bucket.call('GET')).state.isPublished).toBe(false)
    expect((await bucket.call('GET')).state.error).toBe('NAME_NOT_FOUND')
    const again = (await bucket.call('PUT')).state
    expect(again).toMatchObject({ isCurrent: true, error: null })
    expect(again.name).not.toBe(name)
    expect(await bucket.read('k')).toBe('one')
  })

  test('concurrent calls agree on one name and one folder', async () => {
    const bucket = await openBucket('raced')
    await bucket.put('k', 'one')
    const answers = await Promise.all(Array.from({ length: 4 }, () => bucket.call('PUT')))
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
    await bucket.publish()
    const { state } = await bucket.call('GET')
    expect(await bucket.read('k')).toBe('one')
    const { json } = await s3.call('/api/names', bearer(key))
    const names = (json as { names: { label: string; name: string }[] }).names.filter(({ label }) => label === 'raced')
    expect(names.map(({ name }) => name)).toEqual([state.name])
    expect((await listFiles()).filter(({ fileName }) => fileName === 'raced')).toHaveLength(1)
  })

  test('a call that is interrupted leaves no name without its bucket', async () => {
    const bucket = await openBucket('interrupted')
    const { context } = s3
    let units = 0
    // As a process that is killed after its first unit of work.
    const write: typeof context.db.write = (unit) =>
      units++ === 0 ? context.db.write(unit) : Promise.reject(new Error('killed'))
    const killed = { ...context, db: { ...context.db, write } }
    const address = await addressOf('interrupted')
    await expect(publishBucket(killed, address, 'interrupted', new AbortController().signal)).rejects.toThrow()
    const { state } = await bucket.call('GET')
    const { json } = await s3.call('/api/names', bearer(key))
    const names = (json as { names: { label: string; name: string }[] }).names
    expect(names.filter(({ label }) => label === 'interrupted').map(({ name }) => name)).toEqual([state.name])
  })

  test('only the account of a bucket publishes it, and a deleted bucket leaves no folder', async () => {
    const bucket = await openBucket('owned')
    const other = await s3.createKey()
    for (const method of ['GET', 'PUT', 'DELETE']) expect((await bucket.call(method, other)).status).toBe(404)
    await bucket.call('PUT')
    await bucket.client.send(new DeleteBucketCommand({ Bucket: 'owned' }))
    expect((await bucket.call('GET')).status).toBe(404)
    expect((await listFiles()).some(({ fileName }) => fileName === 'owned')).toBe(false)
  })
})
