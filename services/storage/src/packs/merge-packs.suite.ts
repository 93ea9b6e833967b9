import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CairnError, MIB } from '@cairn/protocol'
import type { ObjectStore } from '@cairn/service/objects'
import { readCar, verifyBlock } from '@cairn/unixfs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../db/database.ts'
import { repair } from '../maintenance/repair.ts'
import { removeAllDoomed } from '../objects/doomed-objects.ts'
import { acquireLease } from '../workers/lease.ts'
import { holdRemovals } from '../workers/removal-hold.ts'
import { type MergeParts, mergePacks } from './merge-packs.ts'
import { createPackPlace, manyBlocks, type PackPlace, type TestBlock } from './pack.fixture.ts'
import { comparePacks, hashSha256, importPacks, recoverPacks } from './packs.ts'
import { scrubPacks } from './scrub.ts'

const hour = 3_600_000
const day = 24 * hour
const settings = { maxPackBytes: MIB, targetBytes: 4 * MIB, minAgeMs: hour, maxWaitMs: day, bytesPerSecond: 1e9 }

/** Merging of small packs, on one kind of database. */
export function mergeSuite(openDatabase: () => Promise<Database>): void {
  describe('merging small packs', () => {
    let place: PackPlace
    let uploads: { id: string; blocks: TestBlock[] }[]

    const parts = (changes: Partial<MergeParts> = {}): MergeParts => ({
      ...place,
      clock: place.workerClock(),
      owner: 'one',
      settings,
      graceMs: day,
      isBusy: async () => false,
      onEvent: (event) => place.events.push(event),
      ...changes,
    })
    const merge = (changes?: Partial<MergeParts>) => mergePacks(parts(changes), new AbortController().signal)
    const objects = async (of: ObjectStore = place.objects) => (await Array.fromAsync(of.list('packs/'))).toSorted()
    const findings = () => place.findings({ readData: 1 })
    const readAll = async (packs = place.packs, of = uploads) => {
      for (const { blocks } of of)
        for (const { cid, bytes } of blocks) expect(Buffer.compare(await packs.get(cid), bytes)).toBe(0)
    }
    const isRead = (block: TestBlock | undefined) =>
      block === undefined
        ? false
        : place
            .reopen()
            .get(block.cid)
            .then(
              () => true,
              () => false,
            )
    const mergedKey = async () => {
      const row = await place.db.read
        .selectFrom('pack')
        .select('object_key')
        .where('is_merged', '=', 1)
        .executeTakeFirst()
      return row?.object_key ?? ''
    }
    const storeMany = async (count: number, seed: number) => {
      for (let at = 0; at < count; at++) {
        const blocks = manyBlocks(3, 200, seed + at)
        uploads.push({ id: await place.store(blocks), blocks })
      }
    }

    beforeEach(async () => {
      place = await createPackPlace(await openDatabase())
      uploads = []
      await storeMany(40, 1)
      place.clock.ms += 2 * day
    })
    afterEach(() => place.remove())

    test('merges packs into one object with the same blocks in the same order, a valid CAR', async () => {
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

      // The objects of before stay for the grace period: for backups of the database, and replicas that know the place.
      place.clock.ms += day - 1
      expect(await removeAllDoomed({ ...place, clock: place.workerClock() })).toBe(0)
      await readAll(stale)
      place.clock.ms += 2
      expect(await removeAllDoomed({ ...place, clock: place.workerClock() })).toBe(40)
      expect(await objects()).toEqual([key])
      // A reader with the old places finds the objects gone and asks again.
      await readAll(stale)
      await readAll(place.reopen())
      expect(place.events.filter(({ type }) => type === 'pack-missing' || type === 'block-damaged')).toEqual([])
      expect(await findings()).toEqual([])
      expect(await comparePacks(place)).toEqual({ unnamed: [], missing: [], returned: [] })
      const scrub = { ...place, clock: place.workerClock(), owner: 'one', bytesPerSecond: 1e9 }
      expect(await scrubPacks(scrub, new AbortController().signal)).toMatchObject({ packs: 41, damagedBlocks: 0 })
      expect(place.events.filter(({ type }) => type === 'pack-damaged')).toEqual([])
    })

    test('leaves packs that are few, new, large, deleted, held, missing, damaged or in a piece', async () => {
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
      expect(await merge({ settings: { ...settings, targetBytes: 8000 } })).toMatchObject({ merged: 4 })
      await readAll(place.reopen())
    })

    test('deleted content is no longer read after the grace period, and leaves the disk when most is deleted', async () => {
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

    test('an upload that is deleted while its pack is merged leaves nothing of it in the merged pack', async () => {
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

    test('an upload that relies on a merged pack is recorded, also when it began before', async () => {
      const [{ blocks } = { blocks: [] }] = uploads
      const sealed = await place.seal(blocks)
      expect(sealed.own).toBeUndefined()
      await merge()
      await place.record(sealed)
      await place.store(blocks)
      expect(await findings()).toEqual([])
    })

    test('a pack whose piece is made meanwhile is not merged', async () => {
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

    test('one replica merges; of two that do, the second changes nothing', async () => {
      await acquireLease(place.db, { name: 'merge-packs', owner: 'two', now: place.clock.now(), durationMs: hour })
      expect(await merge()).toMatchObject({ merged: 0 })
      place.clock.ms += 2 * hour
      // Both read the same packs: the lease of the first ran out.
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

    test('a merged pack whose unit was not committed is removed by a later start', async () => {
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

    test('a flipped bit keeps its pack out, and the others are merged', async () => {
      const [key = ''] = await objects()
      await flipBit(join(place.folder, 'objects', key), 120)
      expect(await merge()).toMatchObject({ merged: 1, packs: 39 })
      expect(place.events.some((event) => event.type === 'pack-damaged' && event.objectKey === key)).toBe(true)
      expect(await merge()).toMatchObject({ merged: 0 })
    })

    test('a flipped bit in a merged pack is found by its reader and the scrubber; a missing one by a start', async () => {
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
      const rows = await place.db.read.selectFrom('pack').select('id').where('missing_at', 'is not', null).execute()
      expect(rows).toHaveLength(41)
    })

    test('what merging replaced is not removed while a backup runs', async () => {
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

    test('a lost database takes a merged pack in from its own bytes, with the roots of all', async () => {
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

    test('waits for uploads in progress, for a limited time', async () => {
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

    test('repair changes nothing in a store with merged packs', async () => {
      await merge()
      expect(await Array.fromAsync(repair({ ...place, readData: 1 }))).toEqual([])
    })

    async function packIds(): Promise<bigint[]> {
      const rows = await place.db.read.selectFrom('pack').select('id').orderBy('id').execute()
      return rows.map(({ id }) => id)
    }
  })
}

async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function flipBit(path: string, at: number): Promise<void> {
  const bytes = await readFile(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(path, bytes)
}
