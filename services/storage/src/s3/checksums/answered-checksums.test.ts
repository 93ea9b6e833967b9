// Checksums and versions in responses: of copies, their sources and listings.
import { createHash } from 'node:crypto'
import {
  type ChecksumAlgorithm,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestS3, type TestS3 } from '../s3.fixture.ts'
import { signedFetch } from '../signed-fetch.fixture.ts'

let s3: TestS3
const Bucket = 'copies'
const Body = 'copied'
const ChecksumSHA256 = createHash('sha256').update(Body).digest('base64')
beforeAll(async () => {
  s3 = await startTestS3()
  await s3.client.send(new CreateBucketCommand({ Bucket }))
  await s3.client.send(new PutObjectCommand({ Bucket, Key: 'source', Body, ChecksumAlgorithm: 'SHA256' }))
})
afterAll(() => s3?.[Symbol.asyncDispose]())

const copy = (ChecksumAlgorithm?: ChecksumAlgorithm, Key = 'source') =>
  s3.client.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/${Key}`, ChecksumAlgorithm }))
const head = async () => s3.client.send(new HeadObjectCommand({ Bucket, Key: 'copy', ChecksumMode: 'ENABLED' }))

test('a copy has the checksum of its source, and says so', async () => {
  expect((await copy()).CopyObjectResult).toMatchObject({ ChecksumSHA256, ChecksumType: 'FULL_OBJECT' })
  expect(await head()).toMatchObject({ ChecksumSHA256 })
})

test('a copy gets the requested checksum', async () => {
  const ChecksumSHA1 = createHash('sha1').update(Body).digest('base64')
  const { CopyObjectResult } = await copy('SHA1')
  expect(CopyObjectResult).toMatchObject({ ChecksumSHA1, ChecksumType: 'FULL_OBJECT' })
  expect(CopyObjectResult?.ChecksumSHA256).toBeUndefined()
  expect(await head()).toMatchObject({ ChecksumSHA1, ContentLength: Body.length })
  await s3.client.send(new PutObjectCommand({ Bucket, Key: 'empty', Body: '' }))
  const empty = createHash('sha256').digest('base64')
  expect((await copy('SHA256', 'empty')).CopyObjectResult).toMatchObject({ ChecksumSHA256: empty })
})

test('a copied part shows its checksum', async () => {
  const begin = new CreateMultipartUploadCommand({ Bucket, Key: 'parts', ChecksumAlgorithm: 'SHA256' })
  const { UploadId } = await s3.client.send(begin)
  const CopySource = `${Bucket}/source`
  const part = new UploadPartCopyCommand({ Bucket, Key: 'parts', UploadId, PartNumber: 1, CopySource })
  expect((await s3.client.send(part)).CopyPartResult).toMatchObject({ ChecksumSHA256 })
})

test('a copy from a versioned bucket states the copied version', async () => {
  const { VersionId: source } = await s3.client.send(new PutObjectCommand({ Bucket, Key: 'source', Body }))
  expect([source, (await copy()).CopySourceVersionId]).toEqual([undefined, undefined])
  const VersioningConfiguration = { Status: 'Enabled' as const }
  await s3.client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
  expect((await copy()).CopySourceVersionId).toBe('null')
  const { VersionId } = await s3.client.send(new PutObjectCommand({ Bucket, Key: 'source', Body }))
  expect((await copy()).CopySourceVersionId).toBe(VersionId)
})

test('rejects checksums of algorithms that are not computed', async () => {
  const put = (headers: Record<string, string>, path = '/copies/unknown') =>
    signedFetch(s3, path, { method: path.endsWith('uploads=') ? 'POST' : 'PUT', headers, body: 'x' })
  for (const headers of [{ 'x-amz-checksum-xxhash64': 'AAAAAAAAAAA=' }, { 'x-amz-trailer': 'x-amz-checksum-sha512' }])
    expect(await put(headers)).toMatchObject({ status: 400, code: 'InvalidRequest' })
  const type = { 'x-amz-checksum-type': 'FULL_OBJECT' }
  expect(await put(type, '/copies/unknown?uploads=')).toMatchObject({ status: 400, code: 'InvalidRequest' })
})

test('a listing of versions shows the algorithms of checksums', async () => {
  await s3.client.send(new PutObjectCommand({ Bucket, Key: 'listed', Body, ChecksumAlgorithm: 'SHA256' }))
  const { Versions } = await s3.client.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'listed' }))
  expect(Versions).toMatchObject([{ ChecksumAlgorithm: ['SHA256'], ChecksumType: 'FULL_OBJECT' }])
})
