import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectStore } from '@cairn/service/objects'
import { expect, test } from 'vitest'
import type { Database } from '../../db/database.ts'
import { repair } from '../../maintenance/repair.ts'
import { removeAllDoomed } from '../../objects/doomed-objects.ts'
import { holdRemovals } from '../../workers/removal-hold.ts'
import { scrubPacks } from '../checking/scrub.ts'
import { manyBlocks, type TestBlock } from '../pack.fixture.ts'
import { comparePacks, findRecovered, importPacks, settleComparison } from '../packs.ts'
import { day, describeMerging, flipBit } from './merge-world.fixture.ts'

/** Packs after they were merged, on one kind of database: deletions, damage, backups and a lost database. */
export function mergedSuite(openDatabase: () => Promise<Database>): void {
  describeMerging('merged packs', openDatabase, (world) => {
    test('stop serving deleted content after the grace period, and leave the disk when most of it is deleted', async () => {
      const { place, uploads, merge, objects, findings, readAll, isRead, mergedKey } = world()
      await merge()
      const first = await mergedKey()
      const gone = uploads.splice(0, 30)
      for (const { id } of gone) await place.clearUpload(id)
      expect(await isRead(gone[0]?.blocks[0])).toBe(true)
      place.clock.ms += day + 1
      expect(await place.removeOld()).toBe(30)
      for (const { blocks } of gone) expect(await isRead(blocks[0])).toBe(false)
      await readAll(place.reopen())
      expect(await merge()).toMatchObject({ merged: 1, packs: 10 })
      expect(await objects()).toContain(first)
      // The next round finds the first merged pack without packs.
      await merge()
      place.clock.ms += day + 1
      await removeAllDoomed({ ...place, clock: place.workerClock() })
      expect(await place.removeOld()).toBe(1)
      expect(await objects()).toHaveLength(1)
      expect(await objects()).not.toContain(first)
      await readAll(place.reopen())
      expect(await findings()).toEqual([])
      for (const { id } of uploads) await place.clearUpload(id)
      place.clock.ms += day + 1
      expect(await place.removeOld()).toBe(10)
      await merge()
      place.clock.ms += day + 1
      expect(await place.removeOld()).toBe(1)
      expect(await objects()).toEqual([])
      expect(await place.db.read.selectFrom('pack').select('id').execute()).toEqual([])
    })

    test('the bytes of a single deleted upload leave the disk after 30 days', async () => {
      const { place, uploads, merge, objects, readAll, mergedKey } = world()
      await merge()
      const first = await mergedKey()
      const [gone] = uploads.splice(3, 1)
      await place.clearUpload(gone?.id ?? '')
      place.clock.ms += day + 1
      expect(await place.removeOld()).toBe(1)
      expect(await merge()).toMatchObject({ merged: 0 })
      place.clock.ms += 29 * day
      expect(await merge()).toMatchObject({ merged: 1, packs: 39 })
      await merge()
      place.clock.ms += day + 1
      await removeAllDoomed({ ...place, clock: place.workerClock() })
      expect(await place.removeOld()).toBe(1)
      expect(await objects()).not.toContain(first)
      await readAll(place.reopen())
      place.clock.ms += 60 * day
      expect(await merge()).toMatchObject({ merged: 0 })
    })

    test('an upload that is deleted during a merge leaves nothing in the merged pack', async () => {
      const { place, uploads, merge, objects, readAll, mergedKey } = world()
      const [victim] = uploads.splice(5, 1)
      let isDeleted = false
      const deleteOne = async () => {
        if (!isDeleted) await place.clearUpload(victim?.id ?? '')
        isDeleted = true
      }
      const slow = { now: () => place.clock.now(), sleep: deleteOne }
      expect(await merge({ clock: slow })).toMatchObject({ merged: 0 })
      expect(await mergedKey()).toBe('')
      expect(await objects()).toHaveLength(40)
      expect(await merge()).toMatchObject({ merged: 1, packs: 39 })
      await readAll(place.reopen())
    })

    test('a flipped bit excludes its pack, and the others are merged', async () => {
      const { place, merge, objects } = world()
      const [key = ''] = await objects()
      await flipBit(join(place.folder, 'objects', key), 120)
      expect(await merge()).toMatchObject({ merged: 1, packs: 39 })
      expect(place.events.some((event) => event.type === 'pack-damaged' && event.objectKey === key)).toBe(true)
      expect(await merge()).toMatchObject({ merged: 0 })
    })

    test('readers and the scrubber find a flipped bit in a merged pack, and a start finds a missing pack', async () => {
      const { place, uploads, merge, findings, isRead, mergedKey, countMissing } = world()
      await merge()
      place.clock.ms += day + 1
      await removeAllDoomed({ ...place, clock: place.workerClock() })
      const path = join(place.folder, 'objects', await mergedKey())
      await flipBit(path, 120)
      place.objects.releaseFiles()
      const scrub = {
        ...place,
        clock: place.workerClock(),
        owner: 'one',
        bytesPerSecond: 1e9,
        onEvent: () => undefined,
      }
      expect(await scrubPacks(scrub, new AbortController().signal)).toMatchObject({ damagedBlocks: 1 })
      await flipBit(path, (await stat(path)).size - 3)
      place.objects.releaseFiles()
      expect(await findings()).toMatchObject([{ kind: 'damaged-blocks' }, { kind: 'pack-failures' }])
      await rm(path)
      place.objects.releaseFiles()
      expect(await isRead(uploads[7]?.blocks[0])).toBe(false)
      expect(await countMissing()).toBe(41)
    })

    test('a pack that is merged while the scrubber works through its batch does not count as missing', async () => {
      const { place, merge, readAll, countMissing } = world()
      let isMerged = false
      const objects: ObjectStore = {
        ...place.objects,
        async size(key) {
          if (!isMerged) {
            isMerged = true
            await merge({ graceMs: 0 })
            place.clock.ms += 1
            expect(await removeAllDoomed({ ...place, clock: place.workerClock() })).toBe(40)
          }
          return place.objects.size(key)
        },
      }
      const scrub = { ...place, objects, clock: place.workerClock(), owner: 'one', bytesPerSecond: 1e9 }
      expect(await scrubPacks(scrub, new AbortController().signal)).toMatchObject({ damagedBlocks: 0 })
      expect(await countMissing()).toBe(0)
      await readAll(place.reopen())
    })

    test.each(['a start', 'a repair'])('%s clears the mark of a pack whose merged pack is there', async (how) => {
      const { place, merge, readAll, isRead, uploads, findings, countMissing } = world()
      await merge()
      await place.db.write((trx) =>
        trx.updateTable('pack').set({ missing_at: 1 }).where('merged_id', 'is not', null).execute(),
      )
      expect(await isRead(uploads[7]?.blocks[0])).toBe(false)
      if (how === 'a start') await settleComparison(place, await comparePacks(place))
      else await Array.fromAsync(repair(place))
      expect(await countMissing()).toBe(0)
      await readAll(place.reopen())
      expect(await findings()).toEqual([])
    })

    test('a backup keeps replaced packs from being removed', async () => {
      const { place, merge, objects, mergedKey } = world()
      {
        await using _hold = await holdRemovals({ ...place, clock: place.workerClock() }, 'backup-1')
        await merge({ graceMs: 0 })
        place.clock.ms += 1
        expect(await removeAllDoomed({ ...place, clock: place.workerClock() })).toBe(0)
        expect(await objects()).toHaveLength(41)
      }
      expect(await removeAllDoomed({ ...place, clock: place.workerClock() })).toBe(40)
      expect(await objects()).toEqual([await mergedKey()])
    })

    test('a database from before a merge refers to the merged pack again, which cannot be discarded', async () => {
      const { place, merge, readAll, findings } = world()
      place.clock.ms -= 2 * day
      const privates: { id: string; blocks: TestBlock[] }[] = []
      for (let at = 0; at < 40; at++) {
        const blocks = manyBlocks(3, 200, 5000 + at)
        privates.push({ id: await place.storePrivate(blocks), blocks })
      }
      place.clock.ms += 2 * day
      await merge()
      place.clock.ms += day + 1
      expect(await removeAllDoomed({ ...place, clock: place.workerClock() })).toBe(80)
      // The rows from before the merge.
      await place.db.write(async (trx) => {
        await trx.updateTable('pack').set({ merged_id: null, merged_offset_bytes: null }).execute()
        await trx.deleteFrom('pack').where('is_merged', '=', 1).execute()
      })
      const imported = await Array.fromAsync(importPacks(place))
      expect(imported).toMatchObject([
        { kind: 'taken-in', linkedUploads: 40 },
        { kind: 'taken-in', linkedUploads: 40 },
      ])
      expect(await comparePacks(place)).toEqual({ unnamed: [], missing: [], returned: [] })
      const unlisted = await Array.fromAsync(findRecovered(place))
      expect(unlisted).toEqual([])
      expect(await findings()).toEqual([])
      place.clock.ms += day + 1
      expect(await place.removeOld()).toBe(80)
      expect(await findings()).toEqual([])
      await readAll(place.reopen())
      for (const { id, blocks } of privates) {
        const own = place.reopen().openPrivate(id)
        for (const { cid, bytes } of blocks) expect(Buffer.compare(await own.get(cid), bytes)).toBe(0)
      }
    })

    test('a merged pack is restored from its own bytes into a lost database, with all of its roots', async () => {
      const { place, uploads, merge, mergedKey } = world()
      await merge()
      place.clock.ms += day + 1
      await removeAllDoomed({ ...place, clock: place.workerClock() })
      const key = await mergedKey()
      const fresh = await openDatabase()
      try {
        const taken = await Array.fromAsync(importPacks({ db: fresh, objects: place.objects, clock: place.clock }))
        expect(taken).toMatchObject([{ kind: 'taken-in', objectKey: key, blocks: 40 * 4 }])
        for (const { blocks } of uploads) {
          const { multihash } = blocks[2]?.cid ?? { multihash: { bytes: new Uint8Array() } }
          const row = await fresh.read
            .selectFrom('block')
            .select('pack_id')
            .where('multihash', '=', multihash.bytes)
            .execute()
          expect(row).toHaveLength(1)
        }
      } finally {
        await fresh.close()
      }
    })

    test('repair changes nothing in a store with merged packs', async () => {
      const { place, merge } = world()
      await merge()
      expect(await Array.fromAsync(repair({ ...place, readData: 1 }))).toEqual([])
    })
  })
}
