// Nodes that lost their disks: what is repaired is whole again, with everything that belongs to a key.
import { rm } from 'node:fs/promises'
import { getConditions, getKey, getKeyStatus, prepareKey, repairKey, saveKey } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FiveNodes, startFiveNodes, without } from '../five-nodes.ts'
import { skipPauses } from '../lighthouse/skip-pauses.ts'

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const conditions = [
  {
    id: 1,
    chain: 'local',
    method: 'getBlockNumber',
    standardContractType: '',
    returnValueTest: { comparator: '>=', value: '1' },
  },
]
let nodes: FiveNodes
let pauses: Disposable
beforeAll(async () => {
  // Nobody is asked: the conditions of this test are only kept.
  const chains = { local: { family: 'evm', chainId: 31337, rpcUrls: ['http://127.0.0.1:9'], confirmations: 0 } }
  nodes = await startFiveNodes({ CAIRN_KEYNODE_CHAINS: JSON.stringify({ chains }) })
  pauses = skipPauses()
})
afterAll(async () => {
  pauses?.[Symbol.dispose]()
  await nodes?.[Symbol.asyncDispose]()
})

test('two nodes that start from nothing get shard, addresses and conditions back', async () => {
  const first = await nodes.client()
  const friend = await nodes.client()
  const key = prepareKey()
  const many = Array.from({ length: 150 }, (_address, i) => `0x${(4096 + i).toString(16).padStart(40, '1')}`)
  const saved = await saveKey(first, cid, key, { shareTo: [...many, friend.address], conditions: { conditions } })
  expect(saved).toEqual({ done: [1, 2, 3, 4, 5], pending: [], isEffective: true })
  for (const node of [1, 4]) {
    await nodes.stop(node)
    await rm(nodes.folder(node), { recursive: true })
    await nodes.start(node)
  }
  // Their sessions are gone with their disks.
  const owner = await nodes.client(first.privateKey)
  const reader = await nodes.client(friend.privateKey)
  const { after, nodes: done } = await repairKey(owner, cid)
  expect(done.map(({ outcome }) => outcome === 'saved')).toEqual([true, false, false, true, false])
  expect(after).toMatchObject({
    health: 'whole',
    agreed: { owner: owner.address, sharedTo: [...many, friend.address].sort(), hasConditions: true },
  })
  // Any three open it, the two new ones among them.
  for (const away of [
    [2, 3],
    [3, 5],
    [2, 5],
  ])
    expect((await getKey(without(reader, ...away), cid)).masterKey).toBe(key.masterKey)
  const [one] = (await getConditions(without(owner, 2, 3, 5), cid)).conditions
  expect(one).toMatchObject(conditions[0] ?? {})
  expect((await getKeyStatus(owner, cid)).nodes.every(({ isAgreed }) => isAgreed)).toBe(true)
})
