// Versioning of buckets: delete markers, the version `null`, and files that other calls delete.
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  DeleteObjectTaggingCommand,
  GetBucketVersioningCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { migrate } from '@cairn/service'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '../../db/database.ts'
import { deleteFiles, deleteFilesIn } from '../../files/files.ts'
import { describeOnDatabases } from '../../on-databases.fixture.ts'
import { bearer } from '../../start-test-storage.fixture.ts'
import { copyUpload } from '../../uploads/uploads.ts'
import { refused, startTestS3, type TestS3 } from '../s3.fixture.ts'
import { signedFetch } from '../signed-fetch.fixture.ts'
import { selectObject } from '../store.ts'
import { unconditional } from './conditions.ts'
import { openVersion } from './objects.ts'

describeOnDatabases('versions of objects, on %s:', (newDatabase) => {
  let s3: TestS3
  beforeAll(async () => {
    s3 = await startTestS3(await newDatabase())
  })
  afterAll(() => s3?.[Symbol.asyncDispose]())

  /** Opens a new bucket, with calls for the key `k`. */
  async function openBucket(Bucket: string, status?: 'Enabled' | 'Suspended') {
    const { client } = s3
    await client.send(new CreateBucketCommand({ Bucket }))
    const setVersioning = (Status: 'Enabled' | 'Suspended') =>
      client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }))
    if (status !== undefined) await setVersioning(status)
    const list = async () => {
      const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }))
      const latest = [...Versions, ...DeleteMarkers].filter(({ IsLatest }) => IsLatest)
      expect(latest.length).toBeLessThanOrEqual(1)
      return {
        versions: Versions.map(({ VersionId }) => VersionId),
        markers: DeleteMarkers.map(({ VersionId }) => VersionId),
        latest: latest[0]?.VersionId,
      }
    }
    const read = async (VersionId?: string) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: 'k', VersionId }))
      return Body?.transformToString()
    }
    return {
      setVersioning,
      list,
      read,
      state: async () => (await client.send(new GetBucketVersioningCommand({ Bucket }))).Status,
      put: async (Body: string) => (await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body }))).VersionId,
      remove: (VersionId?: string) => client.send(new DeleteObjectCommand({ Bucket, Key: 'k', VersionId })),
      keys: async () => (await client.send(new ListObjectsV2Command({ Bucket }))).KeyCount,
      dispose: () => client.send(new DeleteBucketCommand({ Bucket })),
    }
  }

  test('calls for tags state the version, and report if there is none', async () => {
    const bucket = await openBucket('tagged-versions', 'Enabled')
    const first = (await bucket.put('one')) ?? ''
    const second = await bucket.put('two')
    const marker = (await bucket.remove()).VersionId ?? ''
    const object = { Bucket: 'tagged-versions', Key: 'k' }
    const Tagging = { TagSet: [{ Key: 'a', Value: 'b' }] }
    const calls = [
      (VersionId?: string) => s3.client.send(new PutObjectTaggingCommand({ ...object, VersionId, Tagging })),
      (VersionId?: string) => s3.client.send(new GetObjectTaggingCommand({ ...object, VersionId })),
      (VersionId?: string) => s3.client.send(new DeleteObjectTaggingCommand({ ...object, VersionId })),
    ]
    const missing = first.replace(/.{12}$/, '0'.repeat(12))
    for (const call of calls) {
      expect((await call(first)).VersionId).toBe(first)
      expect(await refused(call(marker))).toEqual(['MethodNotAllowed', 405])
      expect(await refused(call(missing))).toEqual(['NoSuchVersion', 404])
      expect(await refused(call())).toEqual(['NoSuchKey', 404])
    }
    await bucket.remove(marker)
    for (const call of calls) expect((await call()).VersionId).toBe(second)
  })

  test('the attributes of an object state its version', async () => {
    const bucket = await openBucket('attributes', 'Enabled')
    const first = await bucket.put('one')
    const second = await bucket.put('second')
    const target = { Bucket: 'attributes', Key: 'k', ObjectAttributes: ['ObjectSize' as const] }
    const read = async (VersionId?: string) => {
      const found = await s3.client.send(new GetObjectAttributesCommand({ ...target, VersionId }))
      return [found.VersionId, found.ObjectSize]
    }
    expect([await read(), await read(first)]).toEqual([
      [second, 6],
      [first, 3],
    ])
  })

  test('the completion of a multipart upload states the version that it wrote', async () => {
    const { client } = s3
    const bucket = await openBucket('parts', 'Enabled')
    const target = { Bucket: 'parts', Key: 'k' }
    const complete = async () => {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand(target))
      const { ETag } = await client.send(new UploadPartCommand({ ...target, UploadId, PartNumber: 1, Body: 'one' }))
      const input = { ...target, UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } }
      const { VersionId } = await client.send(new CompleteMultipartUploadCommand(input))
      // A repeated request names the same version.
      expect((await client.send(new CompleteMultipartUploadCommand(input))).VersionId).toBe(VersionId)
      return VersionId
    }
    const first = await complete()
    expect((await bucket.list()).versions).toEqual([first])
    await bucket.setVersioning('Suspended')
    expect(await complete()).toBe('null')
  })

  test('a deletion hides the object behind a marker, and deleting the marker shows it again', async () => {
    const bucket = await openBucket('markers', 'Enabled')
    expect(await bucket.state()).toBe('Enabled')
    const first = await bucket.put('one')
    // The same bytes again are a separate version.
    const second = await bucket.put('one')
    expect(new Set([first, second, undefined]).size).toBe(3)
    const { VersionId: marker, DeleteMarker } = await bucket.remove()
    expect(DeleteMarker).toBe(true)
    expect(await bucket.keys()).toBe(0)
    expect(await bucket.list()).toEqual({ versions: [second, first], markers: [marker], latest: marker })
    // Another deletion makes another marker. Each is deleted alone.
    const { VersionId: again } = await bucket.remove()
    expect((await bucket.list()).markers).toEqual([again, marker])
    await bucket.remove(again)
    expect(await bucket.list()).toEqual({ versions: [second, first], markers: [marker], latest: marker })
    const head = await signedFetch(s3, '/markers/k', { method: 'GET' })
    expect([head.status, head.code]).toEqual([404, 'NoSuchKey'])
    await expect(bucket.read(marker)).rejects.toMatchObject({ name: 'MethodNotAllowed' })
    expect(await bucket.read(first)).toBe('one')
    await expect(bucket.dispose()).rejects.toMatchObject({ name: 'BucketNotEmpty' })
    expect((await bucket.remove(marker)).DeleteMarker).toBe(true)
    expect(await bucket.list()).toEqual({ versions: [second, first], markers: [], latest: second })
    await bucket.remove(second)
    expect(await bucket.list()).toEqual({ versions: [first], markers: [], latest: first })
    const many = { Bucket: 'markers', Delete: { Objects: [{ Key: 'k' }, { Key: 'k', VersionId: first }] } }
    const { Deleted = [] } = await s3.client.send(new DeleteObjectsCommand(many))
    expect(Deleted).toMatchObject([
      { Key: 'k', DeleteMarker: true },
      { Key: 'k', VersionId: first },
    ])
    await bucket.remove(Deleted[0]?.DeleteMarkerVersionId)
    await bucket.dispose()
  })

  test('an empty version id is rejected, and deletes nothing', async () => {
    const bucket = await openBucket('empty-id', 'Enabled')
    await bucket.put('one')
    for (const [method, query] of [
      ['DELETE', 'versionId='],
      ['GET', 'versionId='],
      ['GET', 'tagging=&versionId='],
    ] as const) {
      const answer = await signedFetch(s3, `/empty-id/k?${query}`, { method })
      expect([answer.status, answer.code]).toEqual([400, 'InvalidArgument'])
    }
    const body = '<Delete><Object><Key>k</Key><VersionId></VersionId></Object></Delete>'
    const deleted = await signedFetch(s3, '/empty-id?delete=', { method: 'POST', body })
    expect([deleted.status, deleted.code]).toEqual([200, 'InvalidArgument'])
    expect(deleted.body).not.toContain('<Deleted>')
    expect(await bucket.read()).toBe('one')
  })

  test('suspended versioning replaces the version `null` and keeps the others', async () => {
    const bucket = await openBucket('suspended')
    expect(await bucket.state()).toBeUndefined()
    expect(await bucket.put('before')).toBeUndefined()
    await bucket.setVersioning('Enabled')
    const kept = await bucket.put('kept')
    expect(await bucket.list()).toEqual({ versions: [kept, 'null'], markers: [], latest: kept })
    expect(await bucket.read('null')).toBe('before')
    await bucket.setVersioning('Suspended')
    expect(await bucket.put('after')).toBe('null')
    expect(await bucket.list()).toEqual({ versions: ['null', kept], markers: [], latest: 'null' })
    expect(await bucket.remove()).toMatchObject({ VersionId: 'null', DeleteMarker: true })
    expect(await bucket.remove()).toMatchObject({ VersionId: 'null', DeleteMarker: true })
    expect(await bucket.list()).toEqual({ versions: [kept], markers: ['null'], latest: 'null' })
    expect(await bucket.put('again')).toBe('null')
    expect(await bucket.list()).toEqual({ versions: ['null', kept], markers: [], latest: 'null' })
    await bucket.remove('null')
    expect(await bucket.read()).toBe('kept')
    await bucket.remove(kept)
    await bucket.dispose()
  })

  test('without versioning, overwritten versions stay under their own ids', async () => {
    const bucket = await openBucket('never-enabled')
    await bucket.put('one')
    await bucket.put('two')
    const { versions, latest } = await bucket.list()
    expect([versions.length, versions[0], latest]).toEqual([2, 'null', 'null'])
    expect(await bucket.read(versions[1])).toBe('one')
    await bucket.remove()
    expect(await bucket.list()).toEqual({ versions: [], markers: [], latest: undefined })
    await bucket.dispose()
  })

  test('when a file of the account is deleted, the previous version becomes the latest', async () => {
    const { apiKey, ...keys } = await s3.createKeys()
    const client = s3.createClient(keys)
    const Bucket = 'through-files'
    await client.send(new CreateBucketCommand({ Bucket }))
    for (const Body of ['one', 'two']) await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body }))
    const { json } = await s3.call('/api/user/files_uploaded?lastKey=null', bearer(apiKey))
    const [newest] = (json as { fileList: { id: string }[] }).fileList
    await s3.call(`/api/user/delete_file?id=${newest?.id}`, { method: 'DELETE', ...bearer(apiKey) })
    const { Body, ETag } = await client.send(new GetObjectCommand({ Bucket, Key: 'k' }))
    expect(await Body?.transformToString()).toBe('one')
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }))
    expect(Contents.map((one) => one.ETag)).toEqual([ETag])
  })

  test('when two versions are deleted at once, the one before them becomes the latest', async () => {
    const { db } = s3.context
    const bucket = await openBucket('at-once', 'Enabled')
    const [first, second, third] = [await bucket.put('one'), await bucket.put('two'), await bucket.put('three')]
    const waiting = async () => {
      const units = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return (await units.execute(db.read)).rows.length
    }
    let other: Promise<unknown> | undefined
    await db.write(async (trx) => {
      await deleteFilesIn(s3.context, trx, s3.address, { id: third })
      // Waits until this unit ends: on PostgreSQL for the bucket, on SQLite before its first statement.
      other = deleteFiles(s3.context, s3.address, { id: second })
      if (db.kind === 'postgres') await expect.poll(waiting).toBe(1)
    })
    await other
    expect(await bucket.list()).toEqual({ versions: [first], markers: [], latest: first })
    expect(await bucket.read()).toBe('one')
  })

  test('versions and markers follow those of a replica whose clock is ahead', async () => {
    const { context, address } = s3
    const bucket = await openBucket('ahead', 'Enabled')
    const first = await bucket.put('one')
    const hour = Date.now() + 3_600_000
    const time = hour.toString(16).padStart(12, '0')
    const before = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
    const version = openVersion(context, address, { bucket: 'ahead', key: 'k' })
    const copied = await selectObject(context.db.read, 'ahead', 'k')
    const record: Parameters<typeof copyUpload>[4] = (trx, root) =>
      version.record(trx, root, {
        info: { headers: {}, metadata: {}, tags: [] },
        etag: copied?.etag ?? '',
        checksum: undefined,
        partSizes: undefined,
        conditions: unconditional,
      })
    await copyUpload(context, address, first ?? '', { name: 'ahead/k', mimeType: undefined }, record, async (trx) => {
      await version.lock(trx)
      return { after: before }
    })
    const ahead = version.row().version_id
    expect(ahead > before).toBe(true)
    const third = await bucket.put('three')
    expect(await bucket.list()).toEqual({ versions: [third, ahead, first], markers: [], latest: third })
    const { VersionId: marker } = await bucket.remove()
    const fourth = await bucket.put('four')
    expect(await bucket.list()).toEqual({ versions: [fourth, third, ahead, first], markers: [marker], latest: fourth })
    // The object is deleted again, as before the fourth version.
    await bucket.remove(fourth)
    expect(await bucket.list()).toEqual({ versions: [third, ahead, first], markers: [marker], latest: marker })
    await bucket.remove(marker)
    expect(await bucket.read()).toBe('three')
  })

  test('a migration repairs objects that such deletions left without a latest version', async () => {
    const { db } = s3.context
    const lost = await openBucket('lost', 'Enabled')
    const hidden = await openBucket('hidden', 'Enabled')
    const [first, second] = [await lost.put('one'), await lost.put('two')]
    const third = await hidden.put('three')
    const { VersionId: marker } = await hidden.remove()
    await db.write(async (trx) => {
      await trx.updateTable('s3_object').set({ is_latest: 0 }).where('bucket', '=', 'lost').execute()
      await sql`delete from migration where name = '0040_promote-s3-versions'`.execute(trx)
    })
    expect(await lost.keys()).toBe(0)
    const revisionOf = async (name: string) =>
      (await db.read.selectFrom('s3_bucket').select('revision').where('name', '=', name).executeTakeFirstOrThrow())
        .revision
    const before = [await revisionOf('lost'), await revisionOf('hidden')]
    await migrate(db.kind, db.write, migrations)
    expect(await lost.list()).toEqual({ versions: [second, first], markers: [], latest: second })
    expect(await hidden.list()).toEqual({ versions: [third], markers: [marker], latest: marker })
    expect([await revisionOf('lost'), await revisionOf('hidden')]).toEqual([(before[0] ?? 0) + 1, before[1]])
  })

  test('rejects a state that is neither Enabled nor Suspended', async () => {
    await openBucket('wrong-state')
    const body = '<VersioningConfiguration><Status>Off</Status></VersioningConfiguration>'
    const answer = await signedFetch(s3, '/wrong-state?versioning', { method: 'PUT', body })
    expect([answer.status, answer.code]).toEqual([400, 'IllegalVersioningConfigurationException'])
  })
})
