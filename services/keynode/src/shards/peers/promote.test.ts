// Statements of nodes about pending, current and previous sets, wherever the saving of another key is interrupted.
import { commitShards, dealSpare, generateKey } from '@cairn/crypto'
import type { KeyShard, ShardSet } from '@cairn/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../../context.ts'
import { describeOnDatabases } from '../../on-databases.fixture.ts'
import { retrieveRecord } from '../access/retrieve.ts'
import { type SavedShard, saveRecord } from '../changes/save.ts'
import { shareRecord } from '../changes/share.ts'
import { transferRecord } from '../changes/transfer.ts'
import { createCids } from '../cids.fixture.ts'
import { hasSpare } from '../spares.ts'
import { describeRecord } from '../status.ts'
import { findRecord } from '../store.ts'
import { callerOf, type FivePeers, startFivePeers } from './peers.fixture.ts'
import { promoteRecord } from './promote.ts'
import { repairRecord } from './repair.ts'
import { makeStatement } from './statement.ts'

const all = [1, 2, 3, 4, 5]
const owner = callerOf('a', 'first')
const later = callerOf('a', 'later')
const latest = callerOf('a', 'latest')
const friend = callerOf('b')

const freshCid = createCids('promote')

describeOnDatabases('on %s', (prepare) => {
  describe('promotions', () => {
    let peers: FivePeers
    beforeAll(async () => {
      peers = await startFivePeers(prepare)
    })
    afterAll(() => peers?.[Symbol.asyncDispose]())

    type Shard = { payload: KeyShard; set?: ShardSet }
    const save = (node: number, cid: string, caller: Caller, key: string | Shard) =>
      saveRecord(peers.of(node), caller, {
        cid,
        cidAsGiven: cid,
        sharedTo: [],
        set: undefined,
        ...(typeof key === 'string' ? { payload: { key: `${key}${node}`, index: `${node}` } } : key),
      })
    const saveOn = async (nodes: readonly number[], cid: string, caller: Caller, key: string) => {
      for (const node of nodes) await save(node, cid, caller, key)
    }
    const promote = async (cid: string, nodes: readonly number[] = all) => {
      for (const node of nodes) await promoteRecord(peers.of(node), cid)
    }
    const state = async (node: number, cid: string) => {
      const stated = await makeStatement(peers.of(node), cid)
      if (stated === undefined) throw new Error(`node ${node} holds nothing`)
      return stated
    }
    /** The key in force, and the others. */
    const keysOf = async (node: number, cid: string) => {
      const record = await findRecord(peers.of(node).db.read, cid)
      if (record === undefined) throw new Error(`node ${node} holds nothing`)
      const { payload, alternatives } = await retrieveRecord(peers.of(node), record, true)
      return [payload.key, ...(alternatives ?? []).map((other) => other.payload.key)]
    }
    const fresh = async () => {
      const cid = freshCid()
      await saveOn(all, cid, owner, 'old')
      await promote(cid)
      return cid
    }

    test.each([0, 1, 2, 3, 4])(
      'another key saved on %i nodes is reported as such, and a repeated call completes it',
      async (reached) => {
        const cid = await fresh()
        const { digest: before } = await state(1, cid)
        await saveOn(all.slice(0, reached), cid, later, 'new')
        for (const node of all) {
          expect(await state(node, cid)).toMatchObject({
            setId: 'auth:first',
            pendingSetIds: node <= reached ? ['auth:later'] : [],
            state: 'held',
            // A pending set grants no rights: nodes still agree.
            digest: before,
          })
        }
        await promote(cid)
        const isEnough = reached >= 3
        for (const node of all) {
          const has = node <= reached
          expect(await state(node, cid)).toMatchObject({
            setId: has && isEnough ? 'auth:later' : 'auth:first',
            pendingSetIds: has && !isEnough ? ['auth:later'] : [],
            state: 'held',
          })
        }
        if (isEnough) expect((await state(1, cid)).digest).not.toBe(before)
        // A node that never received its shard cannot get it from another node.
        if (isEnough) expect((await repairRecord(peers.of(5), owner, cid))?.outcome).toBe('unable')
        await saveOn(all, cid, later, 'new')
        await promote(cid)
        const stated = await Promise.all(all.map((node) => state(node, cid)))
        expect(new Set(stated.map(({ digest }) => digest)).size).toBe(1)
        for (const node of all) {
          expect(stated[node - 1]).toMatchObject({ setId: 'auth:later', pendingSetIds: [] })
          expect(await keysOf(node, cid)).toEqual([`new${node}`, `old${node}`])
        }
      },
    )

    test('the newest of two waiting sets is put in force, although the clock was set back in between', async () => {
      const cid = await fresh()
      peers.pass(86_400_000)
      await saveOn([1, 2, 3], cid, later, 'earlier')
      peers.pass(-86_400_000)
      await saveOn(all, cid, latest, 'newest')
      await promote(cid)
      for (const node of all) {
        expect(await state(node, cid)).toMatchObject({ setId: 'auth:latest', pendingSetIds: [] })
        expect(await keysOf(node, cid)).toEqual([`newest${node}`, `old${node}`])
      }
    })

    test('a first save that comes from a backup is not promoted until it is confirmed', async () => {
      const cid = freshCid()
      await saveOn(all, cid, owner, 'old')
      const { db, clock } = peers.of(1)
      await db.write((trx) => trx.updateTable('key').set({ restored_at: clock.now() }).where('cid', '=', cid).execute())
      await promote(cid)
      expect([(await state(2, cid)).state, (await findRecord(db.read, cid))?.row.state]).toEqual([
        'held',
        'provisional',
      ])
    })

    test('two nodes promote nothing, for any caller and any number of calls; the third does', async () => {
      const cid = await fresh()
      await saveOn([2, 5], cid, later, 'new')
      for (let round = 0; round < 3; round++) await promote(cid)
      for (const node of [2, 5]) expect(await keysOf(node, cid)).toEqual([`old${node}`, `new${node}`])
      await save(4, cid, later, 'new')
      // Each node decides by itself: a node that has not queried yet keeps its state.
      await promote(cid, [4])
      expect(await keysOf(4, cid)).toEqual(['new4', 'old4'])
      expect(await keysOf(2, cid)).toEqual(['old2', 'new2'])
      // The node where it is in force counts as a holder.
      await promote(cid, [2, 5])
      for (const node of [2, 4, 5]) expect((await state(node, cid)).setId).toBe('auth:later')
    })

    test('pending keys stay until a newer one is in force, and the last of the previous ones is kept', async () => {
      const cid = await fresh()
      await saveOn([1, 2], cid, later, 'second')
      peers.pass(1000)
      await saveOn(all, cid, latest, 'third')
      expect(await keysOf(1, cid)).toEqual(['old1', 'third1', 'second1'])
      await promote(cid)
      for (const node of all) expect(await keysOf(node, cid)).toEqual([`third${node}`, `old${node}`])
      await saveOn(all, cid, callerOf('a', 'once more'), 'fourth')
      await promote(cid)
      for (const node of all) expect(await keysOf(node, cid)).toEqual([`fourth${node}`, `third${node}`])
    })

    test('a newer key on two nodes does not replace one on three, whichever node is queried first', async () => {
      const cid = await fresh()
      for (const node of [1, 2, 3]) {
        await save(node, cid, later, 'new')
        await promote(cid, [node])
      }
      peers.pass(1000)
      for (const node of [1, 2]) {
        await save(node, cid, latest, 'newest')
        await promote(cid, [node])
      }
      await promote(cid)
      for (const node of [1, 2]) expect(await keysOf(node, cid)).toEqual([`new${node}`, `old${node}`, `newest${node}`])
      expect(await keysOf(3, cid)).toEqual(['new3', 'old3'])
      await save(3, cid, latest, 'newest')
      await promote(cid)
      for (const node of [1, 2, 3]) expect(await keysOf(node, cid)).toEqual([`newest${node}`, `new${node}`])
    })

    test('a pending set survives sharing and a new owner, and comes into force for the new owner', async () => {
      const cid = await fresh()
      await saveOn([1, 2], cid, later, 'new')
      for (const node of all) await shareRecord(peers.of(node), owner, cid, [friend.address])
      for (const node of all) await transferRecord(peers.of(node), owner, cid, friend.address, true)
      for (const node of [1, 2]) expect(await keysOf(node, cid)).toEqual([`old${node}`, `new${node}`])
      await expect(save(3, cid, later, 'new')).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
      await saveOn(all, cid, friend, 'friend')
      await promote(cid)
      for (const node of all) {
        expect(await state(node, cid)).toMatchObject({ owner: friend.address, setId: `auth:${friend.challengeId}` })
        expect(await keysOf(node, cid)).toEqual([`friend${node}`, `old${node}`])
      }
    })

    test('an earlier owner does not replace the key after a transfer that was withheld from one node', async () => {
      const cid = await fresh()
      await saveOn([1, 2], cid, later, 'other')
      for (const node of [1, 2, 4, 5]) await transferRecord(peers.of(node), owner, cid, friend.address, true)
      // It still belongs to the earlier owner here, and would be the third.
      await save(3, cid, later, 'other')
      await promote(cid)
      for (const node of all) expect((await keysOf(node, cid))[0]).toBe(`old${node}`)
      expect(await state(1, cid)).toMatchObject({ setId: 'auth:first', pendingSetIds: [] })
      expect((await repairRecord(peers.of(3), friend, cid))?.outcome).toBe('adopted')
      for (const node of all) {
        expect(await state(node, cid)).toMatchObject({ owner: friend.address, setId: 'auth:first', pendingSetIds: [] })
        expect((await describeRecord(peers.of(node), friend, cid)).pendingSetId).toBeNull()
      }
    })

    test('a transfer that arrives while the peers are queried leaves the key in force', async () => {
      const cid = await fresh()
      await saveOn([1, 2, 3], cid, later, 'other')
      const node = peers.of(1)
      const ask: typeof node.peers.ask = async (peer, asked) => {
        const answer = await node.peers.ask(peer, asked)
        await transferRecord(node, owner, cid, friend.address, true)
        return answer
      }
      await promoteRecord({ ...node, peers: { ask } }, cid)
      expect(await state(1, cid)).toMatchObject({ owner: friend.address, setId: 'auth:first', pendingSetIds: [] })
    })

    test('spare shards end with their owner, also on a node that missed the transfer, unless conditions follow', async () => {
      const { masterKey, keyShards } = generateKey()
      const [set, spares] = [commitShards(keyShards), dealSpare(masterKey)]
      const saveWithSpare = async (of: Partial<SavedShard> = {}) => {
        const cid = freshCid()
        for (const node of all) {
          const payload = keyShards[node - 1]
          if (payload === undefined) throw new Error('no shard')
          const shard = { cid, cidAsGiven: cid, sharedTo: [], set, payload, spare: spares[node - 1] }
          await saveRecord(peers.of(node), owner, { ...shard, ...of })
        }
        return cid
      }
      const sold = await saveWithSpare()
      const spareOf = async (node: number, { address }: Caller) =>
        (await describeRecord(peers.of(node), { ...owner, address }, sold)).hasSpare
      for (const node of all) expect(await spareOf(node, owner)).toBe(true)
      for (const node of [1, 2, 4, 5]) await transferRecord(peers.of(node), owner, sold, friend.address, true)
      expect((await repairRecord(peers.of(3), friend, sold))?.outcome).toBe('adopted')
      for (const node of all) expect(await spareOf(node, friend)).toBe(false)
      const conditions = JSON.stringify({ aggregator: '', chainType: 'EVM', conditions: [] })
      const left = await saveWithSpare({ conditions, isOwnerless: true })
      const record = await findRecord(peers.of(1).db.read, left)
      expect(record && (await hasSpare(peers.of(1).db.read, record.row))).toBe(true)
    })

    test('a key that is saved again and left to its conditions comes into force', async () => {
      const cid = await fresh()
      const conditions = JSON.stringify({ aggregator: '', chainType: 'EVM', conditions: [] })
      for (const node of all)
        await saveRecord(peers.of(node), later, {
          cid,
          cidAsGiven: cid,
          payload: { key: `new${node}`, index: `${node}` },
          set: undefined,
          sharedTo: [],
          conditions,
          isOwnerless: true,
        })
      await promote(cid)
      for (const node of all) expect((await keysOf(node, cid))[0]).toBe(`new${node}`)
    })

    test('sets with commitments are reported with them, which distinguishes sets of one session', async () => {
      const cid = freshCid()
      const sets = [generateKey(), generateKey()].map(({ keyShards }) => ({ keyShards, set: commitShards(keyShards) }))
      const [first, second] = sets
      if (first === undefined || second === undefined) throw new Error('no sets')
      const saveSet = async ({ keyShards, set }: typeof first, nodes: readonly number[]) => {
        for (const node of nodes) {
          const payload = keyShards[node - 1]
          if (payload === undefined) throw new Error('no shard')
          await save(node, cid, owner, { payload, set })
        }
      }
      await saveSet(first, all)
      await promote(cid)
      await saveSet(second, [1, 3])
      for (const node of all) {
        const pendingSetIds = [1, 3].includes(node) ? [second.set.id] : []
        expect(await state(node, cid)).toMatchObject({ setId: first.set.id, shardSet: first.set, pendingSetIds })
      }
      await saveSet(second, [1, 3, 5])
      await promote(cid)
      for (const node of [1, 3, 5])
        expect(await state(node, cid)).toMatchObject({ setId: second.set.id, shardSet: second.set, pendingSetIds: [] })
      for (const node of [2, 4]) expect(await state(node, cid)).toMatchObject({ setId: first.set.id })
    })

    test('a damaged pending key blocks neither the one in force nor the sweep of others', async () => {
      const cid = await fresh()
      await saveOn(all, cid, later, 'new')
      const { db } = peers.of(1)
      await db.write((trx) =>
        trx
          .updateTable('other_set')
          .set({ sealed: new Uint8Array(60) })
          .where('cid', '=', cid)
          .execute(),
      )
      await promote(cid)
      expect(await keysOf(1, cid)).toEqual(['old1'])
      for (const node of [2, 3, 4, 5]) expect(await keysOf(node, cid)).toEqual([`new${node}`, `old${node}`])
      // The owner's repair reports it and saves the key again.
      await expect(repairRecord(peers.of(1), owner, cid)).rejects.toMatchObject({ code: 'DATA_DAMAGED' })
      await saveOn(all, cid, latest, 'newest')
      await promote(cid)
      for (const node of all) expect((await keysOf(node, cid))[0]).toBe(`newest${node}`)
    })

    test('a first save is certain if three nodes name one owner, and not if two do', async () => {
      const cid = freshCid()
      await saveOn([1, 2], cid, owner, 'mine')
      await saveOn([4, 5], cid, friend, 'other')
      await promote(cid)
      for (const node of [1, 2, 4, 5]) expect((await state(node, cid)).state).toBe('provisional')
      await save(3, cid, owner, 'mine')
      await promote(cid)
      for (const node of [1, 2, 3])
        expect(await state(node, cid)).toMatchObject({ state: 'held', owner: owner.address })
      for (const node of [4, 5])
        expect(await state(node, cid)).toMatchObject({ state: 'provisional', owner: friend.address })
    })
  })
})
