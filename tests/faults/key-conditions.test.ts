// The owner, conditions and recipients of a file, read from five nodes: two dishonest nodes change nothing in them.
import { type ConditionsInput, findConditions, getConditions, prepareKey, saveKey } from '@cairn/sdk'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createCids } from '../../services/keynode/src/shards/cids.fixture.ts'
import { codeOf } from '../code-of.ts'
import { type FiveNodes, startFiveNodes, startLiar, withNodes, without } from '../five-nodes.ts'

type KeyClient = Awaited<ReturnType<FiveNodes['client']>>

const freshCid = createCids('conditions')
const stranger = `0x${'5'.repeat(40)}`
const rich: ConditionsInput = {
  conditions: [
    {
      id: 1,
      chain: 'Sepolia',
      method: 'getBalance',
      standardContractType: '',
      returnValueTest: { comparator: '>=', value: '1000' },
    },
  ],
}
const chains = { chains: { Sepolia: { rpcUrls: ['http://127.0.0.1:9'] } } }
let nodes: FiveNodes
let owner: KeyClient
let friend: KeyClient
let cid: string

beforeAll(async () => {
  nodes = await startFiveNodes({ CAIRN_KEYNODE_CHAINS: JSON.stringify(chains) })
  owner = await nodes.client()
  friend = await nodes.client()
})
afterAll(() => nodes?.[Symbol.asyncDispose]())
beforeEach(async () => {
  cid = freshCid()
  await saveKey(owner, cid, prepareKey(), { shareTo: [friend.address], conditions: rich })
})

test('two nodes cannot open a file with conditions of their own, which its owner then saves', async () => {
  for (const node of [1, 2]) {
    nodes.forge(node, `update key set conditions = replace(conditions, '"1000"', '"0"') where cid = ?`, cid)
    nodes.forge(node, 'update shared set address = ? where cid = ?', stranger, cid)
  }
  const { owner: named, sharedTo, conditions } = await getConditions(owner, cid)
  expect({ named, sharedTo }).toEqual({ named: owner.address, sharedTo: [friend.address] })
  expect(conditions).toMatchObject(rich.conditions)
  expect(await findConditions(owner, cid, {})).toMatchObject(rich)
})

test('two nodes cannot hide conditions, name another owner or state that there is no key, also without a session', async () => {
  const anonymous = { ...owner, keySession: undefined }
  const expected = { owner: owner.address, conditions: rich.conditions }
  nodes.forge(1, 'update key set conditions = null where cid = ?', cid)
  nodes.forge(2, 'update key set owner = ? where cid = ?', stranger, cid)
  for (const client of [owner, anonymous]) expect(await getConditions(client, cid)).toMatchObject(expected)
  for (const node of [1, 2]) nodes.forge(node, 'delete from key where cid = ?', cid)
  for (const client of [owner, anonymous]) expect(await getConditions(client, cid)).toMatchObject(expected)
  expect(await getConditions(anonymous, cid)).toMatchObject({ sharedTo: [] })
})

test('three nodes must agree', async () => {
  expect(await getConditions(without(owner, 1, 2), cid)).toMatchObject({ conditions: rich.conditions })
  await using liar = await startLiar(nodes.url(3), (_request, { body }, response) =>
    response.end(body.replace('"1000"', '"0"')),
  )
  expect(await codeOf(getConditions(withNodes(without(owner, 1, 2), { 3: liar.url }), cid))).toBe('CONFLICT')
  expect(await codeOf(getConditions(without(owner, 1, 2, 3), cid))).toBe('NETWORK_ERROR')
  expect(await codeOf(getConditions(owner, freshCid()))).toBe('KEY_NOT_FOUND')
})
