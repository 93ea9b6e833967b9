import { randomBytes } from 'node:crypto'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  type CompleteMultipartUploadCommandInput,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { MIB } from '@cairn/protocol'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnDatabases } from '../../on-databases.fixture.ts'
import { refused, startTestS3, type TestS3 } from '../s3.fixture.ts'
import { signedFetch } from '../signed-fetch.fixture.ts'
import { abortMultipart, createMultipart } from './parts.ts'
import { abortExpired } from './worker.ts'

describeOnDatabases('on %s:', (newDatabase) => {
  let s3: TestS3
  const Bucket = 'parts'
  beforeAll(async () => {
    s3 = await startTestS3(await newDatabase())
    await s3.client.send(new CreateBucketCommand({ Bucket }))
  })
  afterAll(() => s3?.[Symbol.asyncDispose]())

  const account = async () => {
    const { data_used_bytes: used, reserved_bytes: reserved } = await s3.context.db.read
      .selectFrom('account')
      .selectAll()
      .where('address', '=', s3.address)
      .executeTakeFirstOrThrow()
    return { used, reserved }
  }
  const begin = async (Key: string, more = {}) =>
    (await s3.client.send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }))).UploadId
  const sendPart = (Key: string, UploadId: string | undefined, PartNumber: number, Body: Uint8Array, more = {}) =>
    s3.client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body, ...more }))
  const read = async (Key: string, more = {}) => {
    const answer = await s3.client.send(new GetObjectCommand({ Bucket, Key, ...more }))
    return { ...answer, bytes: Buffer.from((await answer.Body?.transformToByteArray()) ?? []) }
  }
  const objectKeys = async (prefix: string) => {
    const found: string[] = []
    for await (const key of s3.context.objects.list(prefix)) found.push(key)
    return found
  }

  test('a listing of no uploads or parts is complete', async () => {
    const Key = 'listed'
    const UploadId = await begin(Key)
    await sendPart(Key, UploadId, 1, Buffer.from('part'))
    for (const query of ['uploads=&max-uploads=0', `uploadId=${UploadId}&max-parts=0`]) {
      const path = query.startsWith('uploads') ? `/${Bucket}` : `/${Bucket}/${Key}`
      expect((await signedFetch(s3, `${path}?${query}`)).body).toContain('<IsTruncated>false')
    }
    expect((await signedFetch(s3, `/${Bucket}/${Key}?uploadId=${UploadId}`, { method: 'DELETE' })).status).toBe(204)
  })

  test('pages of open uploads have each of them, also with characters that JavaScript sorts differently', async () => {
    const keys = ['pages/a', 'pages/\uff5e', 'pages/\u{1f600}']
    const ids = await Promise.all(keys.map((Key) => begin(Key)))
    const listed: (string | undefined)[] = []
    for (let KeyMarker: string | undefined, isMore = true; isMore; ) {
      const page = { Bucket, Prefix: 'pages/', MaxUploads: 1, KeyMarker }
      const { Uploads = [], NextKeyMarker, IsTruncated } = await s3.client.send(new ListMultipartUploadsCommand(page))
      listed.push(...Uploads.map(({ Key }) => Key))
      KeyMarker = NextKeyMarker
      isMore = IsTruncated === true
    }
    expect(listed).toEqual(keys)
    for (const [at, Key] of keys.entries()) {
      await s3.client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: ids[at] }))
    }
  })

  test('a new upload does not read the others of its bucket', async () => {
    const { context, address } = s3
    const ids = await Promise.all(Array.from({ length: 20 }, () => begin('open')))
    let rowCount = 0
    const count: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        rowCount += result.rows.length
        return result
      },
    }
    const write: typeof context.db.write = (unit) => context.db.write((trx) => unit(trx.withPlugin(count)))
    const db = { ...context.db, write }
    const info = { headers: {}, metadata: {}, tags: [] }
    ids.push(await createMultipart({ ...context, db }, address, { bucket: Bucket, key: 'open' }, info, undefined))
    expect(rowCount).toBeLessThan(ids.length)
    for (const id of ids) await abortMultipart(context, id ?? '')
  })

  test('parts without bytes use quota until their upload ends, which limits their number', async () => {
    const Key = 'empty'
    const before = await account()
    const UploadId = await begin(Key)
    for (const number of [1, 2, 3, 3]) await sendPart(Key, UploadId, number, new Uint8Array())
    expect(await account()).toEqual({ used: before.used, reserved: before.reserved + 3 * 4096 })
    const one = await sendPart(Key, UploadId, 1, new Uint8Array())
    const Parts = [{ PartNumber: 1, ETag: one.ETag }]
    await s3.client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
    expect((await account()).reserved).toBe(before.reserved)
    expect((await read(Key)).bytes).toHaveLength(0)
    const dropped = await begin(Key)
    await sendPart(Key, dropped, 1, new Uint8Array())
    await s3.client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: dropped }))
    expect((await account()).reserved).toBe(before.reserved)
  })

  test('the attributes of an object list its sizes and sums, and its parts in pages', async () => {
    const Key = 'attributes'
    const ObjectAttributes = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'] as const
    const read = (more = {}) =>
      s3.client.send(new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes: [...ObjectAttributes], ...more }))
    const put = await s3.client.send(new PutObjectCommand({ Bucket, Key, Body: 'foo', ChecksumAlgorithm: 'SHA256' }))
    const single = await read()
    expect(single).toMatchObject({
      ETag: put.ETag?.replaceAll('"', ''),
      Checksum: { ChecksumSHA256: put.ChecksumSHA256, ChecksumType: 'FULL_OBJECT' },
      StorageClass: 'STANDARD',
      ObjectSize: 3,
      LastModified: expect.any(Date),
    })
    expect(single.ObjectParts).toBeUndefined()

    const UploadId = await begin(Key)
    const Parts = []
    for (const [at, size] of [5 * MIB, 5 * MIB, 7].entries()) {
      const { ETag } = await sendPart(Key, UploadId, at + 1, Buffer.alloc(size, at))
      Parts.push({ ETag, PartNumber: at + 1 })
    }
    await s3.client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
    const { ObjectSize, ObjectParts } = await read({ MaxParts: 2, PartNumberMarker: 1 })
    expect(ObjectSize).toBe(10 * MIB + 7)
    expect(ObjectParts).toEqual({
      TotalPartsCount: 3,
      PartNumberMarker: '1',
      NextPartNumberMarker: '3',
      MaxParts: 2,
      IsTruncated: false,
      Parts: [
        { PartNumber: 2, Size: 5 * MIB },
        { PartNumber: 3, Size: 7 },
      ],
    })
    expect((await read({ MaxParts: 2_147_483_647 })).ObjectParts).toMatchObject({ MaxParts: 1000, IsTruncated: false })
    expect((await read({ MaxParts: 1 })).ObjectParts).toMatchObject({ IsTruncated: true, NextPartNumberMarker: '1' })
    expect((await read({ ObjectAttributes: ['ETag'] })).ObjectSize).toBeUndefined()

    expect(await refused(read({ Key: 'missing' }))).toEqual(['NoSuchKey', 404])
    expect(await refused(read({ ObjectAttributes: ['Owner'] }))).toEqual(['InvalidArgument', 400])
    expect(await refused(read({ ObjectAttributes: ['toString'] }))).toEqual(['InvalidArgument', 400])
  })

  test('parts in any order, one sent twice, form the object of a single PUT', async () => {
    const before = await account()
    const parts = [randomBytes(5 * MIB), randomBytes(5 * MIB + 1), randomBytes(10)]
    const whole = Buffer.concat(parts)
    const Key = 'in/parts'
    const UploadId = await begin(Key, { ContentType: 'text/plain', Metadata: { a: 'b' } })
    const etags: (string | undefined)[] = []
    await sendPart(Key, UploadId, 2, randomBytes(6 * MIB))
    for (const at of [2, 0, 1]) etags[at] = (await sendPart(Key, UploadId, at + 1, parts[at] ?? whole)).ETag
    // A part reserves 4 KiB at least.
    expect(await account()).toEqual({ used: before.used, reserved: before.reserved + whole.length - 10 + 4096 })
    const listed = await s3.client.send(new ListPartsCommand({ Bucket, Key, UploadId, MaxParts: 2_147_483_647 }))
    expect(listed.Parts?.map(({ PartNumber, Size, ETag }) => [PartNumber, Size, ETag])).toEqual(
      parts.map(({ length }, at) => [at + 1, length, etags[at]]),
    )
    const uploads = await s3.client.send(new ListMultipartUploadsCommand({ Bucket }))
    expect(uploads.Uploads?.map((one) => [one.Key, one.UploadId])).toEqual([[Key, UploadId]])
    const MultipartUpload = { Parts: etags.map((ETag, at) => ({ ETag, PartNumber: at + 1 })) }
    const done = await s3.client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }))
    expect(done.ETag).toMatch(/^"[0-9a-f]{32}-3"$/)
    expect(done.Location).toBe(`${s3.endpoint}/${Bucket}/in/parts`)
    // A client that lost the response asks again.
    const again = { Bucket, Key, UploadId, MultipartUpload }
    expect(await s3.client.send(new CompleteMultipartUploadCommand(again))).toMatchObject({ ETag: done.ETag })
    const fewer = { ...again, MultipartUpload: { Parts: MultipartUpload.Parts.slice(1) } }
    expect(await refused(s3.client.send(new CompleteMultipartUploadCommand(fewer)))).toEqual(['NoSuchUpload', 404])
    const found = await read(Key)
    expect(found.bytes.equals(whole)).toBe(true)
    expect([found.ContentType, found.Metadata?.['a'], found.ETag]).toEqual(['text/plain', 'b', done.ETag])
    await s3.client.send(new PutObjectCommand({ Bucket, Key: 'at/once', Body: whole }))
    expect((await read('at/once')).Metadata?.['cid']).toBe(found.Metadata?.['cid'])
    const second = await read(Key, { PartNumber: 2 })
    expect([second.bytes.equals(parts[1] ?? whole), second.PartsCount]).toEqual([true, 3])
    expect(await account()).toEqual({ used: before.used + 2 * whole.length, reserved: before.reserved })
    expect(await objectKeys('s3-parts/')).toEqual([])
    expect(await refused(sendPart(Key, UploadId, 1, whole))).toEqual(['NoSuchUpload', 404])
  })

  test('a declared composite checksum may lack the number of parts, as that of the clients of MinIO', async () => {
    const Key = 'declared'
    const body = randomBytes(100)
    const open = async () => {
      const UploadId = await begin(Key, { ChecksumAlgorithm: 'CRC32C', ChecksumType: 'COMPOSITE' })
      const { ETag, ChecksumCRC32C } = await sendPart(Key, UploadId, 1, body, { ChecksumAlgorithm: 'CRC32C' })
      const named = { Bucket, Key, UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag, ChecksumCRC32C }] } }
      return (declared?: string) =>
        s3.client.send(
          new CompleteMultipartUploadCommand({
            ...named,
            ...(declared === undefined ? {} : { ChecksumCRC32C: declared }),
          }),
        )
    }
    const composite = (await (await open())()).ChecksumCRC32C ?? ''
    expect(composite).toMatch(/-1$/)
    for (const accepted of [composite, composite.replace('-1', '')]) {
      const complete = await open()
      for (const wrong of [composite.replace('-1', '-2'), Buffer.alloc(4).toString('base64')]) {
        expect(await refused(complete(wrong))).toEqual(['BadDigest', 400])
      }
      expect((await complete(accepted)).ChecksumCRC32C).toBe(composite)
    }
  })

  test.each([
    ['CRC32', 'COMPOSITE'],
    ['SHA256', 'COMPOSITE'],
    ['CRC32C', 'FULL_OBJECT'],
    ['CRC64NVME', 'FULL_OBJECT'],
  ] as const)('keeps a %s of parts as %s', async (ChecksumAlgorithm, ChecksumType) => {
    const Key = `sum/${ChecksumAlgorithm}`
    // Only the last part may be smaller.
    const bodies = [randomBytes(5 * MIB), randomBytes(1000)]
    const UploadId = await begin(Key, { ChecksumAlgorithm, ChecksumType })
    const name = `Checksum${ChecksumAlgorithm}` as const
    const Parts: { PartNumber: number; ETag: string | undefined }[] = []
    const sums: (string | undefined)[] = []
    for (const [at, body] of bodies.entries()) {
      const PartNumber = at + 1
      const sent = await sendPart(Key, UploadId, PartNumber, body, { ChecksumAlgorithm })
      Parts.push({ PartNumber, ETag: sent.ETag })
      sums.push(sent[name])
    }
    const complete = (last?: string) => {
      const named = Parts.map((part, at) => ({ ...part, [name]: at === 1 ? (last ?? sums[at]) : sums[at] }))
      return s3.client.send(
        new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts: named } }),
      )
    }
    const declaring = (more: Partial<CompleteMultipartUploadCommandInput>) =>
      refused(
        s3.client.send(
          new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts }, ...more }),
        ),
      )
    const other = ChecksumType === 'COMPOSITE' ? 'FULL_OBJECT' : 'COMPOSITE'
    expect(await declaring({ ChecksumType: other })).toEqual(['InvalidRequest', 400])
    expect(await declaring({ ChecksumSHA1: Buffer.alloc(20).toString('base64') })).toEqual(['InvalidRequest', 400])
    const wrong = Buffer.from(sums[1] ?? '', 'base64')
    expect(await refused(complete(wrong.fill(0).toString('base64')))).toEqual(['InvalidPart', 400])
    const done = await complete()
    const plain = await s3.client.send(
      new PutObjectCommand({ Bucket, Key: `${Key}-once`, Body: Buffer.concat(bodies), ChecksumAlgorithm }),
    )
    if (ChecksumType === 'FULL_OBJECT') expect(done[name]).toBe(plain[name])
    else expect(done[name]).toMatch(/-2$/)
    const head = await s3.client.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }))
    expect([head[name], head.ChecksumType]).toEqual([done[name], ChecksumType])
    const part = await s3.client.send(new HeadObjectCommand({ Bucket, Key, PartNumber: 2, ChecksumMode: 'ENABLED' }))
    expect([part[name], part.ChecksumType]).toEqual([sums[1], ChecksumType])
    const missing = s3.client.send(new GetObjectCommand({ Bucket, Key, PartNumber: 3 }))
    expect(await refused(missing)).toEqual(['InvalidPartNumber', 416])
    const ranged = read(Key, { PartNumber: 2, Range: 'bytes=0-9' })
    expect(await refused(ranged)).toEqual(['InvalidRequest', 400])
    const attributes = await s3.client.send(
      new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes: ['ObjectParts'] }),
    )
    expect(attributes.ObjectParts?.Parts?.map((one) => one[name])).toEqual(sums)
  })

  test('rejects a completion with wrong parts, which can be corrected', async () => {
    const Key = 'wrong'
    const UploadId = await begin(Key)
    const [one, two] = [
      await sendPart(Key, UploadId, 1, randomBytes(100)),
      await sendPart(Key, UploadId, 2, randomBytes(100)),
    ]
    const complete = (Parts: object[]) =>
      s3.client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
    const [first, second] = [
      { PartNumber: 1, ETag: one.ETag },
      { PartNumber: 2, ETag: two.ETag },
    ]
    expect(await refused(complete([second, first]))).toEqual(['InvalidPartOrder', 400])
    expect(await refused(complete([first, { PartNumber: 3, ETag: two.ETag }]))).toEqual(['InvalidPart', 400])
    expect(await refused(complete([{ PartNumber: 1, ETag: two.ETag }]))).toEqual(['InvalidPart', 400])
    expect(await refused(complete([first, second]))).toEqual(['EntityTooSmall', 400])
    expect(await refused(complete([]))).toEqual(['MalformedXML', 400])
    expect(await refused(sendPart(Key, UploadId, 10_001, randomBytes(1)))).toEqual(['InvalidArgument', 400])
    expect(await refused(complete([first]))).toBe('done')
    expect((await read(Key)).ContentLength).toBe(100)
  })

  test('concurrent completions of one upload all return its object', async () => {
    const { used } = await account()
    const Key = 'twice'
    const UploadId = await begin(Key)
    const { ETag } = await sendPart(Key, UploadId, 1, randomBytes(300_000))
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] }
    const complete = () =>
      s3.client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload, IfNoneMatch: '*' }))
    const answers = await Promise.all([complete(), complete(), complete()])
    expect(new Set(answers.map((answer) => answer.ETag)).size).toBe(1)
    expect(await account()).toEqual({ used: used + 300_000, reserved: 0 })
    expect(await objectKeys('s3-parts/')).toEqual([])
    await s3.client.send(new DeleteObjectCommand({ Bucket, Key }))
    expect(await refused(complete())).toEqual(['NoSuchUpload', 404])
  })

  test('a completion with another size than it declares is rejected', async () => {
    const Key = 'declared-size'
    const UploadId = await begin(Key)
    const { ETag } = await sendPart(Key, UploadId, 1, randomBytes(1000))
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] }
    const complete = (MpuObjectSize: number) =>
      s3.client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload, MpuObjectSize }))
    expect(await refused(complete(1001))).toEqual(['InvalidRequest', 400])
    expect(await refused(complete(1000))).toBe('done')
  })

  test('an aborted or expired upload leaves nothing', async () => {
    const before = await account()
    const [aborted, expired] = [await begin('x'), await begin('y')]
    await sendPart('x', aborted, 1, randomBytes(1000))
    await sendPart('y', expired, 1, randomBytes(1000))
    await s3.client.send(new AbortMultipartUploadCommand({ Bucket, Key: 'x', UploadId: aborted }))
    expect(
      await refused(s3.client.send(new AbortMultipartUploadCommand({ Bucket, Key: 'x', UploadId: aborted }))),
    ).toEqual(['NoSuchUpload', 404])
    await s3.context.db.write((trx) =>
      trx
        .updateTable('s3_multipart')
        .set({ expires_at: 1 })
        .where('id', '=', expired ?? '')
        .execute(),
    )
    // Until a settled clock has passed its expiry, it can be continued.
    await abortExpired(s3.context, new AbortController().signal, 0)
    await s3.client.send(new ListPartsCommand({ Bucket, Key: 'y', UploadId: expired }))
    await abortExpired(s3.context, new AbortController().signal)
    expect(await refused(sendPart('y', expired, 2, randomBytes(1)))).toEqual(['NoSuchUpload', 404])
    expect(await account()).toEqual(before)
    expect(await objectKeys('s3-parts/')).toEqual([])
  })

  test('an upload that is aborted while a part is sent keeps nothing of it', async () => {
    const Key = 'aborted-meanwhile'
    const before = await account()
    const UploadId = await begin(Key)
    const path = `/${Bucket}/${Key}?uploadId=${UploadId}`
    const answer = await signedFetch(s3, `${path}&partNumber=1`, {
      method: 'PUT',
      body: 'x'.repeat(100_000),
      headers: { expect: '100-continue' },
      async halfway() {
        expect((await signedFetch(s3, path, { method: 'DELETE' })).status).toBe(204)
      },
    })
    expect(answer).toMatchObject({ status: 404, code: 'NoSuchUpload' })
    expect(await objectKeys(`s3-parts/${UploadId}`)).toEqual([])
    const unconfirmed = await s3.context.objects.listUnconfirmed('all')
    expect([...unconfirmed].filter((key) => key.startsWith('s3-parts/'))).toEqual([])
    expect(await account()).toEqual(before)
  })

  test('a part that arrives in time keeps an expired upload', async () => {
    const UploadId = (await begin('renewed')) ?? ''
    expect(await abortMultipart(s3.context, UploadId, s3.context.clock.now())).toBe(false)
    await sendPart('renewed', UploadId, 1, randomBytes(10))
    await s3.client.send(new AbortMultipartUploadCommand({ Bucket, Key: 'renewed', UploadId }))
  })

  test('deleting a bucket aborts its unfinished uploads, unless it has objects', async () => {
    const own = { Bucket: 'unfinished', Key: 'k' }
    const before = await account()
    await s3.client.send(new CreateBucketCommand({ Bucket: own.Bucket }))
    const { UploadId } = await s3.client.send(new CreateMultipartUploadCommand(own))
    const part = { ...own, UploadId, PartNumber: 1, Body: randomBytes(10) }
    await s3.client.send(new UploadPartCommand(part))
    await s3.client.send(new PutObjectCommand({ ...own, Key: 'other', Body: 'x' }))
    const remove = () => refused(s3.client.send(new DeleteBucketCommand({ Bucket: own.Bucket })))
    expect(await remove()).toEqual(['BucketNotEmpty', 409])
    await s3.client.send(new UploadPartCommand({ ...part, PartNumber: 2 }))
    await s3.client.send(new DeleteObjectCommand({ ...own, Key: 'other' }))
    expect(await remove()).toBe('done')
    expect(await refused(s3.client.send(new UploadPartCommand(part)))).toEqual(['NoSuchBucket', 404])
    expect(await account()).toEqual(before)
    expect(await objectKeys('s3-parts/')).toEqual([])
  })

  test('the response to a completion has elements of S3 only, unless it asks for the CID', async () => {
    const complete = async (headers: Record<string, string>) => {
      const UploadId = await begin('completed')
      const { ETag } = await sendPart('completed', UploadId, 1, Buffer.from('part'))
      const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${ETag}</ETag></Part></CompleteMultipartUpload>`
      const path = `/${Bucket}/completed?uploadId=${UploadId}`
      const answer = await signedFetch(s3, path, { method: 'POST', body, headers })
      const elements = [...answer.body.matchAll(/<(\w+)>/g)].map(([, name]) => name)
      return { elements, cid: answer.headers['x-amz-meta-cid'] }
    }
    const plain = ['Location', 'Bucket', 'Key', 'ETag']
    const completed = await complete({})
    expect(completed).toEqual({ elements: plain, cid: (await read('completed')).Metadata?.['cid'] })
    const asked = await complete({ 'x-amz-optional-object-attributes': 'CID' })
    expect(asked).toEqual({ ...completed, elements: [...plain, 'CID'] })
  })

  test('a copy has the same content and CID, with its own metadata on request', async () => {
    await s3.client.send(
      new PutObjectCommand({ Bucket, Key: 'source ü+', Body: 'content', Metadata: { a: '1' }, ContentType: 'text/a' }),
    )
    const CopySource = `${Bucket}/${encodeURIComponent('source ü+')}`
    const copy = (Key: string, more = {}) => s3.client.send(new CopyObjectCommand({ Bucket, Key, CopySource, ...more }))
    await copy('copied')
    expect(await read('copied')).toMatchObject({
      ContentType: 'text/a',
      Metadata: { a: '1', cid: (await read('source ü+')).Metadata?.['cid'] },
    })
    await copy('replaced', { MetadataDirective: 'REPLACE', Metadata: { b: '2' }, ContentType: 'text/b' })
    const replaced = await read('replaced')
    expect([
      replaced.bytes.toString(),
      replaced.ContentType,
      replaced.Metadata?.['b'],
      replaced.Metadata?.['a'],
    ]).toEqual(['content', 'text/b', '2', undefined])
    expect(await refused(copy('source ü+'))).toEqual(['InvalidRequest', 400])
    expect(await refused(copy('source ü+', { MetadataDirective: 'REPLACE', Metadata: { c: '3' } }))).toBe('done')
    expect((await read('source ü+')).Metadata?.['c']).toBe('3')
    expect(await refused(copy('no', { CopySourceIfMatch: '"other"' }))).toEqual(['PreconditionFailed', 412])
    expect(await refused(copy('copied', { IfNoneMatch: '*' }))).toEqual(['PreconditionFailed', 412])
    expect(await refused(copy('no', { CopySource: `${Bucket}/missing` }))).toEqual(['NoSuchKey', 404])
    const stranger = s3.createClient(await s3.createKeys())
    await stranger.send(new CreateBucketCommand({ Bucket: 'of-a-stranger' }))
    expect(
      await refused(stranger.send(new CopyObjectCommand({ Bucket: 'of-a-stranger', Key: 'k', CopySource }))),
    ).toEqual(['AccessDenied', 403])
    // The copy is a separate file.
    await s3.client.send(new DeleteObjectCommand({ Bucket, Key: 'source ü+' }))
    expect((await read('copied')).bytes.toString()).toBe('content')
  })

  test('copies a part from a range of an object', async () => {
    await s3.client.send(new PutObjectCommand({ Bucket, Key: 'digits', Body: '0123456789' }))
    const UploadId = await begin('from-copy')
    const copy = (CopySourceRange: string) =>
      s3.client.send(
        new UploadPartCopyCommand({
          Bucket,
          Key: 'from-copy',
          UploadId,
          PartNumber: 1,
          CopySource: `${Bucket}/digits`,
          CopySourceRange,
        }),
      )
    for (const range of ['bytes=20-30', 'bytes=8-10']) expect(await refused(copy(range))).toEqual(['InvalidRange', 416])
    for (const range of ['2-5', 'bytes=2-', 'bytes=-2', 'bytes=5-2', 'bytes=1-2,4-5'])
      expect(await refused(copy(range))).toEqual(['InvalidArgument', 400])
    const { CopyPartResult } = await copy('bytes=2-5')
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: CopyPartResult?.ETag }] }
    await s3.client.send(new CompleteMultipartUploadCommand({ Bucket, Key: 'from-copy', UploadId, MultipartUpload }))
    expect((await read('from-copy')).bytes.toString()).toBe('2345')
  })

  test('deletes many objects at once, by key or version', async () => {
    const keys = ['m/1', 'm/2', 'm/<&>"\' ü']
    for (const Key of keys) await s3.client.send(new PutObjectCommand({ Bucket, Key, Body: Key }))
    const answer = await s3.client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects: [...keys, 'm/missing'].map((Key) => ({ Key })) } }),
    )
    expect([answer.Deleted?.map(({ Key }) => Key), answer.Errors]).toEqual([[...keys, 'm/missing'], undefined])
    expect((await s3.client.send(new ListObjectsV2Command({ Bucket, Prefix: 'm/' }))).Contents).toBeUndefined()
  })

  test('lists and reads versions; deleting the latest restores the previous one', async () => {
    for (const Body of ['one', 'two', 'three'])
      await s3.client.send(new PutObjectCommand({ Bucket, Key: 'v/key', Body }))
    const list = async () =>
      (await s3.client.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'v/' }))).Versions ?? []
    const versions = await list()
    expect(versions.map(({ Key, Size, IsLatest }) => [Key, Size, IsLatest])).toEqual([
      ['v/key', 5, true],
      ['v/key', 3, false],
      ['v/key', 3, false],
    ])
    expect((await read('v/key', { VersionId: versions[2]?.VersionId })).bytes.toString()).toBe('one')
    await s3.client.send(new DeleteObjectCommand({ Bucket, Key: 'v/key', VersionId: versions[0]?.VersionId }))
    expect((await read('v/key')).bytes.toString()).toBe('two')
    await s3.client.send(new DeleteObjectCommand({ Bucket, Key: 'v/key', VersionId: versions[2]?.VersionId }))
    expect((await list()).length).toBe(1)
    const paged = await s3.client.send(new ListObjectVersionsCommand({ Bucket, MaxKeys: 1 }))
    expect([paged.Versions?.length, paged.IsTruncated]).toEqual([1, true])
  })
})
