// Marks of listed uploads that another API manages, on both databases.
import { CreateBucketCommand, PutBucketVersioningCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { FileEntry } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { startTestS3, type TestS3 } from '../s3/s3.fixture.ts'
import { bearer, callWithKey } from '../start-test-storage.fixture.ts'

describeOnDatabases('uploads that another API manages, on %s', (newDatabase) => {
  let s3: TestS3
  beforeAll(async () => {
    s3 = await startTestS3({ ...(await newDatabase()), CAIRN_RATE_FACTOR: '0' })
  })
  afterAll(() => s3?.[Symbol.asyncDispose]())

  test('the listing marks objects of buckets, folders of published buckets, and pins', async () => {
    const keys = await s3.createKeys()
    const client = s3.createClient(keys)
    const call = callWithKey(s3, keys.apiKey)
    const list = async () => {
      const { json } = await call('/api/user/files_uploaded')
      return (json as { fileList: FileEntry[] }).fileList
    }
    const body = new FormData()
    body.append('file', new Blob(['equal']), 'plain.txt')
    expect(await s3.call('/api/v0/add', { method: 'POST', ...bearer(keys.apiKey), body })).toMatchObject({
      status: 200,
    })
    const [plain] = await list()
    expect(plain).not.toHaveProperty('managedBy')
    const putObject = (text: string) =>
      client.send(new PutObjectCommand({ Bucket: 'marked', Key: 'a.txt', Body: text }))
    await client.send(new CreateBucketCommand({ Bucket: 'marked' }))
    await putObject('equal')
    const versioning = { Bucket: 'marked', VersioningConfiguration: { Status: 'Enabled' as const } }
    await client.send(new PutBucketVersioningCommand(versioning))
    // The previous version stays an object of the bucket.
    await putObject('newer')
    expect((await call('/api/s3/buckets/marked/name', 'PUT')).status).toBe(200)
    const pinned = (await call('/pins', 'POST', { cid: plain?.cid, name: 'pinned' })).json as { requestid: string }
    await expect
      .poll(async () => (await call(`/pins/${pinned.requestid}`)).json, { timeout: 20_000 })
      .toMatchObject({ status: 'pinned' })
    const marks = (await list()).map(({ fileName, managedBy }) => [fileName, managedBy])
    expect(marks).toEqual([
      ['pinned', 'pin'],
      ['marked', 's3'],
      ['marked/a.txt', 's3'],
      ['marked/a.txt', 's3'],
      ['plain.txt', undefined],
    ])
    const [object] = (await list()).filter(({ managedBy }) => managedBy === 's3')
    const renamed = await call(`/api/user/files/${object?.id}`, 'PATCH', { fileName: 'other' })
    expect(renamed.json).toMatchObject({ fileName: 'other', managedBy: 's3' })
  })
})
