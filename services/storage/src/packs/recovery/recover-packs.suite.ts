import { rename, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../db/database.ts'
import { repair } from '../../maintenance/repair.ts'
import { blockOf, createPackPlace, manyBlocks, type PackPlace, withCode } from '../pack.fixture.ts'
import { comparePacks, importPacks, recoverPacks, settleComparison } from '../packs.ts'

const day = 86_400_000

/** Packs and rows that do not match after a kill or a loss, on every database. */
export function recoverSuite(openEmpty: () => Promise<Database>): void {
  describe('recovery of packs', () => {
    let place: PackPlace
    beforeEach(async () => {
      place = await createPackPlace(await openEmpty())
    })
    afterEach(() => place.remove())

    test('rebuilds the index of a pack without rows from its own bytes', async () => {
      const blocks = manyBlocks(30, 1000)
      await place.store(blocks)
      await place.loseRows('upload_pack', 'block', 'pack')
      expect(await place.findings()).toMatchObject([{ kind: 'orphan-object' }, { kind: 'incomplete-upload' }])
      expect((await Array.fromAsync(repair(place)))[0]?.done).toEqual({
        kind: 'taken-in',
        blocks: 30,
        linkedUploads: 1,
      })
      expect(await place.findings({ readData: 1 })).toEqual([])
      for (const { cid, bytes } of blocks) expect(Buffer.compare(await place.reopen().get(cid), bytes)).toBe(0)
    })

    test('no start, round or repair removes a pack without rows, however incomplete or old', async () => {
      await place.store(manyBlocks(3, 1000))
      await place.store(manyBlocks(3, 1000, 2))
      const [torn = '', whole = ''] = await place.objectKeys()
      await truncate(join(place.folder, 'objects', torn), 2000)
      await place.loseRows('upload_pack', 'block', 'pack', 'upload')
      const objects = await place.restart()
      await expect(comparePacks({ ...place, objects })).rejects.toSatisfy(withCode('RECOVERY_NEEDED'))
      expect(await recoverPacks({ ...place, objects })).toEqual({ unfinishedObjects: 0, abandonedPacks: 0 })
      const done = (await Array.fromAsync(repair({ ...place, objects }))).map((step) => step.done.kind)
      expect(done.toSorted()).toEqual(['taken-in', 'unreadable'])
      place.clock.ms += 400 * day
      await recoverPacks({ ...place, objects })
      expect(await place.removeOld()).toBe(0)
      expect((await place.objectKeys()).toSorted()).toEqual([torn, whole].toSorted())
      expect(await place.findings()).toMatchObject([{ kind: 'orphan-object', objectKey: torn }])
    })

    test('removes a pack that a killed process did not record after the grace period, not before', async () => {
      const blocks = manyBlocks(3, 1000)
      const sealed = await place.seal(blocks)
      const objects = await place.restart()
      expect(await comparePacks({ ...place, objects })).toEqual({ unnamed: [], missing: [], returned: [] })
      expect(await recoverPacks({ ...place, objects })).toEqual({ unfinishedObjects: 0, abandonedPacks: 1 })
      expect(await recoverPacks({ ...place, objects })).toEqual({ unfinishedObjects: 0, abandonedPacks: 0 })
      // The process was not killed, only late: its commit fails on the row, and the client receives the error.
      await expect(place.record(sealed)).rejects.toSatisfy(withCode('CONFLICT'))
      place.clock.ms += day - 1
      expect(await place.removeOld()).toBe(0)
      expect(await place.objectKeys()).toHaveLength(1)
      place.clock.ms += 2
      expect(await place.removeOld()).toBe(1)
      expect(await place.objectKeys()).toEqual([])
      expect(await place.db.read.selectFrom('pack').selectAll().execute()).toEqual([])
    })

    test('keeps a pack that was recorded right before the kill, large or small', async () => {
      for (const blocks of [manyBlocks(3, 1000), manyBlocks(5000, 64)]) {
        const sealed = await place.seal(blocks)
        await place.record(sealed)
        // The unconfirmed note was not removed yet.
        await writeFile(join(place.folder, 'unconfirmed', `killed_${sealed.own?.objectKey.replaceAll('/', '_')}`), '')
      }
      const objects = await place.restart()
      expect(await recoverPacks({ ...place, objects })).toEqual({ unfinishedObjects: 0, abandonedPacks: 0 })
      expect([...(await objects.listUnconfirmed('all'))]).toEqual([])
      place.clock.ms += 2 * day
      expect(await place.removeOld()).toBe(0)
      expect(await place.findings({ readData: 1 })).toEqual([])
    })

    test('abandons a large unrecorded pack of a killed process with its rows', async () => {
      const blocks = manyBlocks(5000, 64)
      await place.seal(blocks)
      // Rows alone are no reason to remove it, regardless of their age.
      place.clock.ms += 2 * day
      expect(await place.removeOld()).toBe(0)
      const objects = await place.restart()
      expect(await recoverPacks({ ...place, objects })).toMatchObject({ abandonedPacks: 1 })
      expect(await place.reopen().has(blocks[7]?.cid ?? blockOf('').cid)).toBe(false)
      place.clock.ms += 2 * day
      expect(await place.removeOld()).toBe(1)
      expect(await place.db.read.selectFrom('block').select('multihash').execute()).toEqual([])
    })

    test('sets aside a few packs without rows that are older than the newest row, and continues the start', async () => {
      const lost = manyBlocks(3, 1000)
      const upload = await place.store(lost)
      place.clock.ms += 1000
      await place.store(manyBlocks(3, 1000, 2))
      await place.db.write(async (trx) => {
        const mine = trx.selectFrom('upload_pack').select('pack_id').where('upload_id', '=', upload)
        const packs = await trx.selectFrom('pack').select('id').where('id', 'in', mine).execute()
        const ids = packs.map(({ id }) => id)
        await trx.deleteFrom('upload').where('id', '=', upload).execute()
        await trx.deleteFrom('block').where('pack_id', 'in', ids).execute()
        await trx.deleteFrom('pack').where('id', 'in', ids).execute()
      })
      const comparison = await comparePacks(place)
      expect(comparison.unnamed).toHaveLength(1)
      await settleComparison(place, comparison)
      expect(await comparePacks(place)).toEqual({ unnamed: [], missing: [], returned: [] })
      place.clock.ms += 400 * day
      expect(await place.removeOld()).toBe(0)
      expect(await place.findings()).toMatchObject([{ kind: 'orphan-object' }])
      expect((await Array.fromAsync(importPacks(place))).map(({ kind }) => kind)).toEqual(['taken-in'])
      expect(
        Buffer.compare(await place.reopen().get(lost[1]?.cid ?? blockOf('').cid), lost[1]?.bytes ?? Buffer.of()),
      ).toBe(0)
      place.clock.ms += 400 * day
      expect(await place.removeOld()).toBe(0)
      expect(await place.findings({ readData: 1 })).toEqual([])
    })

    test('neither sets aside nor imports a pack whose upload is recorded meanwhile', async () => {
      const sealed = await place.seal(manyBlocks(3, 100))
      if (sealed.own === undefined) throw new Error('nothing was sealed')
      expect(await Array.fromAsync(importPacks(place))).toEqual([])
      await place.record(sealed)
      const { id, objectKey: key } = sealed.own
      await settleComparison(place, { unnamed: [{ id, key }], missing: [], returned: [] })
      expect(await place.findings({ readData: 1 })).toEqual([])
    })

    test('keeps an imported pack after an upload that relied on it is deleted', async () => {
      const blocks = manyBlocks(3, 1000)
      await place.store(blocks)
      await place.loseRows('upload_pack', 'block', 'pack', 'upload')
      expect(await Array.fromAsync(importPacks(place))).toMatchObject([{ kind: 'taken-in', linkedUploads: 0 }])
      await place.clearUpload(await place.store(blocks))
      expect(await place.objectKeys()).toHaveLength(1)
      place.clock.ms += 2 * day
      expect(await place.removeOld()).toBe(0)
      for (const { cid, bytes } of blocks) expect(Buffer.compare(await place.reopen().get(cid), bytes)).toBe(0)
    })

    test('stops the start at many packs without rows, or one younger than every row, and changes nothing', async () => {
      const stored = manyBlocks(12, 100)
      for (const block of stored) await place.store([block])
      const all = await place.db.read.selectFrom('pack').selectAll().orderBy('id').execute()
      const lose = (ids: readonly bigint[]) =>
        place.db.write(async (trx) => {
          await trx.deleteFrom('upload').execute()
          await trx.deleteFrom('block').where('pack_id', 'in', ids).execute()
          await trx.deleteFrom('pack').where('id', 'in', ids).execute()
        })
      await lose(all.slice(-1).map(({ id }) => id))
      const one = await comparePacks(place).catch((error: unknown) => error)
      expect(one).toSatisfy(withCode('RECOVERY_NEEDED'))
      expect(one).toMatchObject({
        message: expect.stringContaining('1 pack that'),
        hint: expect.stringContaining('npm run storage:recover'),
      })
      // All but the newest: none is younger than a row.
      await place.db.write((trx) => trx.insertInto('pack').values(all.slice(-1)).execute())
      await lose(all.slice(0, 9).map(({ id }) => id))
      const many = await comparePacks(place).catch((error: unknown) => error)
      expect(many).toMatchObject({ code: 'RECOVERY_NEEDED', details: { packs: 9 } })
      expect(await place.objectKeys()).toHaveLength(12)
      expect(await place.db.read.selectFrom('pack').select('id').where('hold', 'is not', null).execute()).toEqual([])
    })

    test('reports missing packs with rows, does not rely on them, and serves them again when they are back', async () => {
      const all = manyBlocks(30, 100)
      for (const block of all) await place.store([block])
      const keys = (await place.objectKeys()).toSorted()
      for (const key of keys.slice(5))
        await rename(join(place.folder, 'objects', key), join(place.folder, key.slice(-20)))
      const comparison = await comparePacks(place)
      expect(comparison.missing.map(({ objectKey }) => objectKey).toSorted()).toEqual(keys.slice(5))
      await settleComparison(place, comparison)
      expect(await comparePacks(place)).toEqual({ unnamed: [], missing: [], returned: [] })
      const packs = place.reopen()
      const read = await Promise.all(
        all.map(({ cid }) =>
          packs
            .get(cid)
            .then(() => 1)
            .catch(() => 0),
        ),
      )
      expect(read.reduce<number>((sum, one) => sum + one, 0)).toBe(5)
      expect(await place.db.read.selectFrom('pack').select('id').execute()).toHaveLength(30)
      // Lost content can be uploaded again: none of it counts as stored.
      const again = await place.seal([all.at(-1) ?? blockOf('')])
      expect(again.own?.blocks.count).toBe(1)
      await place.packs.discard(again)
      for (const key of keys.slice(5))
        await rename(join(place.folder, key.slice(-20)), join(place.folder, 'objects', key))
      const later = await comparePacks(place)
      expect(later.returned).toHaveLength(25)
      await settleComparison(place, later)
      for (const { cid, bytes } of all) expect(Buffer.compare(await place.reopen().get(cid), bytes)).toBe(0)
    })
  })
}
