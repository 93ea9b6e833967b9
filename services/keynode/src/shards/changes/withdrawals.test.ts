// A change of rights reaches one node after another. Until three have it, a recipient who loses by it can ask each node
// to adopt the state of peers that do not have the change yet.
import { retrieveShard } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bind, bindShardCalls, type Work } from '../calls.ts'
import { createCids } from '../cids.fixture.ts'
import { callerOf, type FivePeers, startFivePeers } from '../peers/peers.fixture.ts'
import { promoteRecord } from '../peers/promote.ts'
import { confirmRestored, repairRecord } from '../peers/repair.ts'
import { describeRecord } from '../status.ts'
import { findRecord } from '../store.ts'
import { changeConditions } from './conditions-of.ts'
import { retireRecord } from './retire.ts'
import { saveRecord } from './save.ts'
import { revokeRecord, shareRecord } from './share.ts'
import { transferRecord } from './transfer.ts'

const all = [1, 2, 3, 4, 5]
const alice = callerOf('a')
const bob = callerOf('b')
const carol = callerOf('c')
let peers: FivePeers

beforeAll(async () => {
  peers = await startFivePeers()
})
afterAll(() => peers?.[Symbol.asyncDispose]())

const freshCid = createCids('withdrawals')
const conditions = (aggregator: string) => JSON.stringify({ aggregator, conditions: [] })

/** Saves a key on all nodes. */
async function saveAll(cid: string, extra: { conditions?: string } = {}): Promise<void> {
  const payload = { key: 'k', index: '1' }
  for (const node of all)
    await saveRecord(peers.of(node), alice, { cid, cidAsGiven: cid, payload, set: undefined, sharedTo: [], ...extra })
  for (const node of all) await promoteRecord(peers.of(node), cid)
}
const share = (nodes: readonly number[], cid: string, ...addresses: string[]) =>
  onEach(nodes, (node) => shareRecord(peers.of(node), alice, cid, addresses))
const revoke = (nodes: readonly number[], cid: string, ...addresses: string[]) =>
  onEach(nodes, (node) => revokeRecord(peers.of(node), alice, cid, addresses))
/** Changes without a net effect, so that these nodes count more changes than the others. */
const countMore = async (nodes: readonly number[], cid: string) => {
  await share(nodes, cid, carol.address)
  await revoke(nodes, cid, carol.address)
}
const markRestored = (cid: string) => {
  const { db, clock } = peers.of(1)
  return db.write((trx) => trx.updateTable('key').set({ restored_at: clock.now() }).where('cid', '=', cid).execute())
}
async function onEach(nodes: readonly number[], change: (node: number) => Promise<unknown>): Promise<void> {
  for (const node of nodes) await change(node)
}
const stateOf = async (node: number, cid: string) => {
  const found = await findRecord(peers.of(node).db.read, cid)
  if (found === undefined) throw new Error(`node ${node} holds nothing`)
  return found
}
const repair = async (node: number, cid: string, caller = bob) =>
  (await repairRecord(peers.of(node), caller, cid))?.outcome

test.each([0, 60_000])('a revoked reader cannot undo a revocation that has been in transit for %i ms', async (ms) => {
  const cid = freshCid()
  await saveAll(cid)
  await share(all, cid, bob.address)
  await countMore([2, 3, 4, 5], cid)
  await countMore([1, 3, 4, 5], cid)
  for (const node of [1, 2]) {
    await revoke([node], cid, bob.address)
    peers.pass(ms)
    expect(await repair(node, cid)).toBe('undecided')
  }
  await revoke([3, 4], cid, bob.address)
  for (const node of [1, 2, 3, 4]) expect((await stateOf(node, cid)).sharedTo).toEqual([])
  // The owner decides here: for the revocation, and for the state of three nodes.
  expect(await repair(5, cid, alice)).toBe('undecided')
  await revoke([5], cid, bob.address)
  await share([2, 3, 4], cid, bob.address)
  expect(await repair(1, cid)).toBe('undecided')
  expect(await repair(1, cid, alice)).toBe('adopted')
  expect((await stateOf(1, cid)).sharedTo).toEqual([bob.address])
})

test('revokes a reader whom a node does not know there, too', async () => {
  const cid = freshCid()
  await saveAll(cid)
  await share([3, 4, 5], cid, bob.address)
  for (const node of [1, 2]) {
    const before = await stateOf(node, cid)
    for (let time = 0; time < 2; time++) await revoke([node], cid, bob.address, carol.address)
    expect(await stateOf(node, cid)).toEqual(before)
    expect((await describeRecord(peers.of(node), alice, cid)).revocations).toEqual([
      { address: bob.address, times: 1 },
      { address: carol.address, times: 1 },
    ])
    expect(await repair(node, cid)).toBe('undecided')
  }
  await revoke([3, 4], cid, bob.address)
  for (const node of [1, 2, 3, 4]) expect((await stateOf(node, cid)).sharedTo).toEqual([])
})

test('a recipient updates a node with changes that it missed, except to undo a revocation', async () => {
  const cid = freshCid()
  await saveAll(cid)
  await revoke(all, cid, carol.address)
  await share([1, 2, 3], cid, bob.address)
  expect(await repair(4, cid)).toBe('adopted')
  await share([1, 2, 3], cid, carol.address)
  expect(await repair(4, cid)).toBe('undecided')
  // The same revocation under the previous owner does not count.
  for (const node of [1, 2, 3]) await transferRecord(peers.of(node), alice, cid, callerOf('d').address, false)
  expect(await repair(4, cid)).toBe('adopted')
  expect((await stateOf(4, cid)).sharedTo).toEqual([bob.address, carol.address])
})

test.each([
  ['have been changed', conditions('1')],
  ['are those of the first save', conditions('0')],
])('a recipient does not undo a change of conditions that %s', async (_name, wanted) => {
  const cid = freshCid()
  await saveAll(cid, { conditions: conditions('0') })
  await share(all, cid, bob.address)
  await onEach([2, 3, 4, 5], (node) => changeConditions(peers.of(node), alice, cid, conditions('2')))
  await onEach([2, 3, 4, 5], (node) => changeConditions(peers.of(node), alice, cid, conditions('3')))
  await changeConditions(peers.of(1), alice, cid, wanted)
  expect(await repair(1, cid)).toBe('undecided')
  expect((await stateOf(1, cid)).row.conditions).toBe(wanted)
  expect(await repair(1, cid, alice)).toBe('adopted')
})

test('a recipient updates a node with conditions, even if its first save was repeated', async () => {
  const cid = freshCid()
  await saveAll(cid, { conditions: conditions('0') })
  await saveAll(cid, { conditions: conditions('0') })
  await share(all, cid, bob.address)
  await onEach([2, 3, 4], (node) => changeConditions(peers.of(node), alice, cid, conditions('1')))
  expect(await repair(1, cid)).toBe('adopted')
})

test('a recipient undoes neither a retirement nor a transfer', async () => {
  const [retired, given] = [freshCid(), freshCid()]
  for (const cid of [retired, given]) {
    await saveAll(cid)
    await share(all, cid, bob.address)
    await countMore([2, 3, 4, 5], cid)
  }
  await retireRecord(peers.of(1), alice, retired, undefined)
  await transferRecord(peers.of(1), alice, given, carol.address, true)
  for (const cid of [retired, given]) expect(await repair(1, cid)).toBe('undecided')
  expect((await stateOf(1, retired)).row.state).toBe('retired')
  expect((await stateOf(1, given)).row.owner).toBe(carol.address)
})

test('a restored node does not undo a later revocation, and withdraws one that its backup has', async () => {
  const [since, before] = [freshCid(), freshCid()]
  for (const cid of [since, before]) await saveAll(cid)
  await revoke(all, before, bob.address)
  await share([2, 3, 4, 5], before, bob.address)
  await share(all, since, bob.address)
  await countMore([2, 3, 4, 5], since)
  peers.pass(1)
  const { db, clock } = peers.of(1)
  await db.write((trx) =>
    trx.updateTable('key').set({ restored_at: clock.now() }).where('cid', 'in', [since, before]).execute(),
  )
  await revoke([1], since, bob.address)
  for (const cid of [since, before]) await confirmRestored(peers.of(1), cid)
  expect((await stateOf(1, since)).sharedTo).toEqual([])
  expect((await stateOf(1, before)).sharedTo).toEqual([bob.address])
})

test('a restored node with a revocation that three nodes do not have keeps it, and stays unconfirmed', async () => {
  const cid = freshCid()
  await saveAll(cid)
  await share(all, cid, bob.address)
  await revoke([1], cid, bob.address)
  peers.pass(1)
  await markRestored(cid)
  await confirmRestored(peers.of(1), cid)
  const { row, sharedTo } = await stateOf(1, cid)
  expect([sharedTo, row.restored_at]).toEqual([[], expect.any(Number)])
})

test('a restored node that no three nodes confirm keeps what all prove, and only for its owner', async () => {
  const [shared, given] = [freshCid(), freshCid()]
  for (const cid of [shared, given]) {
    await saveAll(cid, { conditions: conditions('0') })
    await share(all, cid, bob.address, carol.address)
    await markRestored(cid)
  }
  await revoke([2, 3], shared, bob.address)
  await onEach([2, 3], (node) => changeConditions(peers.of(node), alice, shared, conditions('1')))
  expect(await repair(1, shared)).toBe('undecided')
  expect((await stateOf(1, shared)).row.restored_at).not.toBeNull()
  expect(await repair(1, shared, alice)).toBe('adopted')
  const { row, sharedTo } = await stateOf(1, shared)
  expect([row.restored_at, row.conditions, sharedTo]).toEqual([null, null, [carol.address]])
  await onEach([2, 3], (node) => transferRecord(peers.of(node), alice, given, bob.address, false))
  expect(await repair(1, given, alice)).toBe('undecided')
})

test('a restored node gives a reader nothing that was revoked after the backup', async () => {
  const cid = freshCid()
  await saveAll(cid)
  await share(all, cid, bob.address)
  await revoke([2, 3, 4, 5], cid, bob.address)
  await markRestored(cid)
  const works = new Map<string, unknown>()
  const bind: Bind = (call, work) => {
    works.set(call.id, work)
  }
  bindShardCalls(bind, peers.of(1), () => undefined)
  const retrieve = works.get(retrieveShard.id) as Work<typeof retrieveShard>
  const input = { params: { node: '1' }, body: { address: bob.address, cid } } as const
  const { signal } = new AbortController()
  const answer = retrieve({ input, caller: bob, signal, ip: '127.0.0.1' })
  await expect(answer).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  expect((await stateOf(1, cid)).sharedTo).toEqual([])
})
