// Nodes whose disks were lost or changed: a repair restores everything that belongs to a key.
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
  // No chain is queried: this test only stores its conditions.
  const chains = { local: { family: 'evm', chainId: 31337, rpcUrls: ['http://127.0.0.1:9'], confirmations: 0 } }
  nodes = await startFiveNodes({ CAIRN_KEYNODE_CHAINS: JSON.stringify({ chains }) })
  pauses = skipPauses()
})
afterAll(async () => {
  pauses?.[Symbol.dispose]()
  await nodes?.[Symbol.asyncDispose]()
})

test('two nodes that start empty get shard, addresses and conditions back', async () => {
  const first = await nodes.client()
  const friend = await nodes.client()
  const key = prepareKey()
  const many = Array.from({ length: 150 }, (_address, i) => `0x${(4096 + i).toString(16).padStart(40, '1')}`)
  const saved = await saveKey(first, cid, key, { shareTo: [...many, friend.address], conditions: { conditions } })
  expect(saved).toEqual({ done: [1, 2, 3, 4, 5], pending: [], isEffective: true, withstands: 2 })
  for (const node of [1, 4]) {
    await nodes.stop(node)
    await rm(nodes.folder(node), { recursive: true })
    await nodes.start(node)
  }
  // Their sessions are lost with their disks.
  const owner = await nodes.client(first.privateKey)
  const reader = await nodes.client(friend.privateKey)
  const { after, nodes: done } = await repairKey(owner, cid)
  expect(done.map(({ outcome }) => outcome === 'saved')).toEqual([true, false, false, true, false])
  expect(after).toMatchObject({
    health: 'whole',
    agreed: { owner: owner.address, sharedTo: [...many, friend.address].sort(), hasConditions: true },
  })
  // Any three open it, including the two new ones.
  for (const away of [
    [2, 3],
    [3, 5],
    [2, 5],
  ])
    expect((await getKey(without(reader, ...away), cid)).masterKey).toBe(key.masterKey)
  const [one] = (await getConditions(without(owner, 2, 3), cid)).conditions
  expect(one).toMatchObject(conditions[0] ?? {})
  expect((await getKeyStatus(owner, cid)).nodes.every(({ isAgreed }) => isAgreed)).toBe(true)
})

test('the owner’s repair finds a shard with a changed bit, and saves it again', async () => {
  const owner = await nodes.client()
  const file = `bafkrei${'c'.repeat(51)}q`
  const key = prepareKey()
  await saveKey(owner, file, key)
  await getKeyStatus(owner, file)
  await nodes.stop(2)
  const db = nodes.openDatabase(2)
  const row = db.prepare('select sealed from key where cid = ?').get(file)
  const sealed = row?.['sealed']
  if (!(sealed instanceof Uint8Array)) throw new Error('node 2 holds a shard')
  sealed[40] = (sealed[40] ?? 0) ^ 1
  db.prepare('update key set sealed = ? where cid = ?').run(sealed, file)
  db.close()
  await nodes.start(2)
  const without2 = await getKey(without(owner, 1), file)
  expect([without2.masterKey, without2.wrongNodes]).toEqual([key.masterKey, []])
  await expect(getKey(without(owner, 1, 3), file)).rejects.toMatchObject({ code: 'NOT_ENOUGH_SHARDS' })
  const { after, nodes: done } = await repairKey(owner, file)
  expect(done.map(({ outcome }) => outcome)).toEqual(['current', 'saved', 'current', 'current', 'current'])
  expect(after.health).toBe('whole')
  expect((await getKey(without(owner, 1, 3), file)).masterKey).toBe(key.masterKey)
})
