import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

// Clients may disconnect at any time: this is not an error of the service and must not fill its log.
let storage: TestStorage
let key: string
let cid: string
beforeAll(async () => {
  storage = await startTestStorage()
  key = await storage.createKey()
  const form = new FormData()
  // More than fits between two sockets, each piece different.
  const large = Buffer.alloc(32 * 1024 * 1024)
  for (let at = 0; at < large.length; at += 65_536) large.writeUInt32LE(at, at)
  form.append('file', new Blob([large]), 'large')
  const headers = { authorization: `Bearer ${key}` }
  const { json } = await storage.call('/api/v0/add', { method: 'POST', headers, body: form })
  cid = (json as { Hash: string }).Hash
})
afterAll(() => storage?.[Symbol.asyncDispose]())

function send(url: string, text: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(text)
  return socket
}

async function goneOf(call: string): Promise<number> {
  const text = await (await fetch(storage.metricsUrl ?? '')).text()
  return Number(new RegExp(`^cairn_clients_gone_total\\{call="${call}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

const head = (line: string, ...headers: string[]) => [`${line} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n')

test.each([
  [
    'in the middle of an upload',
    'addFiles',
    () =>
      `${head(
        'POST /api/v0/add',
        `Authorization: Bearer ${key}`,
        'Content-Type: multipart/form-data; boundary=b',
        'Content-Length: 5000000',
      )}--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nxxx`,
  ],
  [
    'in the middle of a JSON body',
    'getSignInNonce',
    () => `${head('POST /api/auth/nonce', 'Content-Type: application/json', 'Content-Length: 5000')}{`,
  ],
  ['in the middle of a download by Kubo’s call', 'catKubo', () => head(`POST /api/v0/cat?arg=${cid}`)],
  ['in the middle of a download of the gateway', 'gateway', () => head(`GET /ipfs/${cid}`)],
])('counts a client that disconnects %s, without an error in the log', async (_where, call, text) => {
  const before = await goneOf(call)
  const lines = storage.log.length
  const socket = send(call === 'gateway' ? storage.gatewayUrl : storage.apiUrl, text())
  // A download is aborted when its first bytes arrive, an upload when the service has begun to read the body.
  if (call === 'catKubo' || call === 'gateway') await new Promise((resolve) => socket.once('readable', resolve))
  else await new Promise((resolve) => socket.write('x', resolve))
  socket.destroy()
  // It is counted once; cleanup may have ended before or after.
  await expect.poll(() => goneOf(call)).toBe(before + 1)
  const output = storage.log.slice(lines).map((line) => JSON.parse(line) as { level: number; err?: unknown })
  for (const line of output) expect(line.level, JSON.stringify(line)).toBeLessThan(40)
  for (const line of output) expect(line.err).toBeUndefined()
})
