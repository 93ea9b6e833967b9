import {
  CreateBucketCommand,
  DeleteBucketCorsCommand,
  DeleteBucketEncryptionCommand,
  DeleteBucketOwnershipControlsCommand,
  DeleteBucketPolicyCommand,
  DeleteBucketReplicationCommand,
  DeleteBucketWebsiteCommand,
  DeleteObjectTaggingCommand,
  DeletePublicAccessBlockCommand,
  GetBucketAccelerateConfigurationCommand,
  GetBucketAclCommand,
  GetBucketCorsCommand,
  GetBucketEncryptionCommand,
  GetBucketLoggingCommand,
  GetBucketNotificationConfigurationCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand,
  GetBucketPolicyStatusCommand,
  GetBucketReplicationCommand,
  GetBucketRequestPaymentCommand,
  GetBucketTaggingCommand,
  GetBucketWebsiteCommand,
  GetObjectLockConfigurationCommand,
  GetObjectTaggingCommand,
  GetPublicAccessBlockCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  type ListBucketsCommandInput,
  PutBucketCorsCommand,
  PutBucketLoggingCommand,
  PutBucketNotificationConfigurationCommand,
  PutBucketOwnershipControlsCommand,
  PutBucketRequestPaymentCommand,
  PutBucketTaggingCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  PutPublicAccessBlockCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { S3Credentials } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jsonBody } from '../../start-test-storage.fixture.ts'
import { refused, startTestS3, type TestS3 } from '../s3.fixture.ts'
import { sha256Hex } from '../signature/canonical-request.ts'
import { signedFetch } from '../signed-fetch.fixture.ts'

const Bucket = 'settings'
let s3: TestS3
beforeAll(async () => {
  s3 = await startTestS3()
  await s3.client.send(new CreateBucketCommand({ Bucket }))
})
afterAll(() => s3?.[Symbol.asyncDispose]())

const nameOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { name: string }) => error.name,
  )

test('a bucket of the same account can be created again only in us-east-1', async () => {
  const create = (client: S3Client) => refused(client.send(new CreateBucketCommand({ Bucket })))
  expect(await create(s3.client)).toBe('done')
  await using other = await startTestS3({ CAIRN_S3_API_REGION: 'eu-west-1' })
  const client = other.createClient(other.keys, { region: 'eu-west-1' })
  expect(await create(client)).toBe('done')
  expect(await create(client)).toEqual(['BucketAlreadyOwnedByYou', 409])
})

test('reads and accepts the only value of a setting, and rejects any other', async () => {
  const { client } = s3
  const input = { Bucket }
  const absent: [Promise<unknown>, string][] = [
    [client.send(new GetBucketPolicyCommand(input)), 'NoSuchBucketPolicy'],
    [client.send(new GetBucketPolicyStatusCommand(input)), 'NoSuchBucketPolicy'],
    [client.send(new GetBucketEncryptionCommand(input)), 'ServerSideEncryptionConfigurationNotFoundError'],
    [client.send(new GetObjectLockConfigurationCommand(input)), 'ObjectLockConfigurationNotFoundError'],
    [client.send(new GetBucketReplicationCommand(input)), 'ReplicationConfigurationNotFoundError'],
    [client.send(new GetBucketWebsiteCommand(input)), 'NoSuchWebsiteConfiguration'],
  ]
  const answers = await Promise.all(absent.map(([sent]) => refused(sent)))
  expect(answers).toEqual(absent.map(([, name]) => [name, 404]))
  await client.send(new DeleteBucketPolicyCommand(input))
  await client.send(new DeleteBucketEncryptionCommand(input))
  await client.send(new DeleteBucketReplicationCommand(input))
  await client.send(new DeleteBucketWebsiteCommand(input))

  const { PublicAccessBlockConfiguration } = await client.send(new GetPublicAccessBlockCommand(input))
  expect(Object.values(PublicAccessBlockConfiguration ?? {})).toEqual([true, true, true, true])
  await client.send(new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration }))
  const open = { PublicAccessBlockConfiguration: { ...PublicAccessBlockConfiguration, BlockPublicPolicy: false } }
  expect(await refused(client.send(new PutPublicAccessBlockCommand({ Bucket, ...open })))).toEqual([
    'NotImplemented',
    501,
  ])
  const { OwnershipControls } = await client.send(new GetBucketOwnershipControlsCommand(input))
  expect(OwnershipControls?.Rules).toEqual([{ ObjectOwnership: 'BucketOwnerEnforced' }])
  await client.send(new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls }))
  const writer = { OwnershipControls: { Rules: [{ ObjectOwnership: 'ObjectWriter' as const }] } }
  expect(await refused(client.send(new PutBucketOwnershipControlsCommand({ Bucket, ...writer })))).toEqual([
    'NotImplemented',
    501,
  ])
  const { Payer } = await client.send(new GetBucketRequestPaymentCommand(input))
  expect(Payer).toBe('BucketOwner')
  await client.send(new PutBucketRequestPaymentCommand({ Bucket, RequestPaymentConfiguration: { Payer } }))
  expect((await client.send(new GetBucketAccelerateConfigurationCommand(input))).Status).toBe(undefined)
  expect((await client.send(new GetBucketLoggingCommand(input))).LoggingEnabled).toBe(undefined)
  await client.send(new PutBucketLoggingCommand({ Bucket, BucketLoggingStatus: {} }))
  const { TopicConfigurations } = await client.send(new GetBucketNotificationConfigurationCommand(input))
  expect(TopicConfigurations).toBe(undefined)
  await client.send(new PutBucketNotificationConfigurationCommand({ Bucket, NotificationConfiguration: {} }))
  const topic = { TopicConfigurations: [{ TopicArn: 'arn:aws:sns:a', Events: ['s3:ObjectCreated:*' as const] }] }
  expect(
    await refused(
      client.send(new PutBucketNotificationConfigurationCommand({ Bucket, NotificationConfiguration: topic })),
    ),
  ).toEqual(['NotImplemented', 501])
  expect(await refused(client.send(new GetBucketPolicyCommand({ Bucket: 'none-here' })))).toEqual(['NoSuchBucket', 404])
})

test('a removed setting is absent for reads until it is written again, in its own bucket only', async () => {
  const { client } = s3
  const input = { Bucket: 'removed-settings' }
  await client.send(new CreateBucketCommand(input))
  const read = () =>
    Promise.all([
      nameOf(client.send(new GetPublicAccessBlockCommand(input))),
      nameOf(client.send(new GetBucketOwnershipControlsCommand(input))),
    ])
  await Promise.all([
    client.send(new DeletePublicAccessBlockCommand(input)),
    client.send(new DeleteBucketOwnershipControlsCommand(input)),
  ])
  expect(await read()).toEqual(['NoSuchPublicAccessBlockConfiguration', 'OwnershipControlsNotFoundError'])
  await client.send(new DeletePublicAccessBlockCommand(input))
  const { PublicAccessBlockConfiguration } = await client.send(new GetPublicAccessBlockCommand({ Bucket }))
  await client.send(new PutPublicAccessBlockCommand({ ...input, PublicAccessBlockConfiguration }))
  expect(await read()).toEqual(['done', 'OwnershipControlsNotFoundError'])
  const { OwnershipControls } = await client.send(new GetBucketOwnershipControlsCommand({ Bucket }))
  await client.send(new PutBucketOwnershipControlsCommand({ ...input, OwnershipControls }))
  expect(await read()).toEqual(['done', 'done'])
})

test('lists buckets in pages, by prefix and by region', async () => {
  for (const name of ['page-a', 'page-b', 'page-c']) await s3.client.send(new CreateBucketCommand({ Bucket: name }))
  const list = (input: ListBucketsCommandInput) => s3.client.send(new ListBucketsCommand(input))
  const namesOf = async (input: ListBucketsCommandInput) => ((await list(input)).Buckets ?? []).map(({ Name }) => Name)
  const first = await list({ MaxBuckets: 2, Prefix: 'page-' })
  expect(first).toMatchObject({ Prefix: 'page-', Buckets: [{ Name: 'page-a' }, { Name: 'page-b' }] })
  const { ContinuationToken } = first
  const second = await list({ MaxBuckets: 2, Prefix: 'page-', ContinuationToken })
  expect(second.Buckets?.map(({ Name }) => Name)).toEqual(['page-c'])
  expect(second.ContinuationToken).toBe(undefined)
  expect(await namesOf({ BucketRegion: 'us-east-1' })).toEqual(await namesOf({}))
  expect(await namesOf({ BucketRegion: 'eu-west-1' })).toEqual([])
  for (const MaxBuckets of [0, 10_001]) expect(await nameOf(list({ MaxBuckets }))).toBe('InvalidArgument')
  expect(await nameOf(list({ ContinuationToken: '%' }))).toBe('InvalidArgument')
})

test('requires the length of an object, and accepts any text as its content type', async () => {
  const path = `/${Bucket}/without-length`
  const put = (headers: Record<string, string>, dropLength = false) =>
    signedFetch(s3, path, { method: 'PUT', headers, dropLength })
  expect(await put({}, true)).toMatchObject({ status: 411, code: 'MissingContentLength' })
  expect(await signedFetch(s3, '/without-length', { method: 'PUT', dropLength: true })).toMatchObject({ status: 200 })
  // A body that was removed in transit must not count as an empty one.
  const stripped = { method: 'PUT', dropLength: true, payloadHash: sha256Hex('<CORSConfiguration/>') }
  expect(await signedFetch(s3, '/stripped', stripped)).toMatchObject({ code: 'XAmzContentSHA256Mismatch' })
  const read = async () => (await s3.client.send(new HeadObjectCommand({ Bucket, Key: 'without-length' }))).ContentType
  for (const [sent, kept] of [
    ['', 'binary/octet-stream'],
    ['no type', 'no type'],
    ['text/plain; charset', 'text/plain; charset'],
  ] as const) {
    expect(await put({ 'content-type': sent })).toMatchObject({ status: 200 })
    expect(await read()).toBe(kept)
  }
})

test('keeps content encodings except that of the transfer', async () => {
  for (const [sent, kept] of [
    ['deflate, gzip', 'deflate, gzip'],
    ['aws-chunked, gzip', 'gzip'],
    ['aws-chunked,aws-chunked', undefined],
  ] as const) {
    await s3.client.send(new PutObjectCommand({ Bucket, Key: 'encoded', Body: 'x', ContentEncoding: sent }))
    const { ContentEncoding } = await s3.client.send(new HeadObjectCommand({ Bucket, Key: 'encoded' }))
    expect(ContentEncoding).toBe(kept)
  }
})

test('objects and buckets have tags', async () => {
  await s3.client.send(new PutObjectCommand({ Bucket, Key: 'tagged', Body: 'x', Tagging: 'a=1&b=two%20words' }))
  const read = async () => (await s3.client.send(new GetObjectTaggingCommand({ Bucket, Key: 'tagged' }))).TagSet
  expect(await read()).toEqual([
    { Key: 'a', Value: '1' },
    { Key: 'b', Value: 'two words' },
  ])
  expect((await s3.client.send(new HeadObjectCommand({ Bucket, Key: 'tagged' }))).TagCount).toBe(2)
  const put = (TagSet: { Key: string; Value: string }[]) =>
    s3.client.send(new PutObjectTaggingCommand({ Bucket, Key: 'tagged', Tagging: { TagSet } }))
  await put([{ Key: 'c', Value: '- _ +' }])
  expect(await read()).toEqual([{ Key: 'c', Value: '- _ +' }])
  expect(await nameOf(put(Array.from({ length: 11 }, (_, at) => ({ Key: `${at}`, Value: '' }))))).toBe('InvalidTag')
  expect(await nameOf(put([{ Key: 'a', Value: '<' }]))).toBe('InvalidTag')
  await s3.client.send(new DeleteObjectTaggingCommand({ Bucket, Key: 'tagged' }))
  expect(await read()).toEqual([])
  expect(await nameOf(s3.client.send(new GetBucketTaggingCommand({ Bucket })))).toBe('NoSuchTagSet')
  const set = new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet: [{ Key: 'of', Value: 'bucket' }] } })
  // minio-js takes any other status for a failure.
  expect((await s3.client.send(set)).$metadata.httpStatusCode).toBe(200)
  expect((await s3.client.send(new GetBucketTaggingCommand({ Bucket }))).TagSet).toEqual([
    { Key: 'of', Value: 'bucket' },
  ])
  const many = (length: number) => Array.from({ length }, (_, at) => ({ Key: `${at}`, Value: '' }))
  const putMany = (length: number) =>
    nameOf(s3.client.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet: many(length) } })))
  expect([await putMany(51), await putMany(50)]).toEqual(['InvalidTag', 'done'])
  expect((await s3.client.send(new GetBucketTaggingCommand({ Bucket }))).TagSet).toEqual(many(50))
  expect((await s3.client.send(new GetBucketAclCommand({ Bucket }))).Grants?.[0]?.Permission).toBe('FULL_CONTROL')
})

test.each(['read', 'write', 'read-acp', 'write-acp', 'full-control'])(
  'rejects a grant of %s instead of ignoring it',
  async (right) => {
    const headers = { [`x-amz-grant-${right}`]: 'uri="http://acs.amazonaws.com/groups/global/AllUsers"' }
    for (const path of ['/granted', `/${Bucket}/granted`, `/${Bucket}?acl=`]) {
      const answer = await signedFetch(s3, path, { method: 'PUT', headers })
      expect(answer.status).toBeGreaterThanOrEqual(400)
    }
    expect((await signedFetch(s3, '/granted', { method: 'HEAD' })).status).toBe(404)
  },
)

test('the ACL of a missing object is missing', async () => {
  for (const method of ['GET', 'PUT']) {
    const headers: Record<string, string> = method === 'PUT' ? { 'x-amz-acl': 'private' } : {}
    const answer = await signedFetch(s3, `/${Bucket}/missing?acl=`, { method, headers })
    expect([answer.status, answer.code]).toEqual([404, 'NoSuchKey'])
  }
})

test('the rules of the bucket decide which browsers are allowed', async () => {
  const preflight = (origin: string, method: string, headers = '') =>
    fetch(`${s3.endpoint}/${Bucket}/key`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': headers },
    })
  expect((await preflight('https://app.example', 'PUT')).status).toBe(403)
  expect(await nameOf(s3.client.send(new GetBucketCorsCommand({ Bucket })))).toBe('NoSuchCORSConfiguration')
  const rule = {
    AllowedOrigins: ['https://*.example'],
    AllowedMethods: ['GET', 'PUT'],
    AllowedHeaders: ['x-amz-*', 'content-type'],
    ExposeHeaders: ['etag'],
    MaxAgeSeconds: 60,
  }
  await s3.client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [rule] } }))
  expect((await s3.client.send(new GetBucketCorsCommand({ Bucket }))).CORSRules).toEqual([rule])
  const allowed = await preflight('https://app.example', 'PUT', 'X-Amz-Date, content-type')
  expect([
    allowed.status,
    allowed.headers.get('access-control-allow-origin'),
    allowed.headers.get('access-control-max-age'),
  ]).toEqual([200, 'https://app.example', '60'])
  for (const [origin, method, headers] of [
    ['https://other.test', 'PUT', ''],
    ['https://app.example', 'DELETE', ''],
    ['https://app.example', 'PUT', 'authorization'],
  ] as const) {
    expect((await preflight(origin, method, headers)).status).toBe(403)
  }
  const url = await getSignedUrl(s3.client, new PutObjectCommand({ Bucket, Key: 'from-a-browser' }), { expiresIn: 60 })
  const put = await fetch(url, { method: 'PUT', body: 'text', headers: { origin: 'https://app.example' } })
  expect([
    put.status,
    put.headers.get('access-control-allow-origin'),
    put.headers.get('access-control-expose-headers'),
  ]).toEqual([200, 'https://app.example', 'etag'])
  expect(
    (await fetch(url, { method: 'PUT', body: 'text', headers: { origin: 'https://other.test' } })).headers.get(
      'access-control-allow-origin',
    ),
  ).toBeNull()
  const wrong = { ...rule, AllowedMethods: ['PATCH'] }
  expect(
    await nameOf(s3.client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [wrong] } }))),
  ).toBe('InvalidRequest')
  await s3.client.send(new DeleteBucketCorsCommand({ Bucket }))
  expect((await preflight('https://app.example', 'PUT')).status).toBe(403)
})

test('a bucket has the CID of the folder with the same files', async () => {
  const name = 'as-a-folder'
  await s3.client.send(new CreateBucketCommand({ Bucket: name }))
  const files = { 'a.txt': 'a', 'sub/b.txt': 'bb', 'sub/deep/c': 'c'.repeat(2_000_000) }
  for (const [Key, Body] of Object.entries(files))
    await s3.client.send(new PutObjectCommand({ Bucket: name, Key, Body }))
  const ask = () => signedFetch(s3, `/${name}?cid`)
  const answer = await ask()
  const form = new FormData()
  for (const [path, content] of Object.entries(files)) form.append('file', new Blob([content]), path)
  const key = await s3.createKey()
  const uploaded = await s3.call('/api/v0/add?only-hash=true&wrap-with-directory=true', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  })
  const { Hash } = uploaded.json as { Hash: string }
  expect(answer.body).toContain(`<CID>${Hash}</CID>`)
  expect(answer.body).toContain('<ObjectCount>3</ObjectCount><SkippedCount>0</SkippedCount>')
  for (const Key of ['..', 'a//b', 'a.txt/under-a-file'])
    await s3.client.send(new PutObjectCommand({ Bucket: name, Key, Body: 'x' }))
  expect((await ask()).body).toContain(`<CID>${Hash}</CID><ObjectCount>3</ObjectCount><SkippedCount>3</SkippedCount>`)
})

test('the CID of a bucket is computed once for each state of its objects', async () => {
  const name = 'computed-once'
  await s3.client.send(new CreateBucketCommand({ Bucket: name }))
  const put = (Key: string) => s3.client.send(new PutObjectCommand({ Bucket: name, Key, Body: Key }))
  const ask = async () => /<CID>.*<\/ObjectCount>/.exec((await signedFetch(s3, `/${name}?cid`)).body)?.[0]
  await put('a')
  const first = await ask()
  expect(first).toContain('<ObjectCount>1<')
  // A change that the service does not know of shows whether it reads the objects.
  const hide = { is_latest: 0 as const }
  await s3.context.db.write((trx) => trx.updateTable('s3_object').set(hide).where('bucket', '=', name).execute())
  expect([await ask(), await ask()]).toEqual([first, first])
  await put('b')
  const second = await ask()
  expect(second).toContain('<ObjectCount>1<')
  expect(second).not.toBe(first)
})

test('an API key creates access keys within rules, if an S3 API is served', async () => {
  const key = await s3.createKey()
  const ask = (body: unknown) =>
    s3.call('/api/s3/credentials', {
      ...jsonBody(body),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    })
  const { status, json } = await ask({ rules: [{ bucket: 'mine', prefix: 'in/', access: 'read-write' }] })
  expect(status).toBe(200)
  const { endpoint, region, ...credentials } = json as S3Credentials
  const all = (await ask({ rules: [] })).json as S3Credentials
  const owner = new S3Client({ endpoint, region, credentials: all, forcePathStyle: true })
  const limited = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
  try {
    await owner.send(new CreateBucketCommand({ Bucket: 'mine' }))
    await limited.send(new PutObjectCommand({ Bucket: 'mine', Key: 'in/a', Body: 'x' }))
    expect(await nameOf(limited.send(new PutObjectCommand({ Bucket: 'mine', Key: 'out', Body: 'x' })))).toBe(
      'AccessDenied',
    )
  } finally {
    owner.destroy()
    limited.destroy()
  }
  expect((await ask({ rules: [{ bucket: 'No', access: 'read' }] })).headers.get('x-cairn-code')).toBe('INVALID_REQUEST')
  // The secret is nowhere: not in the log, not in the database.
  expect(s3.log.join('')).not.toContain(all.secretAccessKey)
})
