// What a sweep removes, and when: contradicted first saves, sets that too few nodes have, retired keys.
import { commitShards, generateKey } from '@cairn/crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller, Context } from '../context.ts'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { retrieveRecord } from './access/retrieve.ts'
import { retireRecord } from './changes/retire.ts'
import { saveRecord } from './changes/save.ts'
import { shareRecord } from './changes/share.ts'
import { transferRecord } from './changes/transfer.ts'
import { createCids } from './cids.fixture.ts'
import { callerOf, type FivePeers, startFivePeers } from './peers/peers.fixture.ts'
import { promoteRecord } from './peers/promote.ts'
import { findOtherSets, findRecord } from './store.ts'
import { createKeySweep } from './sweep.ts'

const hour = 3_600_000
const day = 24 * hour
const all = [1, 2, 3, 4, 5]
const owner = callerOf('a')
const squatter = callerOf('e')
const keySet = generateKey().keyShards
const shardSet = commitShards(keySet)
/** A squatter does not have the owner's key. */
const otherKeySet = generateKey().keyShards
const otherShardSet = commitShards(otherKeySet)

const freshCid = createCids('sweep')

describeOnDatabases('on %s', (prepare) => {
  describe('sweeps', () => {
    let peers: FivePeers
    beforeAll(async () => {
      peers = await startFivePeers(prepare)
    })
    afterAll(() => peers?.[Symbol.asyncDispose]())

    /** A node's shard, with its commitments unless another key is given. */
    const save = (node: number, cid: string, caller: Caller, key?: string, sharedTo: string[] = []) => {
      const isOwners = caller.address === owner.address
      const payload = (isOwners ? keySet : otherKeySet)[node - 1]
      const set = isOwners ? shardSet : otherShardSet
      if (payload === undefined) throw new RangeError(`There is no shard for node ${node}`)
      const shard = key === undefined ? { payload, set } : { payload: { key, index: '1' }, set: undefined }
      return saveRecord(peers.of(node), caller, { cid, cidAsGiven: cid, sharedTo, ...shard })
    }
    const fresh = async (sharedTo: string[] = []) => {
      const cid = freshCid()
      for (const node of all) await save(node, cid, owner, undefined, sharedTo)
      for (const node of all) await promoteRecord(peers.of(node), cid)
      return cid
    }
    const find = async (node: number, cid: string) => {
      const record = await findRecord(peers.of(node).db.read, cid)
      if (record === undefined) throw new Error(`node ${node} holds nothing`)
      return record
    }
    const rowsOf = async (node: number, cid: string) => {
      const { read } = peers.of(node).db
      const counts = await Promise.all(
        (['key', 'shared', 'other_set', 'change'] as const).map((table) =>
          read.selectFrom(table).select('cid').where('cid', '=', cid).execute(),
        ),
      )
      return counts.map((rows) => rows.length)
    }
    const sweeper = (node: number) => {
      const sweep = createKeySweep(peers.of(node))
      return () => sweep(new AbortController().signal)
    }

    test('an aborted sweep stops between two records, and the next one continues', async () => {
      const cids = [freshCid(), freshCid()].sort()
      for (const cid of cids) for (const node of all) await save(node, cid, owner)
      peers.pass(120_000)
      const sweep = createKeySweep(peers.of(3))
      const ended = AbortSignal.abort()
      await sweep(ended)
      for (const cid of cids) expect((await find(3, cid)).row.state).toBe('provisional')
      await sweep(new AbortController().signal)
      for (const cid of cids) expect((await find(3, cid)).row.state).toBe('held')
    })

    test('settles a record that was saved while the clock was ahead', async () => {
      const cid = freshCid()
      peers.pass(day)
      for (const node of all) await save(node, cid, owner)
      peers.pass(-day)
      await sweeper(3)()
      expect((await find(3, cid)).row.state).toBe('held')
    })

    test('removes the shard of a squatter at one node after a day, with its rights; then the owner can save', async () => {
      const cid = freshCid()
      const accomplice = callerOf('d').address
      await save(5, cid, squatter, undefined, [accomplice])
      for (const node of [1, 2, 3]) await save(node, cid, owner)
      await expect(save(5, cid, owner)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
      const sweep = sweeper(5)
      peers.pass(day - 1 - 60_000)
      await sweep()
      expect((await find(5, cid)).row).toMatchObject({ owner: squatter.address, state: 'provisional' })
      peers.pass(120_000)
      await sweep()
      expect(await rowsOf(5, cid)).toEqual([0, 0, 0, 0])
      expect(await save(5, cid, owner)).toEqual({ version: 1 })
      await promoteRecord(peers.of(5), cid)
      const { row, sharedTo } = await find(5, cid)
      expect(row).toMatchObject({ owner: owner.address, state: 'held', set_id: shardSet.id })
      expect(sharedTo).toEqual([])
      expect((await retrieveRecord(peers.of(5), await find(5, cid), false)).payload).toEqual(keySet[4])
    })

    test('a first save that was never settled and missed a transfer keeps its shard, and follows three nodes', async () => {
      const cid = freshCid()
      const next = callerOf('b')
      for (const node of all) await save(node, cid, owner, undefined, [callerOf('c').address])
      for (const node of [1, 2, 3, 4]) await transferRecord(peers.of(node), owner, cid, next.address, true)
      for (const node of [1, 2, 3, 4]) await promoteRecord(peers.of(node), cid)
      // While a change is in transit to the others, no three agree, so nothing is decided or removed.
      for (const node of [1, 2]) await shareRecord(peers.of(node), next, cid, [callerOf('d').address])
      peers.pass(2 * day)
      await sweeper(5)()
      expect((await find(5, cid)).row).toMatchObject({ owner: owner.address, state: 'provisional' })
      for (const node of [3, 4]) await shareRecord(peers.of(node), next, cid, [callerOf('d').address])
      await sweeper(5)()
      const record = await find(5, cid)
      expect(record.row).toMatchObject({ owner: next.address, state: 'held', digest: (await find(1, cid)).row.digest })
      expect(record.sharedTo).toEqual([callerOf('d').address])
      expect((await retrieveRecord(peers.of(5), record, false)).payload).toEqual(keySet[4])
    })

    test('keeps a record that three nodes confirm, however long it was pending', async () => {
      const cid = freshCid()
      for (const node of [1, 2, 3]) await save(node, cid, owner)
      await save(4, cid, squatter)
      peers.pass(40 * day)
      for (const node of [1, 2, 3, 4]) await sweeper(node)()
      for (const node of [1, 2, 3])
        expect((await find(node, cid)).row).toMatchObject({ state: 'held', owner: owner.address })
      expect(await rowsOf(4, cid)).toEqual([0, 0, 0, 0])
    })

    test('a CID that several squatters hold is free again after a day', async () => {
      const cid = freshCid()
      for (const node of [1, 2]) await save(node, cid, squatter)
      for (const node of [3, 4]) await save(node, cid, callerOf('9', 'another squatter'))
      await save(5, cid, owner)
      for (const node of [1, 2, 3, 4])
        await expect(save(node, cid, owner)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
      peers.pass(day + hour)
      for (const node of all) await sweeper(node)()
      for (const node of all) await save(node, cid, owner)
      for (const node of all) await promoteRecord(peers.of(node), cid)
      for (const node of all) expect((await find(node, cid)).row).toMatchObject({ owner: owner.address, state: 'held' })
    })

    test('a save on three nodes stays, even if a squatter has the other two', async () => {
      const cid = freshCid()
      for (const node of [1, 2, 3]) await save(node, cid, owner)
      for (const node of [4, 5]) await save(node, cid, squatter)
      peers.pass(2 * day)
      for (const node of all) await sweeper(node)()
      for (const node of [1, 2, 3]) expect((await find(node, cid)).row.owner).toBe(owner.address)
      for (const node of [4, 5]) expect(await rowsOf(node, cid)).toEqual([0, 0, 0, 0])
    })

    test('records on one node or on many do not delay others: each is settled in the fewest rounds', async () => {
      const lone: string[] = []
      for (let i = 0; i < 120; i++) lone.push(freshCid())
      for (const cid of lone) await save(2, cid, squatter, 'x')
      const confirmed = [freshCid(), freshCid(), freshCid()]
      const lost = [freshCid(), freshCid(), freshCid()]
      for (const cid of confirmed) for (const node of all) await save(node, cid, owner)
      for (const cid of lost) for (const node of all) await save(node, cid, node === 2 ? squatter : owner)
      peers.pass(day + hour)
      const sweep = sweeper(2)
      for (let round = 0; round < 3; round++) await sweep()
      for (const cid of confirmed) expect((await find(2, cid)).row.state).toBe('held')
      for (const cid of lost) expect(await rowsOf(2, cid)).toEqual([0, 0, 0, 0])
    })

    test('a record that cannot be settled does not delay any other', async () => {
      // Nothing else is undecided there.
      await using own = await startFivePeers(prepare)
      const cids = [freshCid(), freshCid(), freshCid()].sort()
      const shard = { payload: { key: 'k', index: '1' }, set: undefined, sharedTo: [] }
      for (const cid of cids)
        for (const context of own.all) await saveRecord(context, owner, { cid, cidAsGiven: cid, ...shard })
      own.pass(120_000)
      const { db } = own.of(1)
      let writes = 0
      const failing: Context = {
        ...own.of(1),
        db: {
          ...db,
          write(unit) {
            writes++
            // The first write removes old rows, the second writes the first record.
            return writes === 2 ? Promise.reject(new Error('this record cannot be written')) : db.write(unit)
          },
        },
      }
      const sweep = createKeySweep(failing)
      const states = async () => Promise.all(cids.map(async (cid) => (await findRecord(db.read, cid))?.row.state))
      await sweep(new AbortController().signal)
      expect(await states()).toEqual(['provisional', 'held', 'held'])
      await sweep(new AbortController().signal)
      expect(await states()).toEqual(['held', 'held', 'held'])
    })

    test('destroys a retired key after 30 days and not before, with all of its other sets', async () => {
      const cid = await fresh([callerOf('b').address])
      for (const node of all) await save(node, cid, callerOf('a', 'second'), 'second')
      for (const node of all) await promoteRecord(peers.of(node), cid)
      for (const node of [1, 2]) await save(node, cid, callerOf('a', 'third'), 'third')
      const kinds = async (node: number) =>
        (await findOtherSets(peers.of(node).db.read, cid)).map(({ kind }) => kind).sort()
      expect(await kinds(1)).toEqual(['pending', 'previous'])
      for (const node of all) await retireRecord(peers.of(node), owner, cid, undefined)
      expect((await find(3, cid)).sharedTo).toEqual([])
      peers.pass(30 * day - hour)
      for (const node of [1, 3]) {
        await sweeper(node)()
        expect((await retrieveRecord(peers.of(node), await find(node, cid), false)).payload.key).toBe('second')
      }
      peers.pass(2 * hour)
      for (const node of [1, 3]) {
        await sweeper(node)()
        await sweeper(node)()
        expect((await find(node, cid)).row).toMatchObject({ state: 'retired', sealed: null, owner: owner.address })
        expect(await kinds(node)).toEqual([])
        await expect((async () => retrieveRecord(peers.of(node), await find(node, cid), true))()).rejects.toMatchObject(
          { code: 'KEY_NOT_FOUND' },
        )
      }
      // Without a sweep, the shard still exists on that node.
      expect((await find(4, cid)).row.sealed).not.toBeNull()
    })

    test('keeps a retired key of a backup until its state is confirmed: its owner may have saved it again', async () => {
      const cid = await fresh()
      for (const node of all) await retireRecord(peers.of(node), owner, cid, undefined)
      for (const node of all.filter((one) => one !== 3)) await save(node, cid, callerOf('a', 'again'))
      const { db, clock } = peers.of(3)
      await db.write((trx) => trx.updateTable('key').set({ restored_at: clock.now() }).where('cid', '=', cid).execute())
      peers.pass(31 * day)
      await sweeper(3)()
      expect((await find(3, cid)).row).toMatchObject({ state: 'held', restored_at: null })
      const { payload } = await retrieveRecord(peers.of(3), await find(3, cid), false)
      expect(payload.key).toBe(keySet[2]?.key)
    })

    test('the CID of a destroyed key stays with its owner, who can save any key for it again', async () => {
      const same = await fresh()
      const other = await fresh()
      for (const cid of [same, other]) for (const node of all) await retireRecord(peers.of(node), owner, cid, undefined)
      peers.pass(31 * day)
      for (const node of all) await sweeper(node)()
      for (const cid of [same, other]) {
        for (const node of all) expect((await find(node, cid)).row.sealed).toBeNull()
        await expect(save(1, cid, squatter)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
      }
      for (const node of all) await save(node, same, callerOf('a', 'again'))
      for (const node of all) await save(node, other, callerOf('a', 'again'), 'again')
      for (const cid of [same, other]) for (const node of all) await promoteRecord(peers.of(node), cid)
      for (const node of all) {
        const read = async (cid: string) => {
          const { payload, alternatives } = await retrieveRecord(peers.of(node), await find(node, cid), true)
          return [payload.key, alternatives?.length]
        }
        expect((await find(node, same)).row).toMatchObject({ state: 'held', successor: null })
        expect(await read(same)).toEqual([keySet[node - 1]?.key, 0])
        expect(await read(other)).toEqual(['again', 0])
      }
    })

    test('removes shards of spare sets whose record never came after 30 days, and others with their key', async () => {
      const [cid, unknown, saved] = [await fresh(), freshCid(), freshCid()]
      const { db, clock } = peers.of(1)
      const row = (of: string, parts: Uint8Array | null) => {
        const spare = { set_id: 'set', spare_id: 'spare', spare_set: '{}', shard: new Uint8Array(1) }
        return { ...spare, cid: of, parts, saved_at: clock.now() }
      }
      const rows = [row(cid, null), row(unknown, null), row(saved, new Uint8Array(1))]
      await db.write((trx) => trx.insertInto('spare').values(rows).execute())
      const sweep = async () => {
        await sweeper(1)()
        const left = await db.read.selectFrom('spare').select('cid').where('set_id', '=', 'set').execute()
        return left.map((one) => one.cid).sort()
      }
      peers.pass(30 * day - hour)
      expect(await sweep()).toEqual([cid, unknown, saved].sort())
      peers.pass(2 * hour)
      expect(await sweep()).toEqual([cid, saved].sort())
      await retireRecord(peers.of(1), owner, cid, undefined)
      peers.pass(30 * day - hour)
      expect(await sweep()).toEqual([cid, saved].sort())
      peers.pass(2 * hour)
      expect(await sweep()).toEqual([saved])
    })

    test('a held record with a pending set stays although three nodes hold nothing', async () => {
      const cid = await fresh()
      await save(1, cid, callerOf('a', 'second'), 'second')
      for (const node of [2, 3, 4])
        await peers.of(node).db.write((trx) => trx.deleteFrom('key').where('cid', '=', cid).execute())
      peers.pass(2 * day)
      await sweeper(1)()
      expect((await find(1, cid)).row).toMatchObject({ state: 'held', owner: owner.address, set_id: shardSet.id })
    })

    test('a first save on two nodes stays while another node does not answer', async () => {
      const cid = freshCid()
      for (const node of [1, 2]) await save(node, cid, owner)
      peers.pass(2 * day)
      const url = peers.reroute(5, 'http://127.0.0.1:9')
      await sweeper(1)()
      peers.reroute(5, url)
      expect((await find(1, cid)).row.state).toBe('provisional')
      await sweeper(1)()
      expect(await rowsOf(1, cid)).toEqual([0, 0, 0, 0])
    })

    test('a pending set on two nodes stays while two others do not answer, however old it is', async () => {
      const cid = await fresh()
      for (const node of [1, 2]) await save(node, cid, callerOf('a', 'second'), 'second')
      const kinds = async () => (await findOtherSets(peers.of(1).db.read, cid)).map(({ kind }) => kind)
      peers.pass(31 * day)
      const urls = [3, 4].map((node) => [node, peers.reroute(node, 'http://127.0.0.1:9')] as const)
      await sweeper(1)()
      for (const [node, url] of urls) peers.reroute(node, url)
      expect(await kinds()).toEqual(['pending'])
      await sweeper(1)()
      expect(await kinds()).toEqual([])
    })

    test('keeps the previous set while another node has it in force', async () => {
      const cid = await fresh()
      const kindsAt = async (node: number) => (await findOtherSets(peers.of(node).db.read, cid)).map(({ kind }) => kind)
      for (const node of [1, 2, 3]) await save(node, cid, owner, 'new')
      for (const node of [1, 2]) await promoteRecord(peers.of(node), cid)
      peers.pass(31 * day)
      const sweep = sweeper(1)
      await sweep()
      expect(await kindsAt(1)).toEqual(['previous'])
      for (const node of [4, 5]) await save(node, cid, owner, 'new')
      for (const node of [3, 4, 5]) await promoteRecord(peers.of(node), cid)
      await sweep()
      expect(await kindsAt(1)).toEqual([])
    })

    test('keeps the previous set for 30 days from the day another came into force', async () => {
      const cid = await fresh()
      peers.pass(100 * day)
      for (const node of all) await save(node, cid, callerOf('a', 'second'), 'second')
      for (const node of all) await promoteRecord(peers.of(node), cid)
      const before = async () => (await findOtherSets(peers.of(1).db.read, cid)).length
      peers.pass(30 * day - hour)
      await sweeper(1)()
      expect(await before()).toBe(1)
      peers.pass(2 * hour)
      await sweeper(1)()
      expect(await before()).toBe(0)
      expect((await retrieveRecord(peers.of(1), await find(1, cid), true)).payload.key).toBe('second')
    })
  })
})
