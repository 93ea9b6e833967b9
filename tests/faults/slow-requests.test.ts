import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { drip, filePart, type Held, hold, jsonHead, until, uploadEnd, uploadHead } from './hostile-connections.ts'

// Each slow sender occupies a socket and its resources, which every service releases after a time limit.
let network: TestNetwork
let apiKey: string
beforeAll(async () => {
  network = await createTestNetwork(
    {
      CAIRN_BODY_TIMEOUT_SECONDS: '1',
      CAIRN_UPLOAD_RATE_WINDOW_SECONDS: '1',
      CAIRN_MAX_CONNECTIONS: '5000',
      CAIRN_MAX_CONNECTIONS_PER_ADDRESS: '5000',
    },
    'none',
    20,
    1,
  )
  apiKey = (await createTestKey(network)).apiKey
})
afterAll(() => network?.[Symbol.asyncDispose]())

type Service = 'API' | 'gateway' | 'key node' | 'key router' | 'storage provider'

function urlOf(service: Service): string {
  const { profile, keys, providers } = network
  const url = {
    API: profile.api,
    gateway: profile.gateway,
    'key node': keys.nodes[0]?.url,
    'key router': keys.router.url,
    'storage provider': providers[0]?.url,
  }[service]
  if (url === undefined) throw new Error(`the network has no ${service}`)
  return url
}

const services = ['API', 'gateway', 'key node', 'key router', 'storage provider'] as const

/** Waits until all are closed: a connection that stays open blocks the test. */
async function expectAllClosed(held: readonly Held[], status: number): Promise<void> {
  await Promise.all(held.map(({ closed }) => closed))
  for (const { answer } of held) expect(answer().slice(0, 12)).toBe(`HTTP/1.1 ${status}`)
}

describe.each([
  ['API', '/api/auth/nonce', 408],
  ['gateway', '/ipfs/bafkqaaa', 408],
  ['key node', '/api/keys/nonce/1', 408],
  ['key router', '/api/message/get-jwt', 408],
  // It requires its key before it reads anything.
  ['storage provider', '/pieces', 401],
] as const)('the %s', (service, path, status) => {
  test('closes 300 connections that send JSON bodies byte by byte', async () => {
    const url = urlOf(service)
    await expectAllClosed(
      Array.from({ length: 300 }, () => drip(url, jsonHead(path))),
      status,
    )
    expect((await fetch(`${url}/ipfs/bafkqaaa`)).status).toBeLessThan(500)
  })
})

describe.each(services)('the %s', (service) => {
  test('closes connections whose head arrives byte by byte, and those that send nothing', async () => {
    const url = urlOf(service)
    const slow = Array.from({ length: 20 }, () => drip(url, 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: '))
    const silent = Array.from({ length: 20 }, () => hold(url, ''))
    await expectAllClosed([...slow, ...silent], 408)
  })

  test('closes connections that were answered before their body ended', async () => {
    const url = urlOf(service)
    // No path accepts text, so none is read.
    const head = (length: string) =>
      `POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n${length}\r\n\r\n`
    const held = [
      ...Array.from({ length: 20 }, () => drip(url, head('Content-Length: 5000'))),
      ...Array.from({ length: 20 }, () => drip(url, head('Content-Length: 60000000'))),
      ...Array.from({ length: 20 }, () => drip(url, head('Transfer-Encoding: chunked'), '1\r\nx\r\n')),
    ]
    await Promise.all(held.map(({ closed }) => closed))
    for (const { answer } of held) expect(answer()).toMatch(/^HTTP\/1\.1 4\d\d /)
  })
})

test.each([
  ['of a short length', 'Content-Length: 10000'],
  ['of a long length', 'Content-Length: 10000000'],
  ['of no length', 'Transfer-Encoding: chunked'],
])('50 concurrent uploads that are too slow, %s, get an error and are closed', async (_what, length) => {
  const frame = (text: string) => (length.startsWith('Transfer') ? `${text.length.toString(16)}\r\n${text}\r\n` : text)
  const held = Array.from({ length: 50 }, (_, i) =>
    drip(network.profile.api, uploadHead(apiKey, length) + frame(filePart(`f${i}`)), frame('x')),
  )
  await expectAllClosed(held, 408)
  for (const { answer } of held) expect(answer()).toContain('"code":"REQUEST_TIMEOUT"')
})

test('the time limit of bodies ends no other request', async () => {
  // A window of an hour, so that only the limit of bodies takes effect.
  await using patient = await createTestNetwork({
    CAIRN_BODY_TIMEOUT_SECONDS: '1',
    CAIRN_UPLOAD_RATE_WINDOW_SECONDS: '3600',
  })
  const { api, gateway } = patient.profile
  const key = (await createTestKey(patient)).apiKey
  const authorization = `Bearer ${key}`

  // Larger than the buffers between two sockets, each piece different.
  const large = Buffer.alloc(64 * 1024 * 1024)
  for (let at = 0; at < large.length; at += 65_536) large.writeUInt32LE(at, at)
  const form = new FormData()
  form.append('file', new Blob([large]), 'large')
  const stored = await fetch(`${api}/api/v0/add`, { method: 'POST', headers: { authorization }, body: form })
  const { Hash: cid } = (await stored.json()) as { Hash: string }
  const made = await fetch(`${api}/api/uploads`, {
    method: 'POST',
    headers: { authorization, 'tus-resumable': '1.0.0', 'upload-length': '3000' },
  })
  const inPartsPath = new URL(made.headers.get('location') ?? '', `${api}/api/`).pathname
  const body = filePart('small') + 'x'.repeat(3000) + uploadEnd
  const length = `Content-Length: ${body.length}`

  // All of these are in progress when a slow body reaches its limit.
  const upload = hold(api, uploadHead(key, length) + body.slice(0, 100))
  const expecting = hold(api, uploadHead(key, `${length}\r\nExpect: 100-continue`))
  await until(expecting, '100 Continue')
  const inParts = hold(
    api,
    `PATCH ${inPartsPath} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: 3000\r\n\r\nxxx`,
  )
  const keptAlive = hold(api, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  await until(keptAlive, '"ok"')
  const download = hold(gateway, `GET /ipfs/${cid} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  await until(download, '200 OK')
  download.socket.pause()

  await drip(api, jsonHead('/api/auth/nonce')).closed

  upload.socket.write(body.slice(100))
  await until(upload, '"Hash"')
  expecting.socket.write(body)
  await until(expecting, '"Hash"')
  inParts.socket.write('x'.repeat(2997))
  await until(inParts, '204 No Content')
  keptAlive.socket.write('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n')
  await until(keptAlive, '"ready"')
  download.socket.resume()
  await download.closed
  const answer = download.answer()
  expect(answer.length - answer.indexOf('\r\n\r\n') - 4).toBe(large.length)
  for (const { socket } of [upload, expecting, inParts, keptAlive]) socket.destroy()
})
