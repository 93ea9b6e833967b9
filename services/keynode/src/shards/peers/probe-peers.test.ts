import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPeerClient } from './peer-client.ts'
import { type FivePeers, startFivePeers } from './peers.fixture.ts'
import { probePeers, queryPeers } from './peers.ts'

let peers: FivePeers
beforeAll(async () => {
  peers = await startFivePeers()
})
afterAll(() => peers?.[Symbol.asyncDispose]())

const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const statesOf = (node: number) =>
  peers
    .of(node)
    .dependencies.report()
    .map(({ kind, name, state }) => `${kind} ${name} ${state}`)

test('a node checks whether its peers answer before it needs them', async () => {
  await expect.poll(() => statesOf(5)).toEqual(['keyNode 1 ok', 'keyNode 2 ok', 'keyNode 3 ok', 'keyNode 4 ok'])
})

test('an offline peer that answers a probe counts as reachable again', async () => {
  const url = peers.reroute(2, 'http://127.0.0.1:9')
  await queryPeers(peers.of(5), cid)
  expect(statesOf(5)).toContain('keyNode 2 failed')
  const [, second] = probePeers(peers.of(5))
  await expect(second?.probe(AbortSignal.timeout(5_000))).rejects.toThrow()
  peers.reroute(2, url)
  await second?.probe(AbortSignal.timeout(5_000))
})

test('a peer that does not know the key of this node does not answer it', async () => {
  const context = peers.of(5)
  // A node of the same number with another key.
  const stranger = { ...context, keys: peers.of(4).keys }
  const [first] = probePeers({ ...stranger, peers: createPeerClient(stranger) })
  await expect(first?.probe(AbortSignal.timeout(5_000))).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
})
