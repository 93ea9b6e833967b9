// Upload links against a real network: by the SDK over a line that loses responses, by the published tus client, and by the
// real program on a machine that knows no network.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import {
  type Client,
  createClient,
  createUploadLink,
  downloadBytes,
  inspectUploadLink,
  listUploadLinks,
  revokeUploadLink,
  uploadWithLink,
} from '@cairn/sdk'
import { Upload } from 'tus-js-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { runCli } from '../run-cli.ts'

let network: TestNetwork
let owner: Client
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork()
  owner = createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  folder = mkdtempSync(join(tmpdir(), 'cairn-upload-links-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  if (folder !== '') rmSync(folder, { recursive: true, force: true })
})

/** A line to the service that loses the first response to each method, after the service has done its work. */
async function openLossyLine(...methods: string[]) {
  const lost: string[] = []
  const urls: string[] = []
  let url = ''
  const server = createServer(async (from, to) => {
    urls.push(from.url ?? '')
    const body = await buffer(from)
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = from.headers
    const answer = await fetch(new URL(from.url ?? '/', network.profile.api), {
      method: from.method ?? 'GET',
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(body.length === 0 && from.method === 'GET' ? {} : { body }),
    })
    const text = (await answer.text()).replaceAll(network.profile.api, url).replaceAll(network.profile.upload, url)
    if (methods.includes(from.method ?? '') && !lost.includes(from.method ?? '')) {
      lost.push(from.method ?? '')
      to.destroy()
      return
    }
    for (const [name, value] of answer.headers)
      if (!['content-length', 'connection', 'transfer-encoding', 'keep-alive'].includes(name)) to.setHeader(name, value)
    to.writeHead(answer.status).end(answer.status === 204 ? undefined : text)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    lost,
    urls,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

const find = async (id: string) => (await listUploadLinks(owner)).find((link) => link.id === id)

test('counts an upload once after lost responses, and has the secret in no URL', async () => {
  await using line = await openLossyLine('POST', 'PATCH')
  const { id, url, token } = await createUploadLink(owner, { maxUploads: 1, maxFileBytes: 100_000, label: 'one' })
  const link = url.replace(network.profile.api, line.url)
  const path = join(folder, 'photo.jpg')
  const bytes = randomBytes(100_000)
  writeFileSync(path, bytes)
  const progress: number[] = []
  const { cid, name, sizeBytes } = await uploadWithLink(link, path, {
    onProgress: (step) => progress.push(step.bytes),
    waitToRetry: () => Promise.resolve(),
  })
  expect([name, sizeBytes, progress.at(-1), line.lost]).toEqual(['photo.jpg', 100_000, 100_000, ['POST', 'PATCH']])
  expect(Buffer.from(await downloadBytes(owner, cid)).equals(bytes)).toBe(true)
  expect(await find(id)).toMatchObject({ state: 'ended', uploads: 1, uploadedBytes: 100_000, openUploads: 0 })
  expect(line.urls.length).toBeGreaterThan(3)
  expect(line.urls.join()).not.toContain(token.slice(-43))
})

test('a sender needs only the link, and its limits are typed errors', async () => {
  const { id, url } = await createUploadLink(owner, {
    maxFileBytes: 10,
    maxUploads: 3,
    contentTypes: ['text/plain', 'image/*'],
  })
  expect(await inspectUploadLink(url)).toMatchObject({ bytesLeft: 30, uploadsLeft: 3, maxFileBytes: 10 })
  const text = (content: string, type = 'text/plain') => new File([content], 'a', { type })
  expect(await uploadWithLink(url, text('', 'text/plain'), { name: 'empty.txt' })).toMatchObject({ sizeBytes: 0 })
  expect(await uploadWithLink(url, text('hello', 'image/png'))).toMatchObject({ sizeBytes: 5, name: 'a' })
  await expect(uploadWithLink(url, text('hello world'))).rejects.toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
    details: { limitBytes: 10 },
  })
  await expect(uploadWithLink(url, text('a', 'video/mp4'))).rejects.toMatchObject({
    code: 'UNSUPPORTED_MEDIA_TYPE',
    hint: expect.stringContaining('cairn upload --mime'),
  })
  await expect(uploadWithLink(url, folder)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
  await expect(uploadWithLink(url.split('#')[0] ?? '', text('a'))).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  await expect(uploadWithLink(url, text('a'), { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'ABORTED',
  })
  expect(await revokeUploadLink(owner, id)).toMatchObject({ state: 'revoked', uploads: 2 })
  await expect(uploadWithLink(url, text('a'))).rejects.toMatchObject({ code: 'GONE', details: { reason: 'revoked' } })
})

test('the published tus client uploads with the token', async () => {
  const { id, token } = await createUploadLink(owner, { contentTypes: ['image/*'] })
  await new Promise<void>((done, fail) => {
    new Upload(randomBytes(5000), {
      endpoint: `${network.profile.upload}/api/uploads`,
      headers: { authorization: `Bearer ${token}` },
      metadata: { filename: 'cat.png', filetype: 'image/png' },
      onSuccess: () => done(),
      onError: fail,
    }).start()
  })
  expect(await find(id)).toMatchObject({ uploads: 1, uploadedBytes: 5000 })
})

test('the command line creates, lists and revokes links, and uploads with one on a machine without setup', async () => {
  writeFileSync(join(folder, 'a.txt'), 'dear Ada')
  const cairn = async (who: 'owner' | 'sender', ...args: string[]) => {
    const known = who === 'owner' ? { CAIRN_NETWORK: join(network.home, 'network.json') } : {}
    return runCli([...args, '--json'], {
      cwd: folder,
      env: { CAIRN_CONFIG_HOME: join(folder, who), CAIRN_HOME: join(folder, 'nowhere'), ...known },
    })
  }
  const options = ['--max-size', '1kB', '--max-total', '2kB', '--count', '5', '--types', 'text/plain, image/*']
  const made = await cairn('owner', 'upload-link', 'new', ...options, '--expires', '1h', '--label', 'for Ada')
  expect(made.code, made.err).toBe(0)
  const link: { id: string; url: string } = JSON.parse(made.out)
  expect(link).toMatchObject({ maxFileBytes: 1000, maxTotalBytes: 2000, maxUploads: 5, label: 'for Ada' })
  expect(link).toMatchObject({ contentTypes: ['text/plain', 'image/*'] })
  const sent = await cairn('sender', 'upload', '--link', link.url, 'a.txt')
  expect(sent.code, sent.err).toBe(0)
  const { cid } = JSON.parse(sent.out) as { cid: string }
  expect(Buffer.from(await downloadBytes(owner, cid)).toString()).toBe('dear Ada')
  const listed = await cairn('owner', 'upload-link', 'ls')
  expect(JSON.parse(listed.out)).toMatchObject({ id: link.id, uploads: 1, uploadedBytes: 8 })
  expect((await cairn('sender', 'upload', '--link', link.url, '--encrypt', 'a.txt')).code).toBe(2)
  expect((await cairn('owner', 'upload-link', 'new', '--count', 'many')).code).toBe(2)
  expect((await cairn('owner', 'upload-link', 'rm')).code).toBe(2)
  expect(JSON.parse((await cairn('owner', 'upload-link', 'rm', link.id)).out)).toEqual({ revoked: link.id })
  const gone = await cairn('sender', 'upload', '--link', link.url, 'a.txt')
  expect([gone.code, gone.err]).toEqual([3, expect.stringContaining('The upload link was revoked')])
})
