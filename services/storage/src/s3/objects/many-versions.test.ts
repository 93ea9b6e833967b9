import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnDatabases } from '../../on-databases.fixture.ts'
import { startTestS3, type TestS3 } from '../s3.fixture.ts'
import { deleteObject } from './objects.ts'

describeOnDatabases('an object with many versions, on %s:', (newDatabase) => {
  let s3: TestS3
  beforeAll(async () => {
    s3 = await startTestS3(await newDatabase())
  })
  afterAll(() => s3?.[Symbol.asyncDispose]())

  test('is deleted in several units of work, and stays as it is until the last one', async () => {
    const { client, context, address } = s3
    const target = { bucket: 'bucket', key: 'status' }
    await client.send(new CreateBucketCommand({ Bucket: target.bucket }))
    for (let at = 0; at < 250; at++)
      await client.send(new PutObjectCommand({ Bucket: target.bucket, Key: target.key, Body: `state ${at}` }))
    const read = () =>
      client.send(new GetObjectCommand({ Bucket: target.bucket, Key: target.key })).then(
        ({ Body }) => Body?.transformToString(),
        ({ name }: Error) => name,
      )
    const seen: unknown[] = []
    const write: typeof context.db.write = async (work) => {
      seen.push(await read())
      return context.db.write(work)
    }
    const caller = { address, rules: [], scopes: ['files:write' as const] }
    expect(await deleteObject({ ...context, db: { ...context.db, write } }, caller, target)).toEqual({
      versionId: undefined,
      isMarker: false,
    })
    expect(seen).toEqual(['state 249', 'state 249', 'state 249'])
    expect(await read()).toBe('NoSuchKey')
    expect(await context.db.read.selectFrom('upload').select('id').execute()).toEqual([])
    expect(await context.db.read.selectFrom('account').select('data_used_bytes').execute()).toEqual([
      { data_used_bytes: 0 },
    ])
  })
})
