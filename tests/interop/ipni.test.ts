// A real indexer reads our advertisements, and a real Kubo that knows only that indexer fetches the file.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CID } from 'kubo-rpc-client'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, startTestStorage, type TestStorage } from '../../services/storage/src/start-test-storage.fixture.ts'
import { patternedBytes } from './file-tree.ts'
import { type Indexer, startIndexer } from './indexer.ts'
import { startKubo } from './kubo.ts'

const foundSchema = v.object({
  MultihashResults: v.array(
    v.object({
      ProviderResults: v.array(
        v.object({ Metadata: v.string(), Provider: v.object({ ID: v.string(), Addrs: v.array(v.string()) }) }),
      ),
    }),
  ),
})
/** `transport-ipfs-gateway-http` without parameters, as the indexer returns it. */
const gatewayMetadata = Buffer.of(0xa0, 0x12, 0).toString('base64')
/** The worker publishes every few seconds, and the indexer reads after each announcement. */
const limit = { timeout: 60_000, interval: 500 }

let indexer: Indexer
let storage: TestStorage
let key = ''
let router: Server
beforeAll(async () => {
  indexer = await startIndexer()
  storage = await startTestStorage({ CAIRN_IPNI_INDEXERS: indexer.ingestUrl })
  key = await storage.createKey()
  router = createServer((request, response) => {
    const cid = request.url?.split('?')[0]?.split('/').at(-1) ?? ''
    find(cid).then(
      (peers) => response.setHeader('content-type', 'application/json').end(JSON.stringify({ Providers: peers })),
      () => response.writeHead(500).end(),
    )
  })
  router.listen(0, '127.0.0.1')
  await once(router, 'listening')
}, 120_000)
afterAll(async () => {
  router?.closeAllConnections()
  router?.close()
  await storage?.[Symbol.asyncDispose]()
  await indexer?.[Symbol.asyncDispose]()
})

/** Queries the indexer, and returns its answer in the format of delegated routing. */
async function find(cid: string) {
  const response = await fetch(`${indexer.findUrl}/cid/${cid}`, { headers: { accept: 'application/json' } })
  if (response.status === 404) return []
  const found = v.parse(foundSchema, await response.json())
  return found.MultihashResults.flatMap(({ ProviderResults }) =>
    ProviderResults.filter(({ Metadata }) => Metadata === gatewayMetadata).map(({ Provider: { ID, Addrs } }) => ({
      Schema: 'peer',
      ID,
      Addrs,
      Protocols: ['transport-ipfs-gateway-http'],
    })),
  )
}

async function upload(bytes: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([bytes]), 'a.bin')
  const sent = { ...bearer(key).headers, ...headers }
  const answer = await storage.call('/api/v0/add', { method: 'POST', headers: sent, body })
  return v.parse(v.object({ Hash: v.string() }), JSON.parse(answer.body)).Hash
}

test('the indexer finds a file, a Kubo without other peers fetches it, and the indexer drops it when it is deleted', async () => {
  const content = Uint8Array.from(Buffer.concat([...patternedBytes(1_500_000, 7)]))
  const cid = await upload(content)
  const kept = await upload(new TextEncoder().encode('stays'))
  const hidden = await upload(new TextEncoder().encode('not announced'), { announce: 'false' })
  await expect.poll(async () => (await find(cid)).length, limit).toBe(1)
  await expect.poll(async () => (await find(kept)).length, limit).toBe(1)
  const [peer] = await find(cid)
  expect(peer?.Addrs).toEqual([`/ip4/127.0.0.1/tcp/${new URL(storage.gatewayUrl).port}/http`])
  expect(await find(hidden)).toEqual([])
  // A block below the root can be found by itself.
  const leaf = await storage.context.db.read
    .selectFrom('block')
    .select('multihash')
    .where('length_bytes', '=', 262_144)
    .limit(1)
    .executeTakeFirstOrThrow()
  expect(await find(CID.decode(Buffer.concat([Buffer.of(1, 0x55), leaf.multihash])).toString())).toEqual([peer])

  await using kubo = await startKubo({
    isOnline: true,
    config: {
      Routing: { Type: 'delegated', DelegatedRouters: [`http://127.0.0.1:${(router.address() as AddressInfo).port}`] },
      HTTPRetrieval: { Enabled: true },
    },
  })
  expect((await kubo.run(['cat', cid])).equals(content)).toBe(true)

  const { json } = await storage.call('/api/user/files_uploaded', bearer(key))
  const files = v.parse(v.object({ fileList: v.array(v.object({ id: v.string(), cid: v.string() })) }), json).fileList
  const id = files.find((file) => file.cid === cid)?.id
  await storage.call(`/api/user/delete_file?id=${id}`, { method: 'DELETE', ...bearer(key) })
  await expect.poll(async () => (await find(cid)).length, limit).toBe(0)
  expect(await find(kept)).toEqual([peer])
}, 300_000)
