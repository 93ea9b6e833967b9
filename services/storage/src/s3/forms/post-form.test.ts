// Uploads by browser forms: signed policies, their conditions, and what a rejected form leaves behind.
import { createHmac } from 'node:crypto'
import {
  CreateBucketCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type S3Keys, startTestS3, type TestS3 } from '../s3.fixture.ts'
import { createSigner } from '../signature/signing-key.ts'
import { verifyPolicy } from '../signature/verify-policy.ts'

const Bucket = 'forms'
let s3: TestS3
beforeAll(async () => {
  s3 = await startTestS3()
  await s3.client.send(new CreateBucketCommand({ Bucket }))
})
afterAll(() => s3?.[Symbol.asyncDispose]())

type Form = {
  fields?: Record<string, string>
  conditions?: unknown[]
  expiresInMs?: number
  keys?: S3Keys
  version?: 2 | 4
  /** Conditions of the bucket. Defaults to exactly the bucket of the form. */
  bucketConditions?: unknown[]
  content?: string | Blob
  fileName?: string
  bucket?: string
  /** Changes the fields after signing. */
  tamper?(fields: Record<string, string>): unknown
}

/** Signs a form as the clients of a server do, and sends it as a browser does. */
async function send({
  fields = { key: 'a.txt' },
  conditions = [['starts-with', '$key', '']],
  expiresInMs = 60_000,
  keys = s3.keys,
  version = 4,
  content = 'a file',
  fileName = 'a.txt',
  bucket = Bucket,
  bucketConditions = [{ bucket }],
  tamper,
}: Form = {}) {
  const time = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '')
  const signer = createSigner(keys.secretAccessKey, { date: time.slice(0, 8), region: 'us-east-1' })
  const credential = `${keys.accessKeyId}/${signer.scope}`
  const signing = { 'x-amz-algorithm': 'AWS4-HMAC-SHA256', 'x-amz-credential': credential, 'x-amz-date': time }
  const own = version === 4 ? Object.entries(signing).map(([name, value]) => ({ [name]: value })) : []
  const expiration = new Date(Date.now() + expiresInMs).toISOString()
  const policy = Buffer.from(
    JSON.stringify({ expiration, conditions: [...bucketConditions, ...own, ...conditions] }),
  ).toString('base64')
  const signed: Record<string, string> =
    version === 4
      ? { ...fields, ...signing, policy, 'x-amz-signature': signer.signText(policy) }
      : {
          ...fields,
          AWSAccessKeyId: keys.accessKeyId,
          policy,
          signature: createHmac('sha1', keys.secretAccessKey).update(policy).digest('base64'),
        }
  tamper?.(signed)
  const form = new FormData()
  for (const [name, value] of Object.entries(signed)) form.append(name, value)
  form.append('file', typeof content === 'string' ? new Blob([content]) : content, fileName)
  form.append('submit', 'Upload')
  const answer = await fetch(`${s3.endpoint}/${bucket}`, { method: 'POST', body: form, redirect: 'manual' })
  const body = await answer.text()
  return { status: answer.status, headers: answer.headers, body, code: /<Code>(\w+)<\/Code>/.exec(body)?.[1] }
}

const read = async (Key: string) => {
  const { Body, ...rest } = await s3.client.send(new GetObjectCommand({ Bucket, Key }))
  return { text: await Body?.transformToString(), ...rest }
}

test.each([2, 4] as const)('a form with a policy of signature version %i stores its file', async (version) => {
  const answer = await send({ version, fields: { key: `v${version}.txt` } })
  expect([answer.status, answer.body]).toEqual([204, ''])
  const stored = await read(`v${version}.txt`)
  expect(stored.text).toBe('a file')
  expect(answer.headers.get('etag')).toBe(stored.ETag)
  expect(answer.headers.get('x-amz-meta-cid')).toBe(stored.Metadata?.['cid'])
  expect(answer.headers.get('location')).toBe(`${s3.endpoint}/${Bucket}/v${version}.txt`)
})

test('fields with any characters are returned as headers in UTF-8', async () => {
  const fields = {
    key: 'named.pdf',
    'Content-Disposition': 'attachment; filename="日本 ü.pdf"',
    'x-amz-meta-title': '日本 ü',
  }
  const conditions = Object.entries(fields).map(([name, value]) => ({ [name]: value }))
  expect((await send({ fields, conditions })).status).toBe(204)
  const { text, Metadata, ContentDisposition = '' } = await read(fields.key)
  const decode = (header: string) => Buffer.from(header, 'latin1').toString()
  expect(text).toBe('a file')
  expect(decode(ContentDisposition)).toBe(fields['Content-Disposition'])
  expect(decode(Metadata?.['title'] ?? '')).toBe(fields['x-amz-meta-title'])
})

test.each([
  ['x-amz-meta-note', 'two\r\nlines'],
  ['Content-Disposition', 'inline\u0007'],
  ['x-amz-meta-no name', 'x'],
  ['x-amz-meta-größe', 'x'],
])('a field that cannot be sent as a header is rejected: %s', async (name, value) => {
  const answer = await send({
    fields: { key: 'unsendable', [name]: value },
    conditions: [{ key: 'unsendable' }, { [name]: value }],
  })
  expect([answer.status, answer.code]).toEqual([400, 'InvalidArgument'])
})

test('fields describe the object, and the name of the file is inserted into the key', async () => {
  const tagging = '<Tagging><TagSet><Tag><Key>kind</Key><Value>pet</Value></Tag></TagSet></Tagging>'
  const fields = {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: S3 names the placeholder like this
    key: 'in/${filename}',
    acl: 'private',
    'Content-Type': 'text/plain',
    'x-amz-meta-owner': 'cat',
    tagging,
    success_action_status: '201',
    'x-ignore-this': 'anything',
  }
  const conditions = [
    ['starts-with', '$key', 'in/'],
    { acl: 'private' },
    ['EQ', '$content-TYPE', 'text/plain'],
    ['starts-with', '$x-amz-meta-owner', ''],
    { tagging },
    { success_action_status: '201' },
  ]
  const answer = await send({ fields, conditions, fileName: 'C:\\pictures\\ü $& 1.txt' })
  expect(answer.status).toBe(201)
  expect(answer.body).toContain('<Key>in/ü $&amp; 1.txt</Key>')
  const stored = await read('in/ü $& 1.txt')
  expect(stored).toMatchObject({ text: 'a file', ContentType: 'text/plain', Metadata: { owner: 'cat' } })
  const { TagSet } = await s3.client.send(new GetObjectTaggingCommand({ Bucket, Key: 'in/ü $& 1.txt' }))
  expect(TagSet).toEqual([{ Key: 'kind', Value: 'pet' }])
})

test('a form can redirect, and states the version that it wrote', async () => {
  const target = 'https://app.example/done?of=upload'
  await s3.client.send(new CreateBucketCommand({ Bucket: 'forms-versioned' }))
  await s3.client.send(
    new PutBucketVersioningCommand({ Bucket: 'forms-versioned', VersioningConfiguration: { Status: 'Enabled' } }),
  )
  const answer = await send({
    bucket: 'forms-versioned',
    fields: { key: 'k', success_action_redirect: target },
    conditions: [{ key: 'k' }, ['starts-with', '$success_action_redirect', 'https://app.example/']],
  })
  expect(answer.status).toBe(303)
  expect(answer.headers.get('x-amz-version-id')).toMatch(/^[0-9a-f-]{36}$/)
  const location = new URL(answer.headers.get('location') ?? '')
  expect(Object.fromEntries(location.searchParams)).toEqual({
    of: 'upload',
    bucket: 'forms-versioned',
    key: 'k',
    etag: answer.headers.get('etag'),
  })
})

test('the policy limits the size while the file is read', async () => {
  const range = (min: number, max: number) => [
    ['starts-with', '$key', ''],
    ['content-length-range', min, max],
    ['content-length-range', 0, 10_000_000],
  ]
  expect((await send({ fields: { key: 'sized' }, conditions: range(1, 10) })).status).toBe(204)
  expect((await send({ fields: { key: 'small' }, conditions: range(7, 10) })).code).toBe('EntityTooSmall')
  const large = new Blob([new Uint8Array(3_000_000)])
  const { status, code } = await send({ fields: { key: 'large' }, conditions: range(1, 10), content: large })
  expect([status, code]).toEqual([400, 'EntityTooLarge'])
  const { Contents = [] } = await s3.client.send(new ListObjectsV2Command({ Bucket }))
  expect(Contents.map(({ Key }) => Key)).not.toEqual(expect.arrayContaining(['small']))
  expect(Contents.map(({ Key }) => Key)).not.toEqual(expect.arrayContaining(['large']))
  // Everything that the rejected forms reserved is free again.
  const rows = await s3.context.db.read.selectFrom('reservation').select('id').execute()
  expect(rows).toEqual([])
})

test('a policy may allow every bucket with a prefix', async () => {
  expect(await send({ bucketConditions: [['starts-with', '$bucket', 'for']] })).toMatchObject({ status: 204 })
})

test('rejects what the policy does not allow, and stores nothing', async () => {
  const limited = await s3.createKeys({
    apiKey: (await s3.createKeys()).apiKey,
    rules: [{ bucket: 'other', prefix: '', access: 'read-write' }],
  })
  const cases: [form: Form, code: string][] = [
    [{ expiresInMs: -1000 }, 'AccessDenied'],
    [{ conditions: [] }, 'AccessDenied'],
    [{ conditions: [{ key: 'other' }] }, 'AccessDenied'],
    [{ conditions: [{ key: 'a.txt' }, ['starts-with', '$Content-Type', 'image/']] }, 'AccessDenied'],
    [{ bucketConditions: [{ bucket: 'other' }] }, 'AccessDenied'],
    [{ bucketConditions: [] }, 'AccessDenied'],
    [{ bucketConditions: [], version: 2 }, 'AccessDenied'],
    [{ conditions: ['odd'] }, 'InvalidPolicyDocument'],
    [{ conditions: [{}] }, 'InvalidPolicyDocument'],
    [{ conditions: [{ key: 'a.txt' }, ['content-length-range', -1, 'x']] }, 'InvalidPolicyDocument'],
    [
      { fields: { key: 'a.txt', acl: 'public-read' }, conditions: [{ key: 'a.txt' }, { acl: 'public-read' }] },
      'AccessControlListNotSupported',
    ],
    [{ fields: { key: '' } }, 'InvalidArgument'],
    [{ fields: {} }, 'InvalidArgument'],
    [{ bucket: 'no-such-bucket' }, 'NoSuchBucket'],
    [{ keys: limited }, 'AccessDenied'],
    [{ keys: { ...s3.keys, secretAccessKey: 'wrong' } }, 'SignatureDoesNotMatch'],
    [{ version: 2, keys: { ...s3.keys, secretAccessKey: 'wrong' } }, 'SignatureDoesNotMatch'],
    [{ keys: { ...s3.keys, accessKeyId: 'CAIRNUNKNOWN' } }, 'InvalidAccessKeyId'],
    [{ tamper: (fields) => delete fields['policy'] }, 'AccessDenied'],
    [{ tamper: (fields) => delete fields['x-amz-signature'] }, 'InvalidArgument'],
    [{ tamper: (fields) => Object.assign(fields, { 'x-amz-meta-more': 'x' }) }, 'AccessDenied'],
    [{ tamper: (fields) => Object.assign(fields, { bucket: 'other' }) }, 'AccessDenied'],
    [{ tamper: (fields) => Object.assign(fields, { 'x-amz-credential': 'nonsense' }) }, 'AuthorizationHeaderMalformed'],
    [{ fields: { key: 'a.txt', 'x-amz-meta-large': 'x'.repeat(30_000) } }, 'MaxPostPreDataLengthExceeded'],
  ]
  const before = await s3.client.send(new ListObjectsV2Command({ Bucket }))
  for (const [form, code] of cases) expect([form, (await send(form)).code]).toEqual([form, code])
  const after = await s3.client.send(new ListObjectsV2Command({ Bucket }))
  expect(after.Contents).toEqual(before.Contents)
})

const own = { date: '20130524', region: 'us-east-1' }
test.each([
  ['15 minutes ago', own, -900_000, undefined],
  ['more than 15 minutes ahead', own, 900_001, 'RequestTimeTooSkewed'],
  ['for another day', { ...own, date: '20130523' }, 0, 'AuthorizationHeaderMalformed'],
  ['for another region', { ...own, region: 'eu-west-1' }, 0, 'AuthorizationHeaderMalformed'],
])('a policy signed %s', async (_how, scope, aheadMs, s3Code) => {
  const signer = createSigner('secret', scope)
  const policy = Buffer.from('{}').toString('base64')
  const fields = new Map([
    ['policy', policy],
    ['x-amz-algorithm', 'AWS4-HMAC-SHA256'],
    ['x-amz-credential', `CAIRN/${signer.scope}`],
    ['x-amz-date', '20130524T120000Z'],
    ['x-amz-signature', signer.signText(policy)],
  ])
  const now = Date.parse('2013-05-24T12:00:00Z') - aheadMs
  const find = async () => ({ secretAccessKeys: ['secret'] })
  const verified = verifyPolicy(fields, { region: 'us-east-1', now, find })
  if (s3Code === undefined) await verified
  else await expect(verified).rejects.toMatchObject({ s3Code })
})

test('stores nothing of a form without a file, or that ends too early', async () => {
  const post = async (body: string) => {
    const answer = await fetch(`${s3.endpoint}/${Bucket}`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body,
    })
    return /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1]
  }
  expect(await post('--b\r\nContent-Disposition: form-data; name="key"\r\n\r\nk\r\n--b--\r\n')).toBe('InvalidArgument')
  expect(await post('--b\r\nContent-Disposition: form-data; name="key"\r\n\r\nk')).toBe('IncompleteBody')
  expect(await post('--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nk\r\n--b--\r\n')).toBe('InvalidArgument')
})
