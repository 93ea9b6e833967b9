import { randomBytes } from 'node:crypto'
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { MIB } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { createDigestThread, type DigestThread } from '../checksums/digest-thread-client.ts'
import { unconditional } from '../objects/conditions.ts'
import { checksumOf } from '../objects/object-info.ts'
import { startTestS3 } from '../s3.fixture.ts'
import { completeMultipart, type NamedPart } from './complete-multipart.ts'
import { requireMultipart } from './parts.ts'

test('the digest thread computes the checksum of all parts, without their MD5', async () => {
  await using s3 = await startTestS3()
  await using thread = createDigestThread()
  const target = { Bucket: 'parts', Key: 'whole' }
  const ChecksumAlgorithm = 'CRC64NVME'
  await s3.client.send(new CreateBucketCommand(target))
  const { UploadId = '' } = await s3.client.send(new CreateMultipartUploadCommand({ ...target, ChecksumAlgorithm }))
  const parts = [randomBytes(5 * MIB), randomBytes(5 * MIB)]
  const named: NamedPart[] = []
  for (const [at, Body] of parts.entries()) {
    const part = { ...target, UploadId, PartNumber: at + 1, Body, ChecksumAlgorithm } as const
    const { ETag = '' } = await s3.client.send(new UploadPartCommand(part))
    named.push({ number: at + 1, etag: ETag.replaceAll('"', '') })
  }
  const begun: unknown[] = []
  const digests: Pick<DigestThread, 'begin'> = {
    begin(...wanted) {
      begun.push(wanted)
      return thread.begin(...wanted)
    },
  }
  const upload = await requireMultipart(s3.context, { bucket: target.Bucket, key: target.Key }, UploadId)
  const { signal } = new AbortController()
  const options = { conditions: unconditional, declared: undefined, declaredBytes: undefined, digests, signal }
  const row = await completeMultipart(s3.context, upload, named, options)
  expect(begun).toEqual([[{ md5: false, sha256: false, checksum: ChecksumAlgorithm }, 10 * MIB]])
  const once = { ...target, Key: 'once', Body: Buffer.concat(parts), ChecksumAlgorithm } as const
  const { ChecksumCRC64NVME } = await s3.client.send(new PutObjectCommand(once))
  expect(checksumOf(row)).toMatchObject({ type: 'FULL_OBJECT', value: ChecksumCRC64NVME })
})
