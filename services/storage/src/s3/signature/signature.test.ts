import { createHash } from 'node:crypto'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type S3Keys, startTestS3, type TestS3 } from '../s3.fixture.ts'
import { createS3Credential } from '../s3.ts'
import { rawRequest, type Sent, signedFetch, stamp } from '../signed-fetch.fixture.ts'
import { encodeUri, type RawRequest, readQuery, sha256Hex, writeCanonicalRequest } from './canonical-request.ts'
import { createSigner } from './signing-key.ts'
import { verifyRequest } from './verify-request.ts'

// The examples of S3's own documentation.
const exampleSecret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const find = async (accessKeyId: string) => ({ accessKeyId, secretAccessKeys: [exampleSecret] })
const exampleNow = Date.parse('2013-05-24T00:00:00Z')
const emptySha = sha256Hex('')

const credential = 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request'
const host = 'examplebucket.s3.amazonaws.com'
const authorization = (signedHeaders: string, signature: string) =>
  `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${signedHeaders},Signature=${signature}`

describe('the published examples of Signature V4 verify:', () => {
  const verify = (request: RawRequest, now = exampleNow) => verifyRequest(request, { region: 'us-east-1', now, find })
  const common = { host, 'x-amz-content-sha256': emptySha, 'x-amz-date': '20130524T000000Z' }

  test('GET of a range', async () => {
    const headers = {
      ...common,
      range: 'bytes=0-9',
      authorization: authorization(
        'host;range;x-amz-content-sha256;x-amz-date',
        'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
      ),
    }
    await verify(rawRequest('GET', '/test.txt', headers))
    await expect(verify(rawRequest('GET', '/test.txu', headers))).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' })
    await expect(verify(rawRequest('GET', '/test.txt', { ...headers, range: 'bytes=0-8' }))).rejects.toMatchObject({
      code: 'INVALID_SIGNATURE',
    })
    await expect(
      verify(rawRequest('GET', '/test.txt', { ...headers, 'x-amz-acl': 'public-read' })),
    ).rejects.toMatchObject({
      s3Code: 'AccessDenied',
      facts: { HeadersNotSigned: 'x-amz-acl' },
    })
    await expect(verify(rawRequest('GET', '/test.txt', headers), exampleNow + 15 * 60_000 + 1)).rejects.toMatchObject({
      s3Code: 'RequestTimeTooSkewed',
    })
  })

  test('PUT with a $ in its key', async () => {
    await verify(
      rawRequest('PUT', '/test$file.text', {
        ...common,
        'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
        authorization: authorization(
          'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
          '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
        ),
      }),
    )
  })

  test('GET of a sub-resource without a value', async () => {
    await verify(
      rawRequest('GET', '/?lifecycle', {
        ...common,
        authorization: authorization(
          'host;x-amz-content-sha256;x-amz-date',
          'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
        ),
      }),
    )
  })

  test('a presigned GET, until it expires', async () => {
    const url = `/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeUri(credential)}&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404`
    const request = rawRequest('GET', url, { host })
    await verify(request)
    await verify(request, exampleNow + 86_400_000)
    await expect(verify(request, exampleNow + 86_400_001)).rejects.toMatchObject({
      s3Code: 'AccessDenied',
    })
    // The clock of the service may be 15 minutes behind.
    await verify(request, exampleNow - 900_000)
    await expect(verify(request, exampleNow - 900_001)).rejects.toMatchObject({ s3Code: 'RequestTimeTooSkewed' })
    const longer = rawRequest('GET', url.replace('86400', '604801'), { host })
    await expect(verify(longer)).rejects.toMatchObject({ s3Code: 'AuthorizationQueryParametersError' })
  })

  const own = { date: '20130524', region: 'us-east-1' }
  test.each([
    ['as it should', [], {}, own, undefined],
    ['without the host', ['host'], {}, own, 'AccessDenied'],
    ['without a header of S3', ['x-amz-acl'], { 'x-amz-acl': 'private' }, own, 'AccessDenied'],
    ['for another day', [], {}, { ...own, date: '20130523' }, 'AuthorizationHeaderMalformed'],
    ['for another region', [], {}, { ...own, region: 'eu-west-1' }, 'AuthorizationHeaderMalformed'],
  ] as const)('a request signed %s', async (_how, left: readonly string[], more, scope, s3Code) => {
    const headers = { ...common, ...more }
    const names = Object.keys(headers).filter((name) => !left.includes(name))
    const signer = createSigner(exampleSecret, scope)
    const canonical = writeCanonicalRequest(rawRequest('GET', '/', headers), names, emptySha)
    const signature = signer.sign('AWS4-HMAC-SHA256', common['x-amz-date'], [sha256Hex(canonical)])
    const authorization = `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/${signer.scope},SignedHeaders=${names.join(';')},Signature=${signature}`
    const verified = verify(rawRequest('GET', '/', { ...headers, authorization }))
    if (s3Code === undefined) await verified
    else await expect(verified).rejects.toMatchObject({ s3Code })
  })

  test.each(['', 'eu-west-1', 'files.example'])('the region %j is answered with the right one', async (region) => {
    const credential = `AKIAIOSFODNN7EXAMPLE/20130524/${region}/s3/aws4_request`
    const authorization = `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=host,Signature=0`
    await expect(verify(rawRequest('GET', '/', { ...common, authorization }))).rejects.toMatchObject({
      s3Code: 'AuthorizationHeaderMalformed',
      message: `The region '${region}' is wrong; expecting 'us-east-1'.`,
    })
  })
})

test('a signed Expect that a proxy answered itself counts as sent', () => {
  const canonical = (headers: Record<string, string>, signed: string[]) =>
    writeCanonicalRequest(rawRequest('PUT', '/bucket/k', { host, ...headers }), signed, emptySha)
  const sent = canonical({ expect: '100-continue' }, ['expect', 'host'])
  expect(canonical({}, ['expect', 'host'])).toBe(sent)
  expect(canonical({}, ['date', 'host'])).not.toBe(canonical({ date: 'now' }, ['date', 'host']))
})

describe('a service:', () => {
  let s3: TestS3
  const bucket = 'signed'
  beforeAll(async () => {
    s3 = await startTestS3()
    await s3.client.send(new CreateBucketCommand({ Bucket: bucket }))
  })
  afterAll(() => s3?.[Symbol.asyncDispose]())

  const send = (sent: Sent) => signedFetch(s3, sent.path, sent)

  const isThere = async (Key: string) =>
    s3.client.send(new HeadObjectCommand({ Bucket: bucket, Key })).then(
      () => true,
      () => false,
    )

  test('rejects a wrong secret, an unknown key, no signature and an old request', async () => {
    const path = `/${bucket}/x`
    expect(await send({ path, keys: { ...s3.keys, secretAccessKey: 'wrong' } })).toMatchObject({
      status: 403,
      code: 'SignatureDoesNotMatch',
    })
    expect(await send({ path, keys: { ...s3.keys, accessKeyId: 'CAIRNNOBODY' } })).toMatchObject({
      status: 403,
      code: 'InvalidAccessKeyId',
    })
    expect(await send({ path, dropSignature: true })).toMatchObject({ status: 403, code: 'AccessDenied' })
    expect(await send({ path, at: Date.now() - 16 * 60_000 })).toMatchObject({
      status: 403,
      code: 'RequestTimeTooSkewed',
    })
    expect(await send({ path, at: Date.now() + 16 * 60_000 })).toMatchObject({
      status: 403,
      code: 'RequestTimeTooSkewed',
    })
    expect(await send({ path, headers: { authorization: 'Bearer x' }, dropSignature: true })).toMatchObject({
      status: 400,
      code: 'InvalidRequest',
    })
  })

  test('ends the access keys of a revoked API key at once', async () => {
    const { apiKey, ...keys } = await s3.createKeys()
    expect(await send({ path: '/', keys })).toMatchObject({ status: 200 })
    const id = apiKey.split('_')[1] ?? ''
    await s3.call(`/api/auth/api_keys/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${apiKey}` } })
    expect(await send({ path: '/', keys })).toMatchObject({ status: 403, code: 'InvalidAccessKeyId' })
  })

  test('rejects a body other than the signed one, and keeps nothing', async () => {
    const put = (more: Partial<Sent>) => send({ method: 'PUT', path: `/${bucket}/changed`, body: 'text', ...more })
    expect(await put({ payloadHash: sha256Hex('other') })).toMatchObject({
      status: 400,
      code: 'XAmzContentSHA256Mismatch',
    })
    expect(await put({ payloadHash: 'STREAMING-ECDSA' })).toMatchObject({ status: 501, code: 'NotImplemented' })
    expect(await isThere('changed')).toBe(false)
    expect(await put({ payloadHash: 'UNSIGNED-PAYLOAD' })).toMatchObject({ status: 200 })
  })

  const seed = (length: number, extra: Record<string, string> = {}): Sent => ({
    method: 'PUT',
    path: `/${bucket}/chunks`,
    payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    headers: { 'x-amz-decoded-content-length': String(length), 'content-encoding': 'aws-chunked', ...extra },
  })

  /** Signs chunks like clients: each continues from the previous one. The seed is signed at the same time. */
  function signChunks(
    request: Sent,
    chunks: readonly string[],
    trailer?: string,
    forge?: (line: string, at: number) => string,
  ) {
    const at = Date.now()
    const time = stamp(at)
    const signer = createSigner(s3.keys.secretAccessKey, { date: time.slice(0, 8), region: 'us-east-1' })
    const all = {
      ...request.headers,
      host: new URL(s3.endpoint).host,
      'x-amz-date': time,
      'x-amz-content-sha256': request.payloadHash ?? '',
    }
    const names = Object.keys(all).toSorted()
    const canonical = writeCanonicalRequest(
      rawRequest(request.method ?? 'PUT', request.path, all),
      names,
      request.payloadHash ?? '',
    )
    let previous = signer.sign('AWS4-HMAC-SHA256', time, [sha256Hex(canonical)])
    let body = ''
    for (const [index, chunk] of [...chunks, ''].entries()) {
      previous = signer.sign('AWS4-HMAC-SHA256-PAYLOAD', time, [previous, emptySha, sha256Hex(chunk)])
      const line = `${Buffer.byteLength(chunk).toString(16)};chunk-signature=${previous}`
      body += `${forge?.(line, index) ?? line}\r\n`
      if (chunk !== '') body += `${chunk}\r\n`
    }
    if (trailer !== undefined) {
      const signature = signer.sign('AWS4-HMAC-SHA256-TRAILER', time, [previous, sha256Hex(`${trailer}\n`)])
      body += `${trailer}\r\nx-amz-trailer-signature:${signature}\r\n`
    }
    return { ...request, at, body: `${body}\r\n` }
  }

  test('accepts signed chunks, and rejects all for one broken signature', async () => {
    const chunks = ['a'.repeat(9000), 'b'.repeat(100), 'ccc']
    const length = chunks.join('').length
    expect(
      await send(
        signChunks(seed(length), chunks, undefined, (line, at) =>
          at === 1 ? line.replace(/.$/, (one) => (one === '0' ? '1' : '0')) : line,
        ),
      ),
    ).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' })
    expect(
      await send(
        signChunks(seed(length), chunks, undefined, (line, at) =>
          at === 3 ? line.replace(/.$/, (one) => (one === '0' ? '1' : '0')) : line,
        ),
      ),
    ).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' })
    expect(await send(signChunks(seed(length), chunks, undefined, (line) => line.split(';')[0] ?? ''))).toMatchObject({
      status: 403,
      code: 'SignatureDoesNotMatch',
    })
    expect(await send(signChunks(seed(length + 1), chunks))).toMatchObject({ status: 400, code: 'IncompleteBody' })
    expect(await send(signChunks(seed(length - 1), chunks))).toMatchObject({ status: 400, code: 'IncompleteBody' })
    expect(await isThere('chunks')).toBe(false)
    expect(await send(signChunks(seed(length), chunks))).toMatchObject({ status: 200 })
    const found = await s3.client.send(new GetObjectCommand({ Bucket: bucket, Key: 'chunks' }))
    expect(await found.Body?.transformToString()).toBe(chunks.join(''))
    expect(found.ContentEncoding).toBeUndefined()
  })

  test('verifies the checksum in a signed trailer', async () => {
    const sum = createHash('sha256').update('text').digest('base64')
    const request = {
      ...seed(4, { 'x-amz-trailer': 'x-amz-checksum-sha256' }),
      payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
    }
    const wrong = createHash('sha256').update('other').digest('base64')
    expect(await send(signChunks(request, ['text'], `x-amz-checksum-sha256:${wrong}`))).toMatchObject({
      status: 400,
      code: 'BadDigest',
    })
    const good = signChunks(request, ['text'], `x-amz-checksum-sha256:${sum}`)
    expect(await send({ ...good, body: good.body.replace(sum, wrong) })).toMatchObject({
      status: 403,
      code: 'SignatureDoesNotMatch',
    })
    expect(await send(good)).toMatchObject({ status: 200 })
  })

  test.each([
    ['no head', 'text'],
    ['an endless line', 'f'.repeat(5000)],
    ['a size that is too long', 'fffffffffff\r\n'],
    ['no last chunk', '4\r\ntext\r\n'],
    ['more than its head says', '4\r\ntextmore\r\n0\r\n\r\n'],
    ['something behind it', '4\r\ntext\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\nmore'],
    ['a trailer of many lines', `4\r\ntext\r\n0\r\n${'a:b\r\n'.repeat(40)}\r\n`],
  ])('rejects unsigned chunks with %s', async (_what, body) => {
    const request = {
      ...seed(4),
      path: `/${bucket}/bad-chunks`,
      payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      body,
    }
    expect((await send(request)).status).toBe(400)
    expect(await isThere('bad-chunks')).toBe(false)
  })

  test('rejects an oversized body before reading it', async () => {
    const request = { ...seed(5 * 1024 ** 3 + 1), path: `/${bucket}/huge` }
    expect(await send(signChunks(request, ['x']))).toMatchObject({ status: 400, code: 'EntityTooLarge' })
  })

  test('rejects a body beyond the storage of the account with the quota', async () => {
    const small = await startTestS3({ CAIRN_FREE_BYTES: '1000' })
    try {
      await small.client.send(new CreateBucketCommand({ Bucket: 'full' }))
      const put = small.client.send(new PutObjectCommand({ Bucket: 'full', Key: 'k', Body: 'x'.repeat(1001) }))
      await expect(put).rejects.toMatchObject({ name: 'QuotaExceeded', $metadata: { httpStatusCode: 403 } })
    } finally {
      await small[Symbol.asyncDispose]()
    }
  })

  test('accepts a bucket as the first label of the host', async () => {
    const port = new URL(s3.endpoint).port
    expect(
      await send({ method: 'PUT', path: '/by/host', body: 'hosted', host: `${bucket}.localhost:${port}` }),
    ).toMatchObject({ status: 200 })
    expect(await send({ path: `/${bucket}/by/host` })).toMatchObject({ status: 200, body: 'hosted' })
  })

  test('rejects XML that is broken, deeply nested or declares entities', async () => {
    const post = (body: string) => send({ method: 'POST', path: `/${bucket}?delete`, body })
    expect(await post('<Delete><Object>')).toMatchObject({ status: 400, code: 'MalformedXML' })
    expect(await post('<!DOCTYPE x [<!ENTITY a "b">]><Delete><Object><Key>&a;</Key></Object></Delete>')).toMatchObject({
      status: 400,
      code: 'MalformedXML',
    })
    expect(await post('<a>'.repeat(60_000))).toMatchObject({ status: 400, code: 'MalformedXML' })
    expect(await post(`<Delete>${'<b>'.repeat(20_000)}${'</b>'.repeat(20_000)}</Delete>`)).toMatchObject({
      status: 400,
      code: 'MalformedXML',
    })
    expect(await post(' '.repeat(2 * 1024 ** 2 + 1))).toMatchObject({ status: 400, code: 'EntityTooLarge' })
    expect(await post(`<Delete>${'<Object><Key>k</Key></Object>'.repeat(1001)}</Delete>`)).toMatchObject({
      status: 400,
      code: 'MalformedXML',
    })
  })

  test.each([
    ['PUT', '?replication', 501, 'NotImplemented'],
    ['GET', '?policy', 404, 'NoSuchBucketPolicy'],
    ['PUT', '?policy', 501, 'NotImplemented'],
    ['POST', '', 501, 'NotImplemented'],
    ['GET', '/%ff', 400, 'InvalidArgument'],
    ['GET', '?list-type=2&max-keys=x', 400, 'InvalidArgument'],
    ['GET', '?list-type=2&continuation-token=***', 400, 'InvalidArgument'],
    ['GET', '?list-type=2&continuation-token=AA', 400, 'InvalidArgument'],
    ['GET', '?prefix=%00', 400, 'InvalidArgument'],
    ['GET', '/k?versionId=%00', 400, 'InvalidArgument'],
    ['GET', '/k?uploads&uploadId=1', 400, 'InvalidRequest'],
  ])('answers %s %s with %d %s', async (method, rest, status, code) => {
    // A URL that cannot be decoded cannot be signed either, so it is rejected as read.
    const path = `/${bucket}${rest}`
    if (!/%ff|%00/.test(rest)) expect(await send({ method, path })).toMatchObject({ status, code })
    else expect((await fetch(`${s3.endpoint}${path}`)).status).toBe(status)
  })

  test('rejects sub-resources that it does not know, and accepts parameters without a value', async () => {
    const body = 'the object'
    expect(await send({ method: 'PUT', path: '/later', body: '' })).toMatchObject({ status: 200 })
    for (const path of ['/later?metadataConfiguration', '/later?abac=']) {
      for (const method of ['GET', 'PUT', 'POST', 'DELETE']) {
        expect(await send({ method, path })).toMatchObject({ status: 501, code: 'NotImplemented' })
      }
    }
    expect(await send({ method: 'PUT', path: '/later/k', body })).toMatchObject({ status: 200 })
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const path = '/later/k?annotation&annotationName=a'
      expect(await send({ method, path, body: method === 'PUT' ? 'a note' : '' })).toMatchObject({
        status: 501,
        code: 'NotImplemented',
      })
    }
    expect(await send({ path: '/later/k?versionId=null&response-expires=&x-id=GetObject&x-custom' })).toMatchObject({
      status: 200,
      body,
    })
    // The largest number that S3 accepts.
    for (const maxKeys of ['1', '2147483647']) {
      const listing = `/later?prefix=&delimiter=&marker=&max-keys=${maxKeys}&encoding-type=url`
      expect((await send({ path: listing })).body).toContain('<Key>k</Key>')
    }
  })

  test('accepts metadata whose name has any characters of a header', async () => {
    const names = ['user_id', 'file.name', "a!#$%&'*+^`|~b"]
    const headers = Object.fromEntries(names.map((name) => [`x-amz-meta-${name}`, name]))
    expect(await send({ method: 'PUT', path: `/${bucket}/names`, headers })).toMatchObject({ status: 200 })
    const { Metadata } = await s3.client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'names' }))
    expect(Metadata).toMatchObject(Object.fromEntries(names.map((name) => [name, name])))
    await s3.client.send(new PutObjectCommand({ Bucket: bucket, Key: 'names', Metadata: { user_id: '7' } }))
    expect((await s3.client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'names' }))).Metadata?.['user_id']).toBe(
      '7',
    )
  })

  test('accepts headers in UTF-8, whether their bytes or their text was signed', async () => {
    const latin = (text: string) => Buffer.from(text).toString('latin1')
    const title = latin('日本 – ä')
    const headers = { 'x-amz-meta-title': title, 'content-disposition': `attachment; filename="${title}"` }
    for (const signsBytes of [true, false]) {
      const path = `/${bucket}/utf-8-${signsBytes}`
      expect(await send({ method: 'PUT', path, headers, signsBytes })).toMatchObject({ status: 200 })
      const { Metadata, ContentDisposition } = await s3.client.send(
        new HeadObjectCommand({ Bucket: bucket, Key: `utf-8-${signsBytes}` }),
      )
      expect([Metadata?.['title'], ContentDisposition]).toEqual([title, headers['content-disposition']])
      const other = { ...s3.keys, secretAccessKey: 'other' }
      expect(await send({ method: 'PUT', path, headers, signsBytes, keys: other })).toMatchObject({ status: 403 })
    }
  })

  describe('honours what a presigned URL has in its query:', () => {
    const use = async (url: Promise<string>, method = 'PUT') => {
      const body = method === 'PUT' ? 'text' : null
      const answer = await fetch(await url, { method, body })
      return { status: answer.status, body: await answer.text() }
    }
    const put = (more: Partial<PutObjectCommandInput>) =>
      use(getSignedUrl(s3.client, new PutObjectCommand({ Bucket: bucket, Key: 'in-query', ...more })))
    const head = (Key: string) => s3.client.send(new HeadObjectCommand({ Bucket: bucket, Key }))

    test('metadata and tags', async () => {
      expect(await put({ Metadata: { Author: 'A B+', title: 'ä' }, Tagging: 'a=b&c=d' })).toMatchObject({ status: 200 })
      const { Metadata, TagCount, ContentLength } = await head('in-query')
      expect(Metadata).toMatchObject({ author: 'A B+', title: Buffer.from('ä').toString('latin1') })
      expect([TagCount, ContentLength]).toEqual([2, 4])
    })

    test('the source of a copy', async () => {
      await s3.client.send(new PutObjectCommand({ Bucket: bucket, Key: 'ä +', Body: 'source' }))
      await s3.client.send(new PutObjectCommand({ Bucket: bucket, Key: 'copied', Body: 'target' }))
      const CopySource = `${bucket}/${encodeURIComponent('ä +')}`
      const url = getSignedUrl(s3.client, new CopyObjectCommand({ Bucket: bucket, Key: 'copied', CopySource }))
      expect(await use(url)).toMatchObject({ status: 200 })
      const found = await s3.client.send(new GetObjectCommand({ Bucket: bucket, Key: 'copied' }))
      expect(await found.Body?.transformToString()).toBe('source')
    })

    test('conditions of an object and its bucket', async () => {
      expect(await put({ ExpectedBucketOwner: 'another' })).toMatchObject({ status: 403 })
      expect(await put({ ExpectedBucketOwner: s3.address })).toMatchObject({ status: 200 })
      const remove = (IfMatchSize: number) =>
        use(
          getSignedUrl(s3.client, new DeleteObjectCommand({ Bucket: bucket, Key: 'in-query', IfMatchSize })),
          'DELETE',
        )
      expect(await remove(5)).toMatchObject({ status: 412 })
      expect(await remove(4)).toMatchObject({ status: 204 })
    })

    test('unsupported headers, which are rejected', async () => {
      expect(await put({ ACL: 'public-read' })).toMatchObject({ status: 400 })
      expect(await put({ ACL: 'private' })).toMatchObject({ status: 200 })
      expect(await put({ StorageClass: 'GLACIER' })).toMatchObject({ status: 400 })
      expect(await put({ WebsiteRedirectLocation: '/x' })).toMatchObject({ status: 501 })
    })

    test('the algorithm of an upload in parts', async () => {
      const command = new CreateMultipartUploadCommand({ Bucket: bucket, Key: 'parts', ChecksumAlgorithm: 'SHA256' })
      const { body } = await use(getSignedUrl(s3.client, command), 'POST')
      const part = await s3.client.send(
        new UploadPartCommand({
          Bucket: bucket,
          Key: 'parts',
          UploadId: /<UploadId>([^<]+)/.exec(body)?.[1],
          PartNumber: 1,
          Body: 'x',
          ChecksumAlgorithm: 'SHA256',
        }),
      )
      expect(part.ChecksumSHA256).toBe(createHash('sha256').update('x').digest('base64'))
      const listed = await s3.client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
      expect(listed.Uploads?.map((one) => one.ChecksumAlgorithm)).toEqual(['SHA256'])
    })
  })

  test('reads the source of a copy and tags that are not percent-encoded, in UTF-8 or Latin-1', async () => {
    await s3.client.send(new PutObjectCommand({ Bucket: bucket, Key: 'ä', Body: 'x' }))
    for (const text of [Buffer.from('ä').toString('latin1'), 'ä']) {
      const headers = { 'x-amz-tagging': `${text}=${text}` }
      expect(await send({ method: 'PUT', path: `/${bucket}/tagged`, headers })).toMatchObject({ status: 200 })
      expect((await send({ path: `/${bucket}/tagged?tagging=` })).body).toContain('<Key>ä</Key><Value>ä</Value>')
      const source = { 'x-amz-copy-source': `${bucket}/${text}` }
      expect(await send({ method: 'PUT', path: `/${bucket}/copy`, headers: source })).toMatchObject({ status: 200 })
    }
  })

  test('reads a plus sign in the source of a copy as a space, as S3 does', async () => {
    await s3.client.send(new PutObjectCommand({ Bucket: bucket, Key: 'two words+', Body: 'x' }))
    const copy = (source: string) =>
      send({ method: 'PUT', path: `/${bucket}/copy`, headers: { 'x-amz-copy-source': source } })
    expect(await copy(`${bucket}%2Ftwo+words%2B`)).toMatchObject({ status: 200 })
    expect(await copy(`%2F${bucket}%2Ftwo+words%2B`)).toMatchObject({ status: 200 })
    expect(await copy(`${bucket}/two%20words%2B`)).toMatchObject({ status: 200 })
    expect(await copy(`${bucket}/two+words+`)).toMatchObject({ status: 404 })
  })

  test('rejects a copy source with a NUL', async () => {
    const headers = { 'x-amz-copy-source': `/${bucket}/%00` }
    expect(await send({ method: 'PUT', path: `/${bucket}/copy`, headers })).toMatchObject({
      status: 400,
      code: 'InvalidArgument',
    })
  })

  test('limits an access key by rules to buckets, prefixes and reads', async () => {
    const { apiKey } = await s3.createKeys()
    const own = await s3.createKeys({ apiKey })
    const name = 'limited'
    expect(await send({ method: 'PUT', path: `/${name}`, keys: own })).toMatchObject({ status: 200 })
    for (const key of ['in/a', 'out/b']) await send({ method: 'PUT', path: `/${name}/${key}`, body: key, keys: own })
    const writer = await s3.createKeys({ apiKey, rules: [{ bucket: name, prefix: 'in/', access: 'read-write' }] })
    const reader = await s3.createKeys({ apiKey, rules: [{ bucket: '*', prefix: '', access: 'read' }] })
    const status = async (keys: S3Keys, method: string, path: string) =>
      (await send({ method, path: `/${name}${path}`, keys })).status
    expect([
      await status(writer, 'GET', '/in/a'),
      await status(writer, 'PUT', '/in/c'),
      await status(writer, 'DELETE', '/in/c'),
    ]).toEqual([200, 200, 204])
    expect([
      await status(writer, 'GET', '/out/b'),
      await status(writer, 'PUT', '/out/c'),
      await status(writer, 'DELETE', '/out/b'),
    ]).toEqual([403, 403, 403])
    expect([
      await status(writer, 'GET', '?prefix=in/'),
      await status(writer, 'GET', ''),
      await status(writer, 'DELETE', ''),
    ]).toEqual([200, 403, 403])
    expect([
      await status(reader, 'GET', '/out/b'),
      await status(reader, 'GET', ''),
      await status(reader, 'PUT', '/x'),
    ]).toEqual([200, 200, 403])
    const scoped = await s3.createKeys({ scopes: ['files:read'] })
    expect((await send({ method: 'PUT', path: '/of-a-reader', keys: scoped })).status).toBe(403)
  })
})

test('accepts access keys of both secrets while one replaces the other', async () => {
  const [fresh, old, third] = ['22', '11', '33'].map((byte) => byte.repeat(32)) as [string, string, string]
  await using service = await startTestS3({ CAIRN_STORAGE_SECRET: fresh, CAIRN_STORAGE_SECRET_SECONDARY: old })
  const { api_key_id: keyId } = await service.context.db.read
    .selectFrom('s3_credential')
    .select('api_key_id')
    .executeTakeFirstOrThrow()
  const keysOf = (secret: string) =>
    createS3Credential(
      { ...service.context, secret: Buffer.from(secret, 'hex') },
      { address: service.address, keyId },
      [],
    )
  const statuses = []
  for (const secret of [fresh, old, third]) {
    const client = service.createClient(await keysOf(secret))
    const sent = client.send(new CreateBucketCommand({ Bucket: `of-${secret.slice(0, 2)}` }))
    statuses.push(await sent.then(({ $metadata }) => $metadata.httpStatusCode).catch(({ name }: Error) => name))
  }
  expect(statuses).toEqual([200, 200, 'SignatureDoesNotMatch'])
})

test('reads a query as clients send it', () => {
  expect(readQuery('a=b+c&d&e=%2B')).toEqual([
    ['a', 'b c'],
    ['d', ''],
    ['e', '+'],
  ])
})
