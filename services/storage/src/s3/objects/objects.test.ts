import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLocationCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { MIB } from '@cairn/protocol'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { compareBytes } from '../../content/compare-bytes.ts'
import { describeOnDatabases } from '../../on-databases.fixture.ts'
import { bearer } from '../../start-test-storage.fixture.ts'
import { successorOf } from '../listings/key-order.ts'
import { refused, startTestS3, type TestS3 } from '../s3.fixture.ts'
import { signedFetch } from '../signed-fetch.fixture.ts'

describeOnDatabases('the S3 API, on %s:', (newDatabase) => {
  let s3: TestS3
  const Bucket = 'pictures'
  beforeAll(async () => {
    s3 = await startTestS3(await newDatabase())
    await s3.client.send(new CreateBucketCommand({ Bucket }))
  })
  afterAll(() => s3?.[Symbol.asyncDispose]())

  const put = (Key: string, Body: string | Uint8Array = Key) =>
    s3.client.send(new PutObjectCommand({ Bucket, Key, Body }))
  const read = async (Key: string, more = {}) => {
    const answer = await s3.client.send(new GetObjectCommand({ Bucket, Key, ...more }))
    return { ...answer, bytes: Buffer.from((await answer.Body?.transformToByteArray()) ?? []) }
  }

  test('creates buckets once, lists, inspects and deletes them', async () => {
    const name = 'a-bucket'
    await s3.client.send(new CreateBucketCommand({ Bucket: name }))
    expect(await refused(s3.client.send(new CreateBucketCommand({ Bucket: name })))).toBe('done')
    const other = s3.createClient(await s3.createKeys())
    expect(await refused(other.send(new CreateBucketCommand({ Bucket: name })))).toEqual(['BucketAlreadyExists', 409])
    expect(await refused(other.send(new ListObjectsV2Command({ Bucket: name })))).toEqual(['AccessDenied', 403])
    expect((await other.send(new ListBucketsCommand({}))).Buckets ?? []).toEqual([])
    expect((await s3.client.send(new ListBucketsCommand({}))).Buckets?.map((one) => one.Name)).toEqual([name, Bucket])
    expect((await s3.client.send(new HeadBucketCommand({ Bucket: name }))).BucketRegion).toBe('us-east-1')
    expect((await s3.client.send(new GetBucketLocationCommand({ Bucket: name }))).LocationConstraint ?? '').toBe('')
    expect((await s3.client.send(new GetBucketVersioningCommand({ Bucket: name }))).Status).toBeUndefined()
    const ownedBy = (ExpectedBucketOwner: string) =>
      refused(s3.client.send(new ListObjectsV2Command({ Bucket: name, ExpectedBucketOwner })))
    expect(await ownedBy(s3.address)).toBe('done')
    expect(await ownedBy('another')).toEqual(['AccessDenied', 403])
    await s3.client.send(new DeleteBucketCommand({ Bucket: name }))
    expect(await refused(s3.client.send(new HeadBucketCommand({ Bucket: name })))).toEqual(['NotFound', 404])
    expect(await refused(s3.client.send(new DeleteBucketCommand({ Bucket: name })))).toEqual(['NoSuchBucket', 404])
  })

  test.each(['ab', 'Upper', 'a..b', '192.168.1.1', '-a-', 'xn--a', 'a_b'])(
    'rejects the bucket name %s',
    async (name) => {
      expect(await refused(s3.client.send(new CreateBucketCommand({ Bucket: name })))).toEqual([
        'InvalidBucketName',
        400,
      ])
    },
  )

  test('an object of a single PUT has one part, with its checksum', async () => {
    for (const Body of ['', 'text']) {
      const object = { Bucket, Key: 'one-part' }
      const { ChecksumSHA256 } = await s3.client.send(
        new PutObjectCommand({ ...object, Body, ChecksumAlgorithm: 'SHA256' }),
      )
      const part = { ...object, PartNumber: 1, ChecksumMode: 'ENABLED' as const }
      expect((await s3.client.send(new HeadObjectCommand(part))).ChecksumSHA256).toBe(ChecksumSHA256)
    }
  })

  test('accepts the absolute form of a request', async () => {
    await put('absolute form')
    const path = await getSignedUrl(s3.client, new GetObjectCommand({ Bucket, Key: 'absolute form' }))
    const [answer]: IncomingMessage[] = await once(request(s3.endpoint, { path, agent: false }).end(), 'response')
    expect(answer === undefined ? undefined : await text(answer)).toBe('absolute form')
  })

  test('writes the name of the ETag as S3 does, for clients that compare its case', async () => {
    const object = { Bucket, Key: 'etag' }
    const { UploadId } = await s3.client.send(new CreateMultipartUploadCommand(object))
    const namesOf = async (method: string, url: Promise<string>) => {
      const sent = request(await url, { method, agent: false })
      sent.end(method === 'PUT' ? 'x' : undefined)
      const [answer]: IncomingMessage[] = await once(sent, 'response')
      return answer?.resume().rawHeaders
    }
    expect(await namesOf('PUT', getSignedUrl(s3.client, new PutObjectCommand(object)))).toContain('ETag')
    expect(await namesOf('HEAD', getSignedUrl(s3.client, new HeadObjectCommand(object)))).toContain('ETag')
    expect(await namesOf('GET', getSignedUrl(s3.client, new GetObjectCommand(object)))).toContain('ETag')
    const part = new UploadPartCommand({ ...object, UploadId, PartNumber: 1 })
    expect(await namesOf('PUT', getSignedUrl(s3.client, part))).toContain('ETag')
  })

  test('keeps metadata under names that objects inherit', async () => {
    const Metadata = Object.fromEntries(
      ['constructor', 'prototype', '__proto__', 'tostring'].map((name) => [name, 'x']),
    )
    await s3.client.send(new PutObjectCommand({ Bucket, Key: 'names', Body: 'x', Metadata }))
    // The client turns them into a record, which loses `__proto__`.
    const { metadata } = await s3.context.db.read
      .selectFrom('s3_object')
      .select('metadata')
      .where('key', '=', 'names')
      .executeTakeFirstOrThrow()
    expect(JSON.parse(metadata)).toEqual(JSON.parse(JSON.stringify(Metadata)))
    const url = await getSignedUrl(s3.client, new HeadObjectCommand({ Bucket, Key: 'names' }), { expiresIn: 60 })
    const { headers } = await fetch(url, { method: 'HEAD' })
    expect(Object.keys(Metadata).map((name) => headers.get(`x-amz-meta-${name}`))).toEqual(['x', 'x', 'x', 'x'])
  })

  test('returns an object unchanged, and the gateway serves its CID', async () => {
    const Body = randomBytes(3_000_000)
    const written = await s3.client.send(
      new PutObjectCommand({
        Bucket,
        Key: 'cats/one.jpg',
        Body,
        ContentType: 'image/jpeg',
        CacheControl: 'max-age=60',
        Metadata: { owner: 'me', cid: 'not-mine-to-say' },
      }),
    )
    expect(written.ETag).toBe(`"${createHash('md5').update(Body).digest('hex')}"`)
    const found = await read('cats/one.jpg')
    expect(found.bytes.equals(Body)).toBe(true)
    expect([found.ContentType, found.CacheControl, found.Metadata?.['owner']]).toEqual([
      'image/jpeg',
      'max-age=60',
      'me',
    ])
    const cid = found.Metadata?.['cid'] ?? ''
    const served = await fetch(`${s3.gatewayUrl}/ipfs/${cid}`)
    expect(Buffer.from(await served.arrayBuffer()).equals(Body)).toBe(true)
    const head = await s3.client.send(new HeadObjectCommand({ Bucket, Key: 'cats/one.jpg' }))
    expect([head.ContentLength, head.ETag, head.Metadata?.['cid']]).toEqual([Body.length, written.ETag, cid])
  })

  test('accepts a stream of known length in chunks with a trailing checksum', async () => {
    const Body = randomBytes(300_000)
    const answer = await s3.client.send(
      new PutObjectCommand({
        Bucket,
        Key: 'streamed',
        Body: Readable.from([Body.subarray(0, 100_000), Body.subarray(100_000)]),
        ContentLength: Body.length,
        ChecksumAlgorithm: 'CRC32C',
      }),
    )
    expect(answer.ChecksumCRC32C).toMatch(/^.{6}==$/)
    expect((await read('streamed', { ChecksumMode: 'ENABLED' })).ChecksumCRC32C).toBe(answer.ChecksumCRC32C)
    expect((await read('streamed')).bytes.equals(Body)).toBe(true)
  })

  test.each(
    (['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const).flatMap((algorithm) => [
      { algorithm, size: 'small', Body: 'some text' },
      // Its digests are computed on another thread.
      { algorithm, size: 'large', Body: new Uint8Array(2 * MIB).fill(algorithm.length) },
    ]),
  )('verifies and keeps the checksum $algorithm of a $size object', async ({ algorithm, size, Body }) => {
    const Key = `sums/${algorithm}/${size}`
    await s3.client.send(new PutObjectCommand({ Bucket, Key, Body, ChecksumAlgorithm: algorithm }))
    const found = await read(Key, { ChecksumMode: 'ENABLED' })
    expect(found.bytes.equals(Buffer.from(Body))).toBe(true)
    expect(found.ETag).toBe(`"${createHash('md5').update(Body).digest('hex')}"`)
    const value = found[`Checksum${algorithm}`] ?? ''
    expect(value).not.toBe('')
    const wrong = { [`Checksum${algorithm}`]: Buffer.alloc(Buffer.from(value, 'base64').length).toString('base64') }
    expect(await refused(s3.client.send(new PutObjectCommand({ Bucket, Key: `${Key}-bad`, Body, ...wrong })))).toEqual([
      'BadDigest',
      400,
    ])
    expect(await refused(read(`${Key}-bad`))).toEqual(['NoSuchKey', 404])
  })

  test.each([
    { size: 'small', Body: 'text' },
    { size: 'large', Body: new Uint8Array(2 * MIB) },
  ])('rejects a $size body that does not match its MD5, and keeps nothing of it', async ({ Body }) => {
    const before = await s3.context.db.read
      .selectFrom('account')
      .selectAll()
      .where('address', '=', s3.address)
      .executeTakeFirstOrThrow()
    const bad = s3.client.send(
      new PutObjectCommand({ Bucket, Key: 'bad', Body, ContentMD5: Buffer.alloc(16).toString('base64') }),
    )
    expect(await refused(bad)).toEqual(['BadDigest', 400])
    const after = await s3.context.db.read
      .selectFrom('account')
      .selectAll()
      .where('address', '=', s3.address)
      .executeTakeFirstOrThrow()
    expect(after).toEqual(before)
  })

  test.each([
    '../up',
    '..',
    'a/../../b',
    '/leading',
    'double//slash',
    'trailing/',
    'plus+sign and blank',
    'per%20cent%2F',
    'ünïcödé/日本語/😀',
    'quotes\'"<>&',
    'new\nline\ttab',
    `${'k'.repeat(1024)}`,
    '?query#fragment',
  ])('the key %j is only a name', async (key) => {
    await put(key, `content of ${key}`)
    expect((await read(key)).bytes.toString()).toBe(`content of ${key}`)
    const listed = await s3.client.send(new ListObjectsV2Command({ Bucket, Prefix: key, EncodingType: 'url' }))
    expect(decodeURIComponent(listed.Contents?.[0]?.Key ?? '')).toBe(key)
    await s3.client.send(new DeleteObjectCommand({ Bucket, Key: key }))
    expect(await refused(read(key))).toEqual(['NoSuchKey', 404])
  })

  test('a small object is read as one block, and not at all for HEAD', async () => {
    const Key = 'one-block'
    await put(Key, 'small object')
    const get = vi.spyOn(s3.context.packs, 'get')
    const openReader = vi.spyOn(s3.context.packs, 'openReader')
    try {
      const head = await s3.client.send(new HeadObjectCommand({ Bucket, Key }))
      expect([head.ContentLength, get.mock.calls.length]).toEqual([12, 0])
      expect((await read(Key)).bytes.toString()).toBe('small object')
      expect((await read(Key, { Range: 'bytes=6-8' })).bytes.toString()).toBe('obj')
      expect([get.mock.calls.length, openReader.mock.calls.length]).toEqual([2, 0])
      await put(Key, new Uint8Array(64 * 1024 + 1))
      expect((await read(Key)).bytes).toHaveLength(64 * 1024 + 1)
      expect([get.mock.calls.length, openReader.mock.calls.length]).toEqual([2, 1])
    } finally {
      get.mockRestore()
      openReader.mockRestore()
      await s3.client.send(new DeleteObjectCommand({ Bucket, Key }))
    }
  })

  test('listings show CIDs on request only', async () => {
    await put('with-cid')
    const cid = (await read('with-cid')).Metadata?.['cid'] ?? ''
    expect(cid).not.toBe('')
    for (const query of ['list-type=2', 'versions=', 'delimiter=%2F']) {
      const list = async (attributes?: string) => {
        const headers = attributes === undefined ? {} : { 'x-amz-optional-object-attributes': attributes }
        return (await signedFetch(s3, `/${Bucket}?prefix=with-cid&${query}`, { headers })).body
      }
      expect(await list()).toContain('<Key>with-cid</Key>')
      expect(await list()).not.toContain('CID>')
      expect(await list('RestoreStatus')).not.toContain('CID>')
      expect(await list('RestoreStatus, CID')).toContain(`<CID>${cid}</CID>`)
    }
    await s3.client.send(new DeleteObjectCommand({ Bucket, Key: 'with-cid' }))
  })

  test('rejects a key longer than 1,024 bytes, or with a NUL', async () => {
    expect(await refused(put('ü'.repeat(513)))).toEqual(['KeyTooLongError', 400])
    expect(await refused(put('a\0b'))).toEqual(['InvalidArgument', 400])
  })

  test('an overwrite keeps the previous version by its CID, and a deletion frees all of them', async () => {
    const used = async () =>
      (
        await s3.context.db.read
          .selectFrom('account')
          .select('data_used_bytes')
          .where('address', '=', s3.address)
          .executeTakeFirstOrThrow()
      ).data_used_bytes
    const before = await used()
    await put('versions', 'first')
    const first = (await read('versions')).Metadata?.['cid']
    await put('versions', 'second!')
    expect((await read('versions')).bytes.toString()).toBe('second!')
    expect(await (await fetch(`${s3.gatewayUrl}/ipfs/${first}`)).text()).toBe('first')
    expect(await used()).toBe(before + 5 + 7)
    // The same bytes again do not add a version.
    await put('versions', 'second!')
    expect(await used()).toBe(before + 5 + 7)
    await s3.client.send(new DeleteObjectCommand({ Bucket, Key: 'versions' }))
    expect(await used()).toBe(before)
    await s3.client.send(new DeleteObjectCommand({ Bucket, Key: 'versions' }))
  })

  test('an object whose file another call deleted is gone', async () => {
    const { apiKey, ...keys } = await s3.createKeys()
    const client = s3.createClient(keys)
    await client.send(new CreateBucketCommand({ Bucket: 'by-another-call' }))
    await client.send(new PutObjectCommand({ Bucket: 'by-another-call', Key: 'k', Body: 'x' }))
    const { json } = await s3.call('/api/user/files_uploaded?lastKey=null', bearer(apiKey))
    const [file] = (json as { fileList: { id: string; fileName: string }[] }).fileList
    expect(file?.fileName).toBe('by-another-call/k')
    await s3.call(`/api/user/delete_file?id=${file?.id}`, { method: 'DELETE', ...bearer(apiKey) })
    expect(await refused(client.send(new GetObjectCommand({ Bucket: 'by-another-call', Key: 'k' })))).toEqual([
      'NoSuchKey',
      404,
    ])
    await client.send(new DeleteBucketCommand({ Bucket: 'by-another-call' }))
  })

  test('reads ranges, and rejects those beyond the end', async () => {
    await put('range', '0123456789')
    const ask = async (Range: string) => {
      const { bytes, ContentRange } = await read('range', { Range })
      return [bytes.toString(), ContentRange]
    }
    expect(await ask('bytes=2-4')).toEqual(['234', 'bytes 2-4/10'])
    expect(await ask('bytes=-3')).toEqual(['789', 'bytes 7-9/10'])
    expect(await ask('bytes=8-100')).toEqual(['89', 'bytes 8-9/10'])
    expect(await refused(read('range', { Range: 'bytes=10-' }))).toEqual(['InvalidRange', 416])
    await put('range-of-none', '')
    expect(await refused(read('range-of-none', { Range: 'bytes=0-9' }))).toEqual(['InvalidRange', 416])
    // A malformed range is ignored.
    for (const key of ['range', 'range-of-none']) {
      expect((await read(key, { Range: 'bytes=5-2' })).$metadata.httpStatusCode).toBe(200)
    }
  })

  test('answers what is not HTTP in XML', async () => {
    const { hostname, port } = new URL(s3.endpoint)
    const socket = connect(Number(port), hostname)
    socket.end('EHLO cairn\r\n\r\n')
    const answer = Buffer.concat(await Array.fromAsync(socket)).toString()
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*content-type: application\/xml\r\n.*<Code>InvalidRequest<\/Code>/s)
  })

  test('supports conditional reads and writes', async () => {
    const { ETag = '' } = await put('conditions', 'one')
    const client = s3.client
    const overwrite = (more: object) =>
      refused(client.send(new PutObjectCommand({ Bucket, Key: 'conditions', Body: 'two', ...more })))
    expect(await refused(read('conditions', { IfMatch: '"other"' }))).toEqual(['PreconditionFailed', 412])
    expect((await refused(read('conditions', { IfNoneMatch: ETag })))[1]).toBe(304)
    // boto3 fails on the header, because it verifies the missing body.
    const unchanged: unknown = await read('conditions', { IfNoneMatch: ETag, ChecksumMode: 'ENABLED' }).catch((e) => e)
    if (!(unchanged instanceof S3ServiceException)) throw new Error('The object was sent')
    const { headers = {} } = unchanged.$response ?? {}
    expect([headers['etag'], headers['x-amz-checksum-crc32']]).toEqual([ETag, undefined])
    expect((await refused(read('conditions', { IfModifiedSince: new Date(Date.now() + 1000) })))[1]).toBe(304)
    expect(await refused(read('conditions', { IfUnmodifiedSince: new Date(0) }))).toEqual(['PreconditionFailed', 412])
    expect((await read('conditions', { IfMatch: ETag, IfModifiedSince: new Date(0) })).bytes.toString()).toBe('one')
    expect(await overwrite({ IfNoneMatch: '*' })).toEqual(['PreconditionFailed', 412])
    expect(await overwrite({ IfMatch: '"other"' })).toEqual(['PreconditionFailed', 412])
    expect(await overwrite({ IfMatch: ETag })).toBe('done')
    expect((await read('conditions')).bytes.toString()).toBe('two')
  })

  test('deletes only an object that meets the conditions', async () => {
    const target = { Bucket, Key: 'conditional' }
    const { ETag = '' } = await put('conditional', 'one')
    const { LastModified } = await s3.client.send(new HeadObjectCommand(target))
    const remove = (more: object) => refused(s3.client.send(new DeleteObjectCommand({ ...target, ...more })))
    const wrong = [{ IfMatch: '"other"' }, { IfMatchLastModifiedTime: new Date(0) }, { IfMatchSize: 4 }]
    for (const more of wrong) expect(await remove(more)).toEqual(['PreconditionFailed', 412])
    const many = [{ ETag: '"other"' }, { LastModifiedTime: new Date(0) }, { Size: 4 }]
    const Objects = many.map((more) => ({ Key: 'conditional', ...more }))
    const { Errors = [] } = await s3.client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
    expect(Errors.map(({ Code }) => Code)).toEqual(Array(3).fill('PreconditionFailed'))
    const right = { IfMatch: ETag, IfMatchLastModifiedTime: LastModified, IfMatchSize: 3 }
    expect(await remove(right)).toBe('done')
    expect(await refused(read('conditional'))).toEqual(['NoSuchKey', 404])
    expect(await remove({ IfMatchSize: 3 })).toBe('done')
    expect(await remove({ IfMatch: ETag })).toEqual(['NoSuchKey', 404])
  })

  test('exactly one of many writers that all require a new object wins', async () => {
    const tries = Array.from({ length: 8 }, (_, at) =>
      refused(s3.client.send(new PutObjectCommand({ Bucket, Key: 'race', Body: `${at}`, IfNoneMatch: '*' }))),
    )
    const results = await Promise.all(tries)
    expect(results.filter((one) => one === 'done')).toHaveLength(1)
  })

  describe('a listing', () => {
    const keys = ['a', 'b/1', 'b/2', 'b/c/3', 'b0', 'c/4', 'd+e f', 'é', '\u{10ffff}x', '😀']
    const list = 'listing'
    beforeAll(async () => {
      await s3.client.send(new CreateBucketCommand({ Bucket: list }))
      for (const Key of keys) await s3.client.send(new PutObjectCommand({ Bucket: list, Key, Body: Key }))
    })
    const page = async (more: object) => {
      const answer = await s3.client.send(new ListObjectsV2Command({ Bucket: list, ...more }))
      return {
        keys: answer.Contents?.map(({ Key }) => Key) ?? [],
        prefixes: answer.CommonPrefixes?.map(({ Prefix }) => Prefix) ?? [],
        next: answer.NextContinuationToken,
      }
    }

    test('sorts by the bytes of the keys', async () => {
      expect((await page({})).keys).toEqual(keys.toSorted(compareBytes))
    })
    test('groups keys at the delimiter', async () => {
      expect(await page({ Delimiter: '/' })).toEqual({
        keys: ['a', 'b0', 'd+e f', 'é', '😀', '\u{10ffff}x'],
        prefixes: ['b/', 'c/'],
        next: undefined,
      })
      expect(await page({ Delimiter: '/', Prefix: 'b/' })).toMatchObject({ keys: ['b/1', 'b/2'], prefixes: ['b/c/'] })
    })
    test.each([1, 2, 3])('returns each entry once over pages of %d', async (MaxKeys) => {
      const found: (string | undefined)[] = []
      let ContinuationToken: string | undefined
      do {
        const one = await page({ Delimiter: '/', MaxKeys, ContinuationToken })
        expect(one.keys.length + one.prefixes.length).toBeLessThanOrEqual(MaxKeys)
        found.push(...one.keys, ...one.prefixes)
        ContinuationToken = one.next
      } while (ContinuationToken !== undefined)
      expect(found.toSorted()).toEqual(['a', 'b/', 'b0', 'c/', 'd+e f', 'é', '😀', '\u{10ffff}x'].toSorted())
    })
    test('starts after a key, and version 1 after its marker', async () => {
      expect((await page({ StartAfter: 'b/2', MaxKeys: 2 })).keys).toEqual(['b/c/3', 'b0'])
      const old = await s3.client.send(
        new ListObjectsCommand({ Bucket: list, Marker: 'b/', Delimiter: '/', MaxKeys: 1 }),
      )
      expect([old.Contents?.[0]?.Key, old.IsTruncated, old.NextMarker]).toEqual(['b0', true, 'b0'])
      expect((await page({ MaxKeys: 0 })).keys).toEqual([])
    })
  })
})

test('skips a prefix when it starts after the text of that prefix', () => {
  expect(successorOf('a')).toBe('b')
  expect(successorOf('a\u{10ffff}')).toBe('b')
  expect(successorOf('\ud7ff')).toBe('\ue000')
  expect(successorOf('\u{10ffff}')).toBeUndefined()
  expect(successorOf('')).toBeUndefined()
})
