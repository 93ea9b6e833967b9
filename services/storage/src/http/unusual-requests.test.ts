// Requests that programs send by mistake: the error says what is wrong with them.
import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

let storage: TestStorage
let key: string
beforeAll(async () => {
  storage = await startTestStorage()
  key = await storage.createKey()
})
afterAll(() => storage?.[Symbol.asyncDispose]())

const body = gzipSync(JSON.stringify({ label: 'site' }))

test.each(['gzip', 'GZIP', 'x-gzip', 'br', 'deflate', 'zstd', 'identity, gzip'])(
  'a body with the encoding %s is neither parsed nor stored',
  async (encoding) => {
    for (const [path, type] of [
      ['/api/names', 'application/json'],
      ['/api/v0/add', 'multipart/form-data; boundary=b'],
    ] as const) {
      const headers = { ...bearer(key).headers, 'content-type': type, 'content-encoding': encoding }
      const answer = await storage.call(path, { method: 'POST', headers, body })
      expect([answer.status, answer.headers.get('x-cairn-code')]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
      expect(answer.headers.get('accept-encoding')).toBe('identity')
      expect(answer.body).toContain('The body is compressed')
    }
  },
)

test.each(['identity', 'utf-8'])('a body with the encoding %s is accepted', async (encoding) => {
  const headers = { ...bearer(key).headers, 'content-type': 'application/json', 'content-encoding': encoding }
  const made = await storage.call('/api/names', { method: 'POST', headers, body: JSON.stringify({ label: encoding }) })
  expect(made.status).toBe(200)
})

test('a request that is not HTTP is named as such, at the API and the gateway', async () => {
  for (const url of [storage.apiUrl, storage.gatewayUrl]) {
    const { port, hostname } = new URL(url)
    for (const head of ['FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 'GET / HTTP/1.1\nHost: x\n\n']) {
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      socket.end(head)
      const answer = Buffer.concat(await Array.fromAsync(socket)).toString()
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toContain('x-cairn-code: INVALID_REQUEST')
      expect(answer).toContain('The request is not valid HTTP/1.1')
    }
  }
})

test('a request without a Host header, or with several, is named as such, at the API and the gateway', async () => {
  const ask = async (url: string, head: string) => {
    const { port, hostname } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(`${head}\r\nConnection: close\r\n\r\n`)
    return Buffer.concat(await Array.fromAsync(socket)).toString()
  }
  const body = new FormData()
  body.append('file', new Blob(['x']))
  const { json } = await storage.call('/api/v0/add', { method: 'POST', ...bearer(key), body })
  for (const [url, path] of [
    [storage.apiUrl, '/healthz'],
    [storage.gatewayUrl, `/ipfs/${(json as { Hash: string }).Hash}`],
  ] as const) {
    // The gateway repeats this answer for a second.
    expect(await ask(url, `GET ${path} HTTP/1.1\r\nHost: a`)).toMatch(/^HTTP\/1\.1 200 /)
    for (const [headers, problem] of [
      ['', 'no Host header'],
      ['\r\nHost: a\r\nhost: b', 'several Host headers'],
    ]) {
      const answer = await ask(url, `GET ${path} HTTP/1.1${headers}`)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toContain('x-cairn-code: INVALID_REQUEST')
      expect(answer).toContain(`The request has ${problem}`)
    }
    expect(await ask(url, `GET ${path} HTTP/1.0`)).not.toContain('Host header')
  }
})

test('a flag with another value is named as a boolean', async () => {
  const form = new FormData()
  form.append('file', new Blob(['x']), 'x.txt')
  const path = '/api/v0/add?wrap-with-directory=yes'
  const answer = await storage.call(path, { method: 'POST', ...bearer(key), body: form })
  expect(answer.body).toContain('query.wrap-with-directory must be true or false, but is \\"yes\\"')
})
