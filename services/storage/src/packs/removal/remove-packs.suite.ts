import { existsSync } from 'node:fs'
import { mkdir, readdir, readlink, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openFileStore } from '@cairn/service/objects'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../db/database.ts'
import { doomObjects, removeAllDoomed } from '../../objects/doomed-objects.ts'
import { blockOf, createPackPlace, manyBlocks, type PackPlace, withCode } from '../pack.fixture.ts'
import { countRemoval, createPackStore } from '../packs.ts'
import { createRemovePacksWorker } from './remove-packs.ts'
import { createRemovalCheck } from './watch-removals.ts'

const day = 86_400_000

/** Discarding and removal of packs, on every database. */
export function removeSuite(openEmpty: () => Promise<Database>): void {
  describe('removal of packs', () => {
    let place: PackPlace
    beforeEach(async () => {
      place = await createPackPlace(await openEmpty())
    })
    afterEach(() => place.remove())

    /** Opens a second replica over the same rows and objects, with caches and open files of its own. */
    const openReplica = async () => {
      const objects = await openFileStore(place.folder)
      const packs = createPackStore({ ...place, objects })
      return {
        packs,
        objects,
        check: createRemovalCheck({ db: place.db, packs }),
        [Symbol.asyncDispose]: () => objects.close(),
      }
    }

    test('a discarded sealed pack is gone and can no longer be recorded', async () => {
      const sealed = await place.seal(manyBlocks(3, 100))
      await place.packs.discard(sealed)
      expect(await place.objectKeys()).toEqual([])
      expect(await place.db.read.selectFrom('pack').selectAll().execute()).toEqual([])
      await expect(place.record(sealed)).rejects.toMatchObject({ code: 'CONFLICT' })
      expect(await place.db.read.selectFrom('pack').selectAll().execute()).toEqual([])
    })

    test('discarding a recorded pack does nothing', async () => {
      const [block = blockOf('')] = manyBlocks(1, 100)
      const sealed = await place.seal([block])
      await place.record(sealed)
      await place.packs.discard(sealed)
      expect(await place.reopen().get(block.cid)).toHaveLength(100)
    })

    test('rejects an upload whose pack is being discarded', async () => {
      const sealed = await place.seal(manyBlocks(3, 100))
      const results = await Promise.allSettled([place.packs.discard(sealed), place.record(sealed)])
      const isThere = (await place.objectKeys()).length === 1
      expect(results[1]?.status).toBe(isThere ? 'fulfilled' : results[1]?.status)
      if (results[1]?.status === 'fulfilled') expect(isThere).toBe(true)
    })

    test('keeps a pack for the grace period after its last upload is deleted, and restores it when it is needed', async () => {
      const blocks = manyBlocks(3, 100)
      const first = await place.store(blocks)
      await place.clearUpload(first)
      place.clock.ms += day - 1
      expect(await place.removeOld()).toBe(0)
      expect(await place.packs.get(blocks[0]?.cid ?? blockOf('').cid)).toHaveLength(100)
      place.clock.ms += 2
      expect(await place.removeOld()).toBe(1)
      await expect(place.packs.get(blocks[0]?.cid ?? blockOf('').cid)).rejects.toSatisfy(withCode('BLOCK_NOT_FOUND'))
      expect(await place.findings()).toEqual([])
    })

    test('an object that cannot be removed blocks no other removal, and is retried', async () => {
      for (const text of ['first', 'second', 'third']) await place.clearUpload(await place.store([blockOf(text)]))
      const packs = await place.db.read.selectFrom('pack').select('object_key').orderBy('id').execute()
      const [first = '', ...others] = packs.map(({ object_key }) => object_key)
      const path = join(place.folder, 'objects', first)
      // The removal of a file does not remove a folder.
      await rename(path, `${path}.kept`)
      await mkdir(path)
      place.clock.ms += day + 1
      await expect(place.removeOld()).rejects.toSatisfy(withCode('STORAGE_FAILED'))
      expect(others.map((key) => existsSync(join(place.folder, 'objects', key)))).toEqual([false, false])
      await rmdir(path)
      await rename(`${path}.kept`, path)
      expect(await place.removeOld()).toBe(1)
      expect(await place.objectKeys()).toEqual([])
    })

    test('a noted object that cannot be removed blocks no other removal', async () => {
      const keys = ['merged/a', 'merged/b', 'merged/c']
      for (const key of keys) {
        const object = await place.objects.create(key)
        await object.append([Buffer.from(key)])
        await object.finish()
        await place.objects.confirm(key)
      }
      const path = join(place.folder, 'objects', 'merged/a')
      await rm(path)
      await mkdir(path)
      await place.db.write((trx) => doomObjects(trx, keys, place.clock.ms))
      const parts = { ...place, clock: place.workerClock() }
      await expect(removeAllDoomed(parts)).rejects.toSatisfy(withCode('STORAGE_FAILED'))
      expect(await place.db.read.selectFrom('doomed_object').select('object_key').execute()).toEqual([
        { object_key: 'merged/a' },
      ])
      expect(existsSync(join(place.folder, 'objects', 'merged/c'))).toBe(false)
      await rmdir(path)
      expect(await removeAllDoomed(parts)).toBe(1)
    })

    test('an upload never refers to a removed pack', async () => {
      const blocks = manyBlocks(3, 100)
      const first = await place.store(blocks)
      const depending = await place.seal(blocks)
      await place.clearUpload(first)
      place.clock.ms += 2 * day
      expect(await place.removeOld()).toBe(1)
      await expect(place.record(depending)).rejects.toSatisfy(withCode('CONFLICT'))
    })

    test('an upload that refers to several packs is rejected if one of them was removed', async () => {
      const [removed, kept] = [manyBlocks(2, 100), manyBlocks(2, 100, 50)]
      const first = await place.store(removed)
      await place.store(kept)
      const depending = await place.seal([...removed, ...kept])
      expect(depending.dependsOn).toHaveLength(2)
      await place.clearUpload(first)
      place.clock.ms += 2 * day
      expect(await place.removeOld()).toBe(1)
      await expect(place.record(depending)).rejects.toSatisfy(withCode('CONFLICT'))
    })

    test('keeps a pack that an upload needs, although its row says that none does', async () => {
      const [block = blockOf('')] = manyBlocks(1, 100)
      await place.store([block])
      await place.db.write((trx) => trx.updateTable('pack').set({ unreferenced_at: 1 }).execute())
      place.clock.ms += 2 * day
      expect(await place.removeOld()).toBe(0)
      expect(await place.reopen().get(block.cid)).toHaveLength(100)
    })

    test('of a concurrent removal and upload, either the upload is rejected or its content stays', async () => {
      for (let round = 0; round < 15; round++) {
        const blocks = manyBlocks(2, 100, 100 + round)
        const first = await place.store(blocks)
        const depending = await place.seal(blocks)
        await place.clearUpload(first)
        place.clock.ms += 2 * day
        const [, recorded] = await Promise.allSettled([place.removeOld(), place.record(depending)])
        await place.removeOld()
        for (const { cid } of blocks) {
          const got = await place
            .reopen()
            .get(cid)
            .then(
              () => true,
              () => false,
            )
          expect(got).toBe(recorded?.status === 'fulfilled')
        }
      }
    })

    test('two concurrent deletions leave their common pack unreferenced', async () => {
      const sealed = await place.seal(manyBlocks(3, 100))
      const ids = await Promise.all(Array.from({ length: 6 }, () => place.record(sealed)))
      await Promise.all(ids.map((id) => place.clearUpload(id)))
      place.clock.ms += 2 * day
      expect(await place.removeOld()).toBe(1)
    })

    test('a removal round skips a sealed pack that is about to be recorded', async () => {
      const sealed = await place.seal(manyBlocks(3, 1000))
      place.clock.ms += 2 * day
      const stop = new AbortController()
      const clock = { now: () => place.clock.ms, sleep: async () => stop.abort() }
      await createRemovePacksWorker({ ...place, clock }).run(stop.signal)
      await place.record(sealed)
      expect(await place.findings({ readData: 1 })).toEqual([])
    })

    test('a clock that is ahead when the service starts ends no grace period of a day or more', async () => {
      const upload = await place.store(manyBlocks(3, 1000))
      await place.clearUpload(upload)
      place.clock.ms += 400 * day
      const runRound = async (graceMs?: number): Promise<number> => {
        const stop = new AbortController()
        const removed: unknown[] = []
        const clock = { now: () => place.clock.ms, sleep: async () => stop.abort() }
        await createRemovePacksWorker({
          ...place,
          clock,
          ...(graceMs === undefined ? {} : { graceMs }),
          onEvent: (event) => {
            if (event.type === 'pack-removed') removed.push(event)
          },
        }).run(stop.signal)
        return removed.length
      }
      expect(await runRound()).toBe(0)
      // What an operator does not keep needs no clock.
      expect(await runRound(0)).toBe(1)
    })

    test('a replica stops serving content removed by another after its next check, and closes the files', async () => {
      await using other = await openReplica()
      await other.check()
      // Small blocks are cached in memory; for large ones, the location and the open file.
      const blocks = [...manyBlocks(3, 100), ...manyBlocks(3, 100_000, 2)]
      const upload = await place.store(blocks)
      const readAll = () => Promise.allSettled(blocks.map(({ cid }) => other.packs.get(cid)))
      for (const read of await readAll()) expect(read.status).toBe('fulfilled')
      await place.clearUpload(upload)
      place.clock.ms += 2 * day
      expect(await place.removeOld()).toBe(1)
      // Until its next check it may serve cached content. This is the limit, and nothing queries the database in
      // between.
      expect((await readAll()).some(({ status }) => status === 'fulfilled')).toBe(true)
      await other.check()
      for (const read of await readAll()) {
        expect(read).toMatchObject({ status: 'rejected', reason: { code: 'BLOCK_NOT_FOUND' } })
      }
      if (existsSync('/proc/self/fd')) {
        const isOpen = async () => {
          const fds = await readdir('/proc/self/fd')
          const links = await Promise.all(fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
          return links.filter((link) => link.startsWith(place.folder) && link.endsWith('(deleted)'))
        }
        await expect.poll(isOpen).toEqual([])
      }
      expect(place.events).toEqual([])
    })

    test('a read that ends after a removal caches nothing from before it', async () => {
      await using other = await openReplica()
      await other.check()
      const blocks = manyBlocks(4, 1000)
      const upload = await place.store(blocks)
      // A reader that has its locations but has not read yet.
      const reader = other.packs.openReader()
      reader.prefetch?.(blocks.map(({ cid }) => cid))
      const [first = blockOf('')] = blocks
      const reading = reader.get(first.cid)
      await place.clearUpload(upload)
      place.clock.ms += 2 * day
      await place.db.write((trx) => trx.updateTable('pack').set({ state: 'removing' }).execute())
      await place.db.write((trx) => countRemoval(trx))
      await other.check()
      // The object still exists: reading continues and leaves nothing behind.
      await reading.catch(() => undefined)
      for (const { cid } of blocks) await reader.get(cid).catch(() => undefined)
      for (const { cid } of blocks) {
        await expect(other.packs.get(cid)).rejects.toSatisfy(withCode('BLOCK_NOT_FOUND'))
      }
    })

    test('keeps its cache while nothing is removed, and drops it when the database is gone', async () => {
      await using other = await openReplica()
      await other.check()
      const [block = blockOf('')] = manyBlocks(1, 100)
      await place.store([block])
      await other.packs.get(block.cid)
      await rename(await place.onlyObject(), join(place.folder, 'away'))
      await other.check()
      expect(await other.packs.get(block.cid)).toHaveLength(100)
      const broken = createRemovalCheck({ db: { read: place.db.read.withSchema('none') }, packs: other.packs })
      await expect(broken()).rejects.toThrow()
      await expect(other.packs.get(block.cid)).rejects.toSatisfy(withCode('DATA_DAMAGED'))
    })
  })
}
