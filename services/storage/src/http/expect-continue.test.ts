// Clients that send `Expect: 100-continue` learn from the head alone that a body will be rejected.
import { connect } from 'node:net'
import { CreateBucketCommand, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { GIB } from '@cairn/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestS3, type TestS3 } from '../s3/s3.fixture.ts'

let s3: TestS3
beforeAll(async () => {
  s3 = await startTestS3({ CAIRN_FREE_BYTES: String(GIB) })
  await s3.client.send(new CreateBucketCommand({ Bucket: 'photos' }))
  await s3.client.send(new PutObjectCommand({ Bucket: 'photos', Key: 'taken', Body: 'first' }))
})
afterAll(() => s3?.[Symbol.asyncDispose]())

type Head = { method?: string; url: string; bytes: number | 'chunked'; headers?: Record<string, string> }

/** Sends a head that expects a 100. Returns the connection; `until` returns all that came once it contains a text. */
function announce({ method = 'PUT', url, bytes, headers = {} }: Head) {
  const { port, host, pathname, search } = new URL(url)
  const length: Record<string, string> =
    bytes === 'chunked' ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(bytes) }
  const all = { host, ...headers, ...length, expect: '100-continue' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const socket = connect(Number(port), '127.0.0.1')
  let answer = ''
  socket.setEncoding('latin1').on('data', (piece) => {
    answer += piece
  })
  socket.write([`${method} ${pathname}${search} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
  const until = async (text: string): Promise<string> => {
    while (!answer.includes(text)) {
      if (socket.closed) throw new Error(`closed before ${JSON.stringify(text)}: ${answer}`)
      await new Promise<void>((resolve) => {
        socket.once('data', () => resolve()).once('close', () => resolve())
      })
    }
    return answer
  }
  return { socket, until, [Symbol.dispose]: () => void socket.destroy() }
}

/** Returns the status of the response to a head whose body is not sent. */
async function statusOf(head: Head): Promise<number> {
  using connection = announce(head)
  const answer = await connection.until('\r\n\r\n')
  // Bytes that follow could be a body that was sent anyway.
  expect(answer.toLowerCase()).toContain(answer.startsWith('HTTP/1.1 100') ? 'continue' : '\r\nconnection: close')
  return Number(answer.slice(9, 12))
}

const presign = (key: string, { client = s3.client, bucket = 'photos' } = {}) =>
  getSignedUrl(client, new PutObjectCommand({ Bucket: bucket, Key: key }), { expiresIn: 60 })

describe('the S3 API', () => {
  test('sends 100 for a body that it reads, and the connection continues', async () => {
    using connection = announce({ url: await presign('small'), bytes: 5 })
    expect(await connection.until('\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    connection.socket.write('bytes')
    expect(await connection.until('x-amz-meta-cid')).toContain('HTTP/1.1 200 OK')
    const { pathname, search, host } = new URL(await presign('small'))
    connection.socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 4\r\n\r\nmore`)
    await expect.poll(async () => (await connection.until('200')).match(/HTTP\/1\.1 200 OK/g)?.length).toBe(2)
  })

  test.each<[what: string, status: number, head: () => Promise<Head>]>([
    ['without a signature', 403, async () => ({ url: `${s3.endpoint}/photos/a`, bytes: 5 })],
    ['whose signature is wrong', 403, async () => ({ url: `${(await presign('a')).slice(0, -4)}aaaa`, bytes: 5 })],
    [
      'with an unsigned header',
      403,
      async () => ({ url: await presign('a'), bytes: 5, headers: { 'x-amz-acl': 'private' } }),
    ],
    [
      'of an unknown access key',
      403,
      async () => {
        const client = s3.createClient({ accessKeyId: 'CAIRNUNKNOWN', secretAccessKey: 'unknown' })
        return { url: await presign('a', { client }), bytes: 5 }
      },
    ],
    [
      'of an access key without the right',
      403,
      async () => {
        const rules = [{ bucket: 'photos', prefix: '', access: 'read' as const }]
        const client = s3.createClient(await s3.createKeys({ rules }))
        return { url: await presign('a', { client }), bytes: 5 }
      },
    ],
    [
      'of another account',
      403,
      async () => ({ url: await presign('a', { client: s3.createClient(await s3.createKeys()) }), bytes: 5 }),
    ],
    [
      'for a bucket that does not exist',
      404,
      async () => ({ url: await presign('a', { bucket: 'absent' }), bytes: 5 }),
    ],
    ['that is larger than a PUT may be', 400, async () => ({ url: await presign('a'), bytes: 6 * GIB })],
    ['that is larger than the storage of the account', 403, async () => ({ url: await presign('a'), bytes: 2 * GIB })],
    ['without a length', 411, async () => ({ url: await presign('a'), bytes: 'chunked' })],
    [
      'with a malformed digest',
      400,
      async () => ({ url: await presign('a'), bytes: 5, headers: { 'content-md5': 'no' } }),
    ],
    [
      'whose condition is not met',
      412,
      async () => ({ url: await presign('taken'), bytes: 5, headers: { 'if-none-match': '*' } }),
    ],
    [
      'of a part of an unknown upload',
      404,
      async () => {
        const part = new UploadPartCommand({ Bucket: 'photos', Key: 'a', UploadId: 'unknown', PartNumber: 1 })
        return { url: await getSignedUrl(s3.client, part, { expiresIn: 60 }), bytes: 5 }
      },
    ],
  ])('rejects an upload %s without a 100', async (_what, status, head) => {
    expect(await statusOf(await head())).toBe(status)
  })

  test('a sender that did not wait still reads the error', async () => {
    using connection = announce({ url: `${s3.endpoint}/photos/a`, bytes: 20_000_000 })
    connection.socket.on('error', () => undefined)
    connection.socket.write('x'.repeat(20_000_000))
    expect(await connection.until('AccessDenied')).not.toContain('100 Continue')
  })
})

describe('the API', () => {
  const form = { 'content-type': 'multipart/form-data; boundary=b' }
  const add = (headers: Record<string, string>, bytes = 500) => ({
    method: 'POST',
    url: `${s3.apiUrl}/api/v0/add`,
    bytes,
    headers: { ...form, ...headers },
  })
  const authorized = async () => ({ authorization: `Bearer ${await s3.createKey()}` })

  test('sends 100 for an upload that it reads', async () => {
    const body = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbytes\r\n--b--\r\n'
    using connection = announce(add(await authorized(), body.length))
    await connection.until('HTTP/1.1 100 Continue\r\n\r\n')
    connection.socket.write(body)
    expect(await connection.until('"Hash"')).toContain('HTTP/1.1 200 OK')
  })

  test('rejects an upload without a 100: no key, a wrong one, no right, too large', async () => {
    const readOnly = await s3.createKey(undefined, { scopes: ['files:read'] })
    const statuses = [
      await statusOf(add({})),
      await statusOf(add({ authorization: 'Bearer wrong' })),
      await statusOf(add({ authorization: `Bearer ${readOnly}` })),
      await statusOf(add(await authorized(), 2 * GIB)),
    ]
    expect(statuses).toEqual([401, 401, 403, 402])
  })

  test('rejects a segment of an unknown upload, and a call with JSON that is too large or without a key', async () => {
    const tus = { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
    const segment = {
      method: 'PATCH',
      url: `${s3.apiUrl}/api/uploads/00000000-0000-4000-8000-000000000000`,
      bytes: 500,
    }
    const json = { 'content-type': 'application/json' }
    const credentials = { method: 'POST', url: `${s3.apiUrl}/api/s3/credentials`, bytes: 500, headers: json }
    const nonce = { method: 'POST', url: `${s3.apiUrl}/api/auth/nonce`, headers: json }
    const statuses = [
      await statusOf({ ...segment, headers: { ...tus, ...(await authorized()) } }),
      await statusOf({ ...segment, headers: tus }),
      await statusOf(credentials),
      await statusOf({ ...nonce, bytes: GIB }),
      await statusOf({ ...nonce, bytes: 100 }),
    ]
    expect(statuses).toEqual([404, 401, 401, 413, 100])
  })
})
