// A download that is resumed while its object may have been overwritten.
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestS3, type TestS3 } from '../s3.fixture.ts'
import { signedFetch } from '../signed-fetch.fixture.ts'

const Bucket = 'resumed'
const Key = 'a.bin'

let s3: TestS3
beforeAll(async () => {
  s3 = await startTestS3()
  await s3.client.send(new CreateBucketCommand({ Bucket }))
})
afterAll(() => s3?.[Symbol.asyncDispose]())

const put = async (Body: string) => {
  const { ETag = '' } = await s3.client.send(new PutObjectCommand({ Bucket, Key, Body }))
  return ETag
}
const resume = async (ifRange: string, range = 'bytes=4-') => {
  const headers = { range, 'if-range': ifRange, 'x-amz-checksum-mode': 'ENABLED' }
  const { status, body } = await signedFetch(s3, `/${Bucket}/${Key}`, { headers })
  return [status, body]
}

test('sends the range if If-Range matches the current object, and the whole object otherwise', async () => {
  const old = await put('old content')
  expect(await resume(old)).toEqual([206, 'content'])
  const etag = await put('new words')
  for (const other of [old, `W/${etag}`, etag.replaceAll('"', ''), '*', '', new Date(0).toUTCString()]) {
    expect(await resume(other), other).toEqual([200, 'new words'])
  }
  expect(await resume(etag)).toEqual([206, 'words'])
  // A range beyond the end is not an error if it does not count.
  expect(await resume(old, 'bytes=100-')).toEqual([200, 'new words'])
  expect((await resume(etag, 'bytes=100-'))[0]).toBe(416)
})

test('compares a date with Last-Modified', async () => {
  await put('dated content')
  const { LastModified = new Date(0) } = await s3.client.send(new GetObjectCommand({ Bucket, Key }))
  expect(await resume(LastModified.toUTCString(), 'bytes=6-')).toEqual([206, 'content'])
  for (const seconds of [-1, 1]) {
    const other = new Date(LastModified.getTime() + seconds * 1000).toUTCString()
    expect(await resume(other, 'bytes=6-'), other).toEqual([200, 'dated content'])
  }
})
