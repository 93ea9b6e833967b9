import { zeroAddress } from '@cairn/protocol'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { startBackground } from '../background.ts'
import type { Caller, Context } from '../context.ts'
import { requireAccess } from './access/access.ts'
import { retrieveRecord } from './access/retrieve.ts'
import { changeConditions } from './changes/conditions-of.ts'
import { retireRecord } from './changes/retire.ts'
import { saveRecord } from './changes/save.ts'
import { revokeRecord, shareRecord } from './changes/share.ts'
import { transferRecord } from './changes/transfer.ts'
import { createCids } from './cids.fixture.ts'
import { callerOf, type FivePeers, startFivePeers } from './peers/peers.fixture.ts'
import { promoteRecord } from './peers/promote.ts'
import { repairRecord } from './peers/repair.ts'
import { describeRecord } from './status.ts'
import { findOtherSets, findRecord, isCreatorFull } from './store.ts'
import { createKeySweep } from './sweep.ts'

const day = 24 * 3_600_000
const all = [1, 2, 3, 4, 5]
const alice = callerOf('a')
const bob = callerOf('b')
const carol = callerOf('c')
let peers: FivePeers

beforeAll(async () => {
  peers = await startFivePeers()
})
afterAll(() => peers?.[Symbol.asyncDispose]())

const freshCid = createCids('rights')

type Extra = { conditions?: string; isOwnerless?: boolean }
const save = (node: number, cid: string, caller: Caller = alice, key = 'k', extra: Extra = {}) =>
  saveRecord(peers.of(node), caller, {
    cid,
    cidAsGiven: cid,
    payload: { key, index: '1' },
    set: undefined,
    sharedTo: [],
    ...extra,
  })
const rowOf = async (node: number, cid: string) => (await findRecord(peers.of(node).db.read, cid))?.row

async function saveAll(cid: string): Promise<void> {
  for (const node of all) await save(node, cid)
  for (const node of all) await promoteRecord(peers.of(node), cid)
}

test('the old owner finishes a transfer on nodes that learned of it from their peers', async () => {
  const cid = freshCid()
  await saveAll(cid)
  for (const node of [1, 2, 3]) await transferRecord(peers.of(node), alice, cid, bob.address, true)
  expect((await repairRecord(peers.of(4), bob, cid))?.outcome).toBe('adopted')
  expect((await repairRecord(peers.of(5), alice, cid))?.outcome).toBe('adopted')
  for (const node of all) {
    const { version } = await transferRecord(peers.of(node), alice, cid, bob.address, true)
    expect(version).toBe((await rowOf(node, cid))?.version)
    expect((await describeRecord(peers.of(node), alice, cid)).owner).toBe(bob.address)
    await expect(transferRecord(peers.of(node), alice, cid, carol.address, true)).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
    })
    await expect(transferRecord(peers.of(node), carol, cid, bob.address, true)).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
    })
  }
})

test('a repeated transfer succeeds only while the recipient owns the file, and for 30 days', async () => {
  const cid = freshCid()
  await saveAll(cid)
  for (const node of all) await transferRecord(peers.of(node), alice, cid, bob.address, true)
  await transferRecord(peers.of(1), alice, cid, bob.address, true)
  peers.pass(31 * day)
  await expect(transferRecord(peers.of(2), alice, cid, bob.address, true)).rejects.toMatchObject({
    code: 'ACCESS_DENIED',
  })
  peers.pass(-31 * day)
  await expect(transferRecord(peers.of(1), alice, cid, bob.address, false)).rejects.toMatchObject({
    code: 'ACCESS_DENIED',
  })
  await transferRecord(peers.of(1), bob, cid, carol.address, true)
  await expect(transferRecord(peers.of(1), alice, cid, bob.address, true)).rejects.toMatchObject({
    code: 'ACCESS_DENIED',
  })
  expect((await rowOf(1, cid))?.owner).toBe(carol.address)
})

test('only owners, previous owners and recipients can repair', async () => {
  const cid = freshCid()
  await saveAll(cid)
  for (const node of [1, 2, 3]) await shareRecord(peers.of(node), alice, cid, [bob.address])
  await expect(repairRecord(peers.of(4), carol, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  expect((await rowOf(4, cid))?.version).toBe(1)
  expect((await repairRecord(peers.of(4), bob, cid))?.outcome).toBe('adopted')
  expect((await repairRecord(peers.of(5), alice, cid))?.outcome).toBe('adopted')
  expect(await repairRecord(peers.of(5), alice, freshCid())).toBeUndefined()
})

test('a save that left a key to its conditions can be repeated after any change, with the same key only', async () => {
  const cid = freshCid()
  await saveAll(cid)
  const rules = { conditions: '{"aggregator":"","conditions":[]}', isOwnerless: true }
  const again = callerOf('a', 'another session')
  for (const node of all) await save(node, cid, again, `new${node}`, rules)
  for (const node of all) await promoteRecord(peers.of(node), cid)
  for (const node of all) {
    const row = await rowOf(node, cid)
    expect(row).toMatchObject({ owner: zeroAddress, set_id: 'auth:another session' })
    expect(await save(node, cid, again, `new${node}`, rules)).toEqual({ version: row?.version })
    await expect(save(node, cid, again, 'other', rules)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
    await expect(save(node, cid, alice, `new${node}`, rules)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
    await expect(
      save(node, cid, again, `new${node}`, { ...rules, conditions: '{"aggregator":"x","conditions":[]}' }),
    ).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  }
})

test('the limit of an address counts what it created, not what it received or transferred', async () => {
  const maker = callerOf('d')
  const first = freshCid()
  const second = freshCid()
  const { db } = peers.of(1)
  await save(1, first, maker)
  await save(1, second, maker)
  await transferRecord(peers.of(1), maker, first, callerOf('e').address, true)
  expect(await isCreatorFull(db.read, maker.address, 2)).toBe(true)
  expect(await isCreatorFull(db.read, maker.address, 3)).toBe(false)
  expect(await isCreatorFull(db.read, callerOf('e').address, 1)).toBe(false)
})

test('keeps both a change and a repair that have the same version', async () => {
  const cid = freshCid()
  await saveAll(cid)
  for (const node of [1, 2, 3]) await transferRecord(peers.of(node), alice, cid, bob.address, true)
  // Node 4 has its own change at the version that its peers state.
  await shareRecord(peers.of(4), alice, cid, [carol.address])
  expect((await repairRecord(peers.of(4), bob, cid))?.outcome).toBe('adopted')
  const { db } = peers.of(4)
  const kinds = await db.read
    .selectFrom('change')
    .select(['seq', 'kind'])
    .where('cid', '=', cid)
    .orderBy('seq')
    .execute()
  expect(kinds).toEqual([
    { seq: 1, kind: 'save' },
    { seq: 2, kind: 'share' },
    { seq: 3, kind: 'repair' },
  ])
  await transferRecord(peers.of(4), alice, cid, bob.address, true)
})

test('a repair does not undo a change that arrives while it runs', async () => {
  const cid = freshCid()
  await saveAll(cid)
  for (const node of all) await shareRecord(peers.of(node), alice, cid, [bob.address])
  for (const node of [2, 3, 4, 5]) await shareRecord(peers.of(node), alice, cid, [carol.address])
  // The peers answered; before their answer is adopted, the owner revokes the right on both.
  const { db } = peers.of(1)
  const slow: Context = {
    ...peers.of(1),
    db: {
      ...db,
      async write(unit) {
        await revokeRecord(peers.of(1), alice, cid, [bob.address, carol.address])
        return db.write(unit)
      },
    },
  }
  expect((await repairRecord(slow, bob, cid))?.outcome).toBe('undecided')
  expect((await findRecord(db.read, cid))?.sharedTo).toEqual([])
})

test('a file keeps its last thousand changes', async () => {
  const cid = freshCid()
  await save(1, cid)
  const { db } = peers.of(1)
  for (let turn = 0; turn < 510; turn++) {
    await shareRecord(peers.of(1), alice, cid, [bob.address])
    await revokeRecord(peers.of(1), alice, cid, [bob.address])
  }
  const seqs = await db.read.selectFrom('change').select('seq').where('cid', '=', cid).orderBy('seq').execute()
  expect(seqs.map(({ seq }) => seq)).toEqual(Array.from({ length: 1000 }, (_seq, i) => i + 22))
})

test('a hundred unconfirmed records do not delay any other in the sweep', async () => {
  const sweep = createKeySweep(peers.of(1))
  const squatter = callerOf('f')
  for (let i = 0; i < 110; i++) await save(1, freshCid(), squatter)
  const cids = [freshCid(), freshCid(), freshCid()]
  for (const cid of cids) for (const node of all) await save(node, cid)
  peers.pass(120_000)
  await sweep(new AbortController().signal)
  await sweep(new AbortController().signal)
  for (const cid of cids) expect((await rowOf(1, cid))?.state).toBe('held')
})

test('a set on one node that two do not know expires after 30 days; one on three nodes comes into force', async () => {
  const lost = freshCid()
  const kept = freshCid()
  await saveAll(lost)
  await saveAll(kept)
  const later = callerOf('a', 'later')
  for (const node of [1, 2]) await save(node, lost, later, 'new')
  for (const node of [1, 2, 3]) await save(node, kept, later, 'new')
  const sets = async (cid: string) => (await findOtherSets(peers.of(1).db.read, cid)).map(({ kind }) => kind)
  const sweep = createKeySweep(peers.of(1))
  peers.pass(29 * day)
  for (let round = 0; round < 3; round++) await sweep(new AbortController().signal)
  expect(await sets(lost)).toEqual(['pending'])
  expect(await sets(kept)).toEqual(['previous'])
  expect((await rowOf(1, kept))?.set_id).toBe('auth:later')
  peers.pass(2 * day)
  // Records of the previous test are checked, too: 100 per round.
  for (let round = 0; round < 3; round++) await sweep(new AbortController().signal)
  expect(await sets(lost)).toEqual([])
  expect((await rowOf(1, lost))?.set_id).toBe(`auth:${alice.challengeId}`)
})

test('a first save that never reached three nodes expires after a day, and not before', async () => {
  const cid = freshCid()
  const alone = freshCid()
  const squatter = callerOf('e', 'squatting')
  await save(5, cid, squatter)
  await save(5, alone, squatter)
  for (const node of [1, 2, 3, 4]) await save(node, cid)
  await expect(save(5, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  const sweep = createKeySweep(peers.of(5))
  peers.pass(23 * 3_600_000)
  await sweep(new AbortController().signal)
  expect((await rowOf(5, cid))?.owner).toBe(squatter.address)
  expect((await rowOf(5, alone))?.state).toBe('provisional')
  peers.pass(2 * 3_600_000)
  await sweep(new AbortController().signal)
  expect(await rowOf(5, cid)).toBeUndefined()
  expect(await rowOf(5, alone)).toBeUndefined()
  expect(await save(5, cid)).toEqual({ version: 1 })
  expect((await rowOf(5, cid))?.owner).toBe(alice.address)
})

test('a retired key stays readable by its owner for 30 days and is then destroyed on disk', async () => {
  const cid = freshCid()
  await saveAll(cid)
  await shareRecord(peers.of(2), alice, cid, [bob.address])
  await retireRecord(peers.of(2), alice, cid, undefined)
  const record = async () => {
    const found = await findRecord(peers.of(2).db.read, cid)
    if (found === undefined) throw new Error('the record is gone')
    return found
  }
  const ask = (address: string) => ({ address, dynamicData: undefined, ip: '127.0.0.1' })
  const sweep = createKeySweep(peers.of(2))
  peers.pass(29 * day)
  await sweep(new AbortController().signal)
  await expect(requireAccess(peers.of(2), await record(), ask(bob.address))).rejects.toMatchObject({
    code: 'ACCESS_DENIED',
  })
  await requireAccess(peers.of(2), await record(), ask(alice.address))
  expect((await retrieveRecord(peers.of(2), await record(), true)).payload).toEqual({ key: 'k', index: '1' })
  peers.pass(2 * day)
  await sweep(new AbortController().signal)
  expect((await record()).row.sealed).toBeNull()
  await expect(retrieveRecord(peers.of(2), await record(), true)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' })
})

test('a node whose clock is ahead when it starts destroys no retired key', async () => {
  const cid = freshCid()
  await saveAll(cid)
  await retireRecord(peers.of(2), alice, cid, undefined)
  const node = { ...peers.of(2), clock: { now: () => Date.now() + 400 * day } }
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const background = startBackground(node)
  vi.advanceTimersByTime(60_000)
  await background[Symbol.asyncDispose]()
  expect((await rowOf(2, cid))?.sealed).not.toBeNull()
})

test.each([0, 1, 2, 3, 4, 5])(
  'another key saved again on %i nodes is in force if three have it, and pending beside the old one otherwise',
  async (reached) => {
    const cid = freshCid()
    await saveAll(cid)
    const later = callerOf('a', `anew on ${reached}`)
    for (const node of all.slice(0, reached)) await save(node, cid, later, `new${node}`)
    for (const node of all) await promoteRecord(peers.of(node), cid)
    for (const node of all) {
      const found = await findRecord(peers.of(node).db.read, cid)
      if (found === undefined) throw new Error('the record is gone')
      const { payload, alternatives } = await retrieveRecord(peers.of(node), found, true)
      const hasNew = node <= reached
      const isNew = hasNew && reached >= 3
      expect([node, payload.key]).toEqual([node, isNew ? `new${node}` : 'k'])
      expect(alternatives?.map((other) => other.payload.key)).toEqual(hasNew ? [isNew ? 'k' : `new${node}`] : [])
    }
  },
)

test('a retired key cannot be transferred or read, and names the successor of its file', async () => {
  const cid = freshCid()
  const successor = freshCid()
  await saveAll(cid)
  for (const node of all) await shareRecord(peers.of(node), alice, cid, [bob.address])
  await retireRecord(peers.of(1), alice, cid, successor)
  await retireRecord(peers.of(2), alice, cid, undefined)
  const refusal = { code: 'KEY_RETIRED', details: { successor } }
  await expect(transferRecord(peers.of(1), alice, cid, bob.address, true)).rejects.toMatchObject(refusal)
  await expect(shareRecord(peers.of(1), alice, cid, [carol.address])).rejects.toMatchObject(refusal)
  await expect(changeConditions(peers.of(1), alice, cid, '{"conditions":[]}')).rejects.toMatchObject(refusal)
  await expect(transferRecord(peers.of(2), alice, cid, bob.address, true)).rejects.toMatchObject({
    code: 'KEY_RETIRED',
  })
  // Revocations work as before, and others learn nothing.
  await revokeRecord(peers.of(1), alice, cid, [bob.address])
  await changeConditions(peers.of(1), alice, cid, null)
  await expect(transferRecord(peers.of(1), bob, cid, carol.address, true)).rejects.toMatchObject({
    code: 'ACCESS_DENIED',
  })
  expect(await rowOf(1, cid)).toMatchObject({ owner: alice.address, state: 'retired', successor })
})

test('a transfer from before the retirement of the key can be repeated', async () => {
  const cid = freshCid()
  await saveAll(cid)
  await transferRecord(peers.of(1), alice, cid, bob.address, true)
  await retireRecord(peers.of(1), bob, cid, undefined)
  await transferRecord(peers.of(1), alice, cid, bob.address, true)
  expect(await rowOf(1, cid)).toMatchObject({ owner: bob.address, state: 'retired' })
})

test('the owner can withdraw a transfer on too few nodes once it can no longer be in transit', async () => {
  const cid = freshCid()
  await saveAll(cid)
  await transferRecord(peers.of(5), alice, cid, bob.address, true)
  const { version } = await describeRecord(peers.of(5), bob, cid)
  expect((await repairRecord(peers.of(5), alice, cid))?.outcome).toBe('undecided')
  expect((await repairRecord(peers.of(5), alice, cid, version - 1))?.outcome).toBe('undecided')
  expect((await repairRecord(peers.of(5), bob, cid, version))?.outcome).toBe('undecided')
  const early = await repairRecord(peers.of(5), alice, cid, version)
  expect(early).toMatchObject({ outcome: 'recent', version })
  expect((await describeRecord(peers.of(5), bob, cid)).settlesInMs).toBeGreaterThan(0)
  peers.pass(early?.retryAfterMs ?? 0)
  expect((await repairRecord(peers.of(5), alice, cid, version))?.outcome).toBe('adopted')
  expect((await rowOf(5, cid))?.owner).toBe(alice.address)
})

test('the only node that retired a key reopens it, even before its peers settle the save', async () => {
  const cid = freshCid()
  for (const node of all) await save(node, cid)
  const { version } = await retireRecord(peers.of(5), alice, cid, undefined)
  peers.pass(30_000)
  expect((await repairRecord(peers.of(5), alice, cid, version))?.outcome).toBe('adopted')
  expect((await rowOf(5, cid))?.state).toBe('provisional')
  expect((await rowOf(5, cid))?.digest).toBe((await rowOf(1, cid))?.digest)
})

test('a node reports known revocations only to the owner, and a repair counts as one', async () => {
  const cid = freshCid()
  await saveAll(cid)
  for (const node of all) await shareRecord(peers.of(node), alice, cid, [bob.address, carol.address])
  for (const node of [1, 2, 3]) await revokeRecord(peers.of(node), alice, cid, [bob.address])
  const once = [{ address: bob.address, times: 1 }]
  expect((await describeRecord(peers.of(1), alice, cid)).revocations).toEqual(once)
  expect((await describeRecord(peers.of(1), carol, cid)).revocations).toEqual([])
  expect((await describeRecord(peers.of(4), alice, cid)).revocations).toEqual([])
  expect((await repairRecord(peers.of(4), alice, cid))?.outcome).toBe('adopted')
  expect((await describeRecord(peers.of(4), alice, cid)).revocations).toEqual(once)
  // The new owner has revoked no one yet.
  await transferRecord(peers.of(1), alice, cid, bob.address, true)
  expect((await describeRecord(peers.of(1), bob, cid)).revocations).toEqual([])
})
