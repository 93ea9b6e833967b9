// Announced content is handed to a real Kubo without a network, and to a cluster over one: it gets the blocks from us, pins
// and later unpins them.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, startTestStorage, type TestStorage } from '../../services/storage/src/start-test-storage.fixture.ts'
import { ipfsCluster, isInstalled } from './binaries.ts'
import { patternedBytes } from './file-tree.ts'
import { startIpfsCluster } from './ipfs-cluster.ts'
import { type Kubo, startKubo } from './kubo.ts'

/** The worker runs every few seconds. */
const limit = { timeout: 60_000, interval: 500 }

let kubo: Kubo
let storage: TestStorage
let key = ''
beforeAll(async () => {
  kubo = await startKubo()
}, 120_000)
afterAll(() => kubo?.[Symbol.asyncDispose]())

/** Starts a service that hands content over to a Kubo, or to another service with its calls. */
async function startService(url: string): Promise<TestStorage> {
  storage = await startTestStorage({ CAIRN_KUBO_RPC_URL: url })
  key = await storage.createKey()
  return storage
}

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

async function handOver(seed: number): Promise<void> {
  const content = Uint8Array.from(Buffer.concat([...patternedBytes(3_000_000, seed)]))
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
}

test('Kubo pins announced content, serves it offline, and unpins deleted content', async () => {
  await using _service = await startService(kubo.apiUrl)
  await handOver(5)
})

test.skipIf(!isInstalled(ipfsCluster))('IPFS Cluster pins and unpins the same at its Kubo', async () => {
  await using cluster = await startIpfsCluster(kubo.apiUrl)
  await using _service = await startService(cluster.proxyUrl)
  await handOver(6)
})
