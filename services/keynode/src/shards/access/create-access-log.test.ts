// Who opened a file or was refused: what a node records, for whom, how much and how long.
import { commitShards, generateKey } from '@cairn/crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Context } from '../../context.ts'
import { describeOnDatabases } from '../../on-databases.fixture.ts'
import { saveRecord } from '../changes/save.ts'
import { shareRecord } from '../changes/share.ts'
import { transferRecord } from '../changes/transfer.ts'
import { createCids } from '../cids.fixture.ts'
import { listEvents } from '../key-events.ts'
import { callerOf, type FivePeers, startFivePeers } from '../peers/peers.fixture.ts'
import { createAccessLog, maxAccessRows } from './create-access-log.ts'

const day = 24 * 3_600_000
const owner = callerOf('a')
const heir = callerOf('b')
const keySet = generateKey().keyShards
const shardSet = commitShards(keySet)

const freshCid = createCids('accesses')

describeOnDatabases('on %s', (prepare) => {
  describe('the access log', () => {
    let peers: FivePeers
    let node: Context
    beforeAll(async () => {
      peers = await startFivePeers(prepare)
      node = peers.of(1)
    })
    afterAll(() => peers?.[Symbol.asyncDispose]())

    const save = async () => {
      const cid = freshCid()
      const payload = keySet[0]
      if (payload === undefined) throw new Error('a key has five shards')
      await saveRecord(node, owner, { cid, cidAsGiven: cid, sharedTo: [], payload, set: shardSet })
      return cid
    }
    const rowsOf = (cid: string) => node.db.read.selectFrom('access').selectAll().where('cid', '=', cid).execute()

    test('aggregates what one address does within an hour, and keeps outcomes and addresses separate', async () => {
      const cid = await save()
      for (const address of ['0x1', '0x1', '0x2'])
        node.accesses.note({ cid, owner: owner.address, address, outcome: 'opened' })
      node.accesses.note({ cid, owner: owner.address, address: '0x1', outcome: 'denied' })
      await node.accesses.flush()
      node.accesses.note({ cid, owner: owner.address, address: '0x1', outcome: 'opened' })
      const { events } = await listEvents(node, owner.address, { cid })
      const listed = events.flatMap((event) =>
        'count' in event ? [`${event.kind} ${event.address} ${event.count}`] : [event.kind],
      )
      expect(listed.sort()).toEqual(['denied 0x1 1', 'opened 0x1 3', 'opened 0x2 1', 'save'])
    })

    test('lists the newest first, in pages, and the changes with the addresses they concern', async () => {
      const cid = await save()
      peers.pass(1000)
      await shareRecord(node, owner, cid, ['0x5', '0x6'])
      peers.pass(1000)
      node.accesses.note({ cid, owner: owner.address, address: '0x5', outcome: 'opened' })
      const first = await listEvents(node, owner.address, { cid, limit: 2 })
      expect(first.events.map(({ kind }) => kind)).toEqual(['opened', 'share'])
      expect(first.events[1]).toMatchObject({ addresses: ['0x5', '0x6'], address: owner.address })
      expect(first.hasMore).toBe(true)
      const before = first.events[1]?.at ?? 0
      const rest = await listEvents(node, owner.address, { cid, before, limit: 2 })
      expect(rest.events.map(({ kind }) => kind)).toEqual(['save'])
      expect(rest.hasMore).toBe(false)
    })

    test('is visible only to the owner of that time', async () => {
      const cid = await save()
      node.accesses.note({ cid, owner: owner.address, address: '0x7', outcome: 'opened' })
      await transferRecord(node, owner, cid, heir.address, true)
      node.accesses.note({ cid, owner: heir.address, address: '0x8', outcome: 'opened' })
      const before = await listEvents(node, owner.address, { cid })
      const after = await listEvents(node, heir.address, { cid })
      const readers = (list: typeof before) => list.events.flatMap((e) => ('count' in e ? [e.address] : []))
      expect([readers(before), readers(after)]).toEqual([['0x7'], ['0x8']])
      expect(before.events.map(({ kind }) => kind)).toContain('transfer')
    })

    test('is bounded per file, and refusals evict no opening', async () => {
      const cid = await save()
      node.accesses.note({ cid, owner: owner.address, address: '0x9', outcome: 'opened' })
      for (let i = 0; i < maxAccessRows + 20; i++) {
        node.accesses.note({ cid, owner: owner.address, address: `0xattacker${i}`, outcome: 'denied' })
        if (i % 100 === 0) peers.pass(1)
      }
      await node.accesses.flush()
      const rows = await rowsOf(cid)
      expect(rows.filter(({ outcome }) => outcome === 'opened')).toHaveLength(1)
      const denied = rows.filter(({ outcome }) => outcome === 'denied')
      expect(denied.length).toBeLessThanOrEqual(maxAccessRows)
      expect(denied.map(({ address }) => address)).toContain(`0xattacker${maxAccessRows + 19}`)
    })

    test('is deleted after the days set by the operator, at once if zero', async () => {
      const cid = await save()
      node.accesses.note({ cid, owner: owner.address, address: '0x3', outcome: 'opened' })
      await node.accesses.flush()
      peers.pass(89 * day)
      await node.accesses.sweep()
      expect(await rowsOf(cid)).toHaveLength(1)
      peers.pass(2 * day)
      await node.accesses.sweep()
      expect(await rowsOf(cid)).toHaveLength(0)

      node.accesses.note({ cid, owner: owner.address, address: '0x3', outcome: 'opened' })
      await node.accesses.flush()
      const off = createAccessLog(node, 0)
      off.note({ cid, owner: owner.address, address: '0x4', outcome: 'opened' })
      await off.flush()
      expect(await rowsOf(cid)).toHaveLength(1)
      await off.sweep()
      expect(await rowsOf(cid)).toHaveLength(0)
    })

    test('loses nothing while the database rejects writes', async () => {
      const cid = await save()
      let isAway = true
      const db: Context['db'] = {
        ...node.db,
        read: node.db.read,
        write: (unit) => (isAway ? Promise.reject(new Error('away')) : node.db.write(unit)),
      }
      const log = createAccessLog({ ...node, db }, 90)
      log.note({ cid, owner: owner.address, address: '0x1', outcome: 'opened' })
      await expect(log.flush()).rejects.toThrow('away')
      log.note({ cid, owner: owner.address, address: '0x1', outcome: 'opened' })
      isAway = false
      await log.flush()
      expect((await rowsOf(cid)).map(({ count }) => Number(count))).toEqual([2])
    })
  })
})
