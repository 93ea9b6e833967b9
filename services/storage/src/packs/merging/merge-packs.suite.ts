import { CairnError } from '@cairn/protocol'
import type { ObjectStore } from '@cairn/service/objects'
import { readCar, verifyBlock } from '@cairn/unixfs'
import { expect, test } from 'vitest'
import type { Database } from '../../db/database.ts'
import { removeAllDoomed } from '../../objects/doomed-objects.ts'
import { acquireLease } from '../../workers/lease.ts'
import { scrubPacks } from '../checking/scrub.ts'
import { comparePacks, hashSha256, recoverPacks } from '../packs.ts'
import { day, describeMerging, hour, settings } from './merge-world.fixture.ts'

/** Merging of small packs, on one kind of database: which are merged, and what failures and other replicas change. */
export function mergeSuite(openDatabase: () => Promise<Database>): void {
  describeMerging('merging small packs', openDatabase, (world) => {
    test('merges packs into one object with the same blocks in the same order, a valid CAR', async () => {
      const { place, uploads, merge, objects, findings, readAll, mergedKey } = world()
      const before = await objects()
      const { bytes: known } = uploads[0]?.blocks[0] ?? { bytes: new Uint8Array() }
      const stale = place.reopen()
      await readAll(stale)
      expect(await merge()).toMatchObject({ merged: 1, packs: 40 })
      const key = await mergedKey()
      expect(await objects()).toEqual([...before, key].toSorted())
      const size = (await place.objects.size(key)) ?? 0
      const car = await readCar(bytesOf(await place.objects.read(key, 0, size)))
      const found: Uint8Array[] = []
      for await (const block of car.blocks) {
        await verifyBlock(block.cid, block.bytes, hashSha256)
        found.push(block.bytes)
      }
      // Three blocks and the manifest of each, and the manifest of all.
      expect(found).toHaveLength(40 * 4 + 1)
      expect(Buffer.compare(found[0] ?? new Uint8Array(), known)).toBe(0)
      await readAll(place.reopen())
      expect(await findings()).toEqual([])
      expect(await merge()).toMatchObject({ merged: 0 })

      // The previous objects stay for the grace period: for database backups, and replicas that know their location.
      place.clock.ms += day - 1
      expect(await removeAllDoomed({ ...place, clock: place.workerClock() })).toBe(0)
      await readAll(stale)
      place.clock.ms += 2
      expect(await removeAllDoomed({ ...place, clock: place.workerClock() })).toBe(40)
      expect(await objects()).toEqual([key])
      // A reader with the old locations finds the objects gone and queries again.
      await readAll(stale)
      await readAll(place.reopen())
      expect(place.events.filter(({ type }) => type === 'pack-missing' || type === 'block-damaged')).toEqual([])
      expect(await findings()).toEqual([])
      expect(await comparePacks(place)).toEqual({ unnamed: [], missing: [], returned: [] })
      const scrub = { ...place, clock: place.workerClock(), owner: 'one', bytesPerSecond: 1e9 }
      expect(await scrubPacks(scrub, new AbortController().signal)).toMatchObject({ packs: 41, damagedBlocks: 0 })
      expect(place.events.filter(({ type }) => type === 'pack-damaged')).toEqual([])
    })

    test('skips packs that are few, new, large, deleted, held, missing, damaged or in a piece', async () => {
      const { place, merge, packIds } = world()
      place.clock.ms -= day + hour + 1
      expect(await merge()).toMatchObject({ merged: 0 })
      place.clock.ms += day + hour + 1
      const [piece, deleted, held, missing, damaged] = await packIds()
      await place.db.write(async (trx) => {
        await trx
          .updateTable('pack')
          .set({ is_pieced: 1 })
          .where('id', '=', piece ?? 0n)
          .execute()
        await trx
          .updateTable('pack')
          .set({ unreferenced_at: 1 })
          .where('id', '=', deleted ?? 0n)
          .execute()
        await trx
          .updateTable('pack')
          .set({ hold: 'recovered' })
          .where('id', '=', held ?? 0n)
          .execute()
        await trx
          .updateTable('pack')
          .set({ missing_at: 1 })
          .where('id', '=', missing ?? 0n)
          .execute()
        await trx
          .updateTable('block')
          .set({ damaged_at: 1 })
          .where('pack_id', '=', damaged ?? 0n)
          .execute()
      })
      expect(await merge({ settings: { ...settings, maxPackBytes: 100 } })).toMatchObject({ merged: 0 })
      expect(await merge()).toMatchObject({ merged: 1, packs: 35 })
      const left = await place.db.read
        .selectFrom('pack')
        .select('id')
        .where('merged_id', 'is', null)
        .where('is_merged', '=', 0)
        .orderBy('id')
        .execute()
      expect(left.map(({ id }) => id)).toEqual([piece, deleted, held, missing, damaged])
    })

    test('groups packs by size and count', async () => {
      const { place, merge, readAll } = world()
      expect(await merge({ settings: { ...settings, targetBytes: 8000 } })).toMatchObject({ merged: 4 })
      await readAll(place.reopen())
    })

    test('an upload that relies on a merged pack is recorded, even if it began before the merge', async () => {
      const { place, uploads, merge, findings } = world()
      const [{ blocks } = { blocks: [] }] = uploads
      const sealed = await place.seal(blocks)
      expect(sealed.own).toBeUndefined()
      await merge()
      await place.record(sealed)
      await place.store(blocks)
      expect(await findings()).toEqual([])
    })

    test('does not merge a pack whose piece is created meanwhile', async () => {
      const { place, merge, objects, packIds } = world()
      const [id] = await packIds()
      const slow = {
        now: () => place.clock.now(),
        sleep: async () => {
          await place.db.write((trx) =>
            trx
              .updateTable('pack')
              .set({ is_pieced: 1 })
              .where('id', '=', id ?? 0n)
              .execute(),
          )
        },
      }
      expect(await merge({ clock: slow })).toMatchObject({ merged: 0 })
      expect(await objects()).toHaveLength(40)
    })

    test('one replica merges; when two do, the second changes nothing', async () => {
      const { place, merge, findings, readAll } = world()
      await acquireLease(place.db, { name: 'merge-packs', owner: 'two', now: place.clock.now(), durationMs: hour })
      expect(await merge()).toMatchObject({ merged: 0 })
      place.clock.ms += 2 * hour
      // Both read the same packs, because the lease of the first expired.
      let other: Awaited<ReturnType<typeof merge>> | undefined
      let isFirst = true
      const slow = {
        now: () => place.clock.now(),
        sleep: async () => {
          if (!isFirst) return
          isFirst = false
          place.clock.ms += hour
          other = await merge({ owner: 'two' })
        },
      }
      expect(await merge({ clock: slow })).toMatchObject({ merged: 0 })
      expect(other).toMatchObject({ merged: 1, packs: 40 })
      expect(await findings()).toEqual([])
      await readAll(place.reopen())
    })

    test('a failure at any call of the object store leaves every pack readable, and the next round merges', async () => {
      const { place, merge, objects, findings, readAll } = world()
      let calls = 0
      let failAt = Number.POSITIVE_INFINITY
      const step = async <T>(run: () => Promise<T>): Promise<T> => {
        if (++calls === failAt) throw new CairnError('UNAVAILABLE')
        return run()
      }
      const failing: ObjectStore = {
        ...place.objects,
        read: (...args) => step(() => place.objects.read(...args)),
        remove: (key) => step(() => place.objects.remove(key)),
        confirm: (key) => step(() => place.objects.confirm(key)),
        create: (key) =>
          step(async () => {
            const writer = await place.objects.create(key)
            return {
              append: (some) => step(() => writer.append(some)),
              setHead: (bytes) => step(() => writer.setHead(bytes)),
              finish: () => step(() => writer.finish()),
              abort: () => writer.abort(),
            }
          }),
      }
      for (failAt = 1; ; failAt += 9) {
        calls = 0
        const error = await merge({ objects: failing }).then(
          () => undefined,
          (reason: unknown) => reason,
        )
        if (error === undefined) break
        expect(CairnError.is(error, 'UNAVAILABLE')).toBe(true)
        await readAll(place.reopen())
        expect(await objects()).toHaveLength(40)
      }
      expect(calls).toBeGreaterThan(80)
      await readAll(place.reopen())
      expect(await findings()).toEqual([])
      expect(await recoverPacks({ ...place, objects: await place.restart() })).toMatchObject({ abandonedPacks: 0 })
    })

    test('a later start removes a merged pack whose unit was not committed', async () => {
      const { place, merge, objects, readAll } = world()
      let isDown = false
      const db: Database = {
        ...place.db,
        write: (work) => (isDown ? Promise.reject(new CairnError('UNAVAILABLE')) : place.db.write(work)),
      }
      const breaking = {
        now: () => place.clock.now(),
        sleep: async () => {
          isDown = true
        },
      }
      await expect(merge({ db, clock: breaking })).rejects.toThrow()
      expect(await objects()).toHaveLength(41)
      await readAll(place.reopen())
      expect(await recoverPacks({ ...place, objects: await place.restart() })).toMatchObject({ abandonedPacks: 1 })
      place.clock.ms += day + hour
      expect(await place.removeOld()).toBe(1)
      expect(await objects()).toHaveLength(40)
      expect(await merge()).toMatchObject({ merged: 1, packs: 40 })
    })

    test('waits for uploads in progress, for a limited time', async () => {
      const { place, merge, storeMany } = world()
      let waits = 0
      const patient = {
        now: () => place.clock.now(),
        sleep: async (ms: number) => {
          if (ms === 1000) waits++
          place.clock.ms += Math.ceil(ms)
        },
      }
      expect(await merge({ clock: patient, isBusy: async () => waits < 5 })).toMatchObject({ merged: 1 })
      expect(waits).toBe(5)
      await storeMany(40, 1000)
      place.clock.ms += 2 * day
      waits = 0
      expect(await merge({ clock: patient, isBusy: async () => true })).toMatchObject({ merged: 1 })
      expect(waits).toBe(60)
    })
  })
}

async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
