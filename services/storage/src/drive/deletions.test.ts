// Deletions of uploads that the drive lists, on both databases.
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { FileEntry } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { startTestS3, type TestS3 } from '../s3/s3.fixture.ts'
import { callWithKey, errorCodeOf, jsonBody } from '../start-test-storage.fixture.ts'

describeOnDatabases('deletions of the drive on %s', (newDatabase) => {
  let s3: TestS3
  beforeAll(async () => {
    s3 = await startTestS3({ ...(await newDatabase()), CAIRN_RATE_FACTOR: '0' })
  })
  afterAll(() => s3?.[Symbol.asyncDispose]())

  async function openAccount() {
    const keys = await s3.createKeys()
    const call = callWithKey(s3, keys.apiKey)
    const client = s3.createClient(keys)
    const list = async () => {
      const { status, json } = await call('/api/user/files_uploaded')
      expect(status).toBe(200)
      return (json as { fileList: FileEntry[] }).fileList
    }
    return {
      call,
      client,
      list,
      async upload(name: string, text: string): Promise<string> {
        const form = new FormData()
        form.append('file', new Blob([text]), name)
        const answer = await s3.call('/api/v0/add', {
          method: 'POST',
          body: form,
          headers: { authorization: `Bearer ${keys.apiKey}` },
        })
        expect(answer.status, answer.body).toBe(200)
        return (await list())[0]?.id ?? ''
      },
      async putObject(bucket: string, key: string, text: string): Promise<void> {
        await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: text }))
      },
      async readObject(bucket: string, key: string): Promise<string | undefined> {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
        return Body?.transformToString()
      },
      async remove(ids: string[], revision = 0) {
        const answer = await call('/api/drive/deletions', 'POST', { revision, ids })
        return { status: answer.status, code: errorCodeOf(answer), ...(answer.json as { kept?: string[] }) }
      },
    }
  }

  test('delete uploads by their ids, and keep objects of buckets', async () => {
    const { client, list, upload, putObject, readObject, remove } = await openAccount()
    await client.send(new CreateBucketCommand({ Bucket: 'kept' }))
    await putObject('kept', 'laptop/a.txt', 'same')
    await putObject('kept', 'phone/a.txt', 'same')
    const objects = (await list()).map(({ id }) => id)
    const [first, second] = [await upload('first.txt', 'same'), await upload('second.txt', 'same')]
    const other = await openAccount()
    const foreign = await other.upload('foreign.txt', 'same')
    const removed = await remove([...objects, second, foreign, 'none', second])
    expect(removed).toMatchObject({ status: 200, kept: expect.arrayContaining(objects) })
    expect(removed.kept).toHaveLength(2)
    expect((await list()).map(({ id }) => id)).toEqual([first, ...objects])
    expect((await other.list()).map(({ id }) => id)).toEqual([foreign])
    for (const key of ['laptop/a.txt', 'phone/a.txt']) expect(await readObject('kept', key)).toBe('same')
    await other.client.send(new CreateBucketCommand({ Bucket: 'others' }))
    expect(await other.remove(objects), 'ids of another account').toMatchObject({ status: 200, kept: [] })
    // A repeated call whose first response was lost.
    expect(await remove([second])).toMatchObject({ status: 200, kept: [] })
  })

  test('delete nothing if the drive has another revision than the client read', async () => {
    const { call, list, upload, remove } = await openAccount()
    const id = await upload('a.txt', 'a')
    expect(await remove([id], 1)).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' })
    const data = Buffer.alloc(90).toString('base64')
    const part = { revision: 0, first: 1, last: 1, data }
    expect((await call('/api/drive/parts', 'POST', part)).status).toBe(200)
    const refused = await call('/api/drive/deletions', 'POST', { revision: 0, ids: [id] })
    expect(refused).toMatchObject({ status: 412, json: { error: { details: { revision: 1 } } } })
    expect(await list()).toHaveLength(1)
    // Of a concurrent change and deletion, one comes first, and the other is rejected.
    const [changed, deleted] = await Promise.all([
      call('/api/drive/parts', 'POST', { revision: 1, first: 2, last: 2, data }),
      remove([id], 1),
    ])
    expect(changed.status).toBe(200)
    expect(await list()).toHaveLength(deleted.status === 200 ? 0 : 1)
    expect(await remove([id], 2)).toMatchObject({ status: 200 })
    expect(await list()).toEqual([])
  })

  test('name 1 to 500 uploads per call, and require the scope', async () => {
    const { remove } = await openAccount()
    for (const ids of [[], Array.from({ length: 501 }, (_, at) => `${at}`)])
      expect(await remove(ids)).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
    const key = await s3.createKey(undefined, { scopes: ['files:read'] })
    const { headers, ...rest } = jsonBody({ revision: 0, ids: ['a'] })
    const answer = await s3.call('/api/drive/deletions', {
      ...rest,
      headers: { ...headers, authorization: `Bearer ${key}` },
    })
    expect(errorCodeOf(answer)).toBe('FORBIDDEN')
  })
})
