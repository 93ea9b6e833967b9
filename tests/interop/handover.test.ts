// Announced content is handed to a real Kubo without a network: it gets the blocks from us, pins them, and lets go of them.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, startTestStorage, type TestStorage } from '../../services/storage/src/start-test-storage.fixture.ts'
import { patternedBytes } from './file-tree.ts'
import { type Kubo, startKubo } from './kubo.ts'

/** The worker looks every few seconds. */
const limit = { timeout: 60_000, interval: 500 }

let kubo: Kubo
let storage: TestStorage
let key = ''
beforeAll(async () => {
  kubo = await startKubo()
  storage = await startTestStorage({ CAIRN_KUBO_RPC_URL: kubo.apiUrl })
  key = await storage.createKey()
}, 120_000)
afterAll(async () => {
  await storage?.[Symbol.asyncDispose]()
  await kubo?.[Symbol.asyncDispose]()
})

async function upload(bytes: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([bytes]), 'a.bin')
  const sent = { ...bearer(key).headers, ...headers }
  const answer = await storage.call('/api/v0/add', { method: 'POST', headers: sent, body })
  return (JSON.parse(answer.body) as { Hash: string }).Hash
}

const ask = (path: string) => fetch(`${kubo.apiUrl}/api/v0/${path}`, { method: 'POST' })

async function listPins(): Promise<string[]> {
  const { Keys = {} } = (await (await ask('pin/ls?type=recursive')).json()) as { Keys?: Record<string, unknown> }
  return Object.keys(Keys)
}

test('Kubo pins what is announced, serves it offline, and unpins what is deleted', async () => {
  const content = Uint8Array.from(Buffer.concat([...patternedBytes(3_000_000, 5)]))
  const cid = await upload(content)
  const hidden = await upload(new TextEncoder().encode('not announced'), { announce: 'false' })
  await expect.poll(listPins, limit).toContain(cid)
  const read = await (await ask(`cat?arg=${cid}`)).arrayBuffer()
  expect(Buffer.from(read).equals(content)).toBe(true)
  expect(await listPins()).not.toContain(hidden)
  const { json } = await storage.call('/api/user/files_uploaded', bearer(key))
  const file = (json as { fileList: { id: string; cid: string }[] }).fileList.find((one) => one.cid === cid)
  await storage.call(`/api/user/delete_file?id=${file?.id}`, { method: 'DELETE', ...bearer(key) })
  await expect.poll(listPins, limit).not.toContain(cid)
})
