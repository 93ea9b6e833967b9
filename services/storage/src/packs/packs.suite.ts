import { existsSync } from 'node:fs'
import { readdir, readFile, readlink, rename, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { openFileStore } from '@cairn/service/objects'
import {
  createFileImporter,
  hashFunctions,
  importProfiles,
  readCar,
  readFile as readUnixfs,
  verifyBlock,
} from '@cairn/unixfs'
import { CarReader } from '@ipld/car'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../db/database.ts'
import { repair } from '../maintenance/repair.ts'
import { check } from './check.ts'
import {
  blockHashedWith,
  blockOf,
  createPackPlace,
  manyBlocks,
  type PackPlace,
  type TestBlock,
} from './pack.fixture.ts'
import {
  comparePacks,
  countRemoval,
  createPackStore,
  findRecovered,
  hashSha256,
  importPacks,
  type PackEvent,
  type PackStore,
  recoverPacks,
  settleComparison,
} from './packs.ts'
import { createRemovePacksWorker, removeUnreferencedPacks } from './remove-packs.ts'
import { scrubPacks } from './scrub.ts'
import { createRemovalCheck } from './watch-removals.ts'

const day = 86_400_000
/** The functions that blocks are tested with: all, but few of the 45 lengths of BLAKE2b. */
const testedFunctions = hashFunctions.filter(({ name }) => !/^blake2b-(?!160|256|512)/.test(name))
const withCode = (code: Parameters<typeof CairnError.is>[1]) => (error: unknown) => CairnError.is(error, code)

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** What packs guarantee on every database. */
export function packSuite(name: string, openEmpty: () => Promise<Database>) {
  describe(name, () => {
    let place: PackPlace
    beforeEach(async () => {
      place = await createPackPlace(await openEmpty())
    })
    afterEach(() => place.remove())

    const objectKeys = () => Array.fromAsync(place.objects.list('packs/'))
    const onlyObject = async () => join(place.folder, 'objects', (await objectKeys())[0] ?? '')
    const workerClock = () => ({ now: () => place.clock.ms, sleep: async () => undefined })
    const removeOld = (graceMs = day) => removeUnreferencedPacks({ ...place, clock: workerClock(), graceMs })
    const findings = async (options = {}) => Array.fromAsync(check({ ...place, ...options }))
    const onEvent = (event: PackEvent) => place.events.push(event)
    const scrub = () => scrubPacks({ ...place, clock: workerClock(), owner: 'me', onEvent }, AbortSignal.any([]))
    const flip = async (path: string, at: number) => {
      const bytes = await readFile(path)
      bytes[at] = (bytes[at] ?? 0) ^ 1
      await writeFile(path, bytes)
    }

    test('reads recorded content back, also with empty caches', async () => {
      const blocks = manyBlocks(40, 100_000)
      await place.store(blocks)
      for (const packs of [place.packs, place.reopen()]) {
        for (const { cid, bytes } of blocks) expect(Buffer.compare(await packs.get(cid), bytes)).toBe(0)
        const inOrder = await Array.fromAsync(packs.read(blocks.map(({ cid }) => cid)))
        expect(inOrder.map(({ bytes }) => hashSha256(bytes))).toEqual(
          blocks.map(({ cid }) => Buffer.from(cid.multihash.digest)),
        )
      }
    })

    test('a pack is an ordinary CARv1 whose root names the upload', async () => {
      const blocks = manyBlocks(5, 1000)
      await place.store(blocks)
      const bytes = await readFile(await onlyObject())
      const car = await readCar(once(bytes))
      expect(car.version).toBe(1)
      const found = await Array.fromAsync(car.blocks)
      for (const block of found) await verifyBlock(block.cid, block.bytes, hashSha256)
      expect(found.map(({ cid }) => `${cid}`)).toEqual([...blocks.map(({ cid }) => `${cid}`), `${car.roots[0]}`])
    })

    test('an import through buffers of the sink returns the same file', async () => {
      const content = new Uint8Array(9_000_001).map((_, at) => Math.imul(at, 2_654_435_761) >>> 24)
      const writer = place.packs.begin()
      const importer = createFileImporter({ profile: importProfiles.v0, hash: hashSha256, sink: writer.sink })
      for (let at = 0; at < content.length; at += 65_536) await importer.write(content.subarray(at, at + 65_536))
      const { cid } = await importer.finish()
      await place.record(await writer.seal([cid]), cid)
      // A reader reuses its memory, so kept blocks are copied.
      const readAll = async (range = {}) =>
        Buffer.concat(await Array.fromAsync(readUnixfs(place.packs.openReader(), cid, range), (piece) => piece.slice()))
      expect(Buffer.compare(await readAll(), content)).toBe(0)
      const range = { fromByte: 4_000_000, toByte: 5_000_000 }
      const part = await readAll(range)
      expect(Buffer.compare(part, content.subarray(4_000_000, 5_000_000))).toBe(0)
    })

    test('stores the same bytes once, within a pack and across packs', async () => {
      const blocks = manyBlocks(10, 5000)
      await place.store([...blocks, ...blocks])
      expect((await place.objects.size((await objectKeys())[0] ?? '')) ?? 0).toBeLessThan(53_000)
      const again = await place.seal(blocks)
      expect(again).toMatchObject({ own: undefined, dependsOn: [expect.anything()] })
      await place.record(again)
      const partly = await place.seal([...blocks.slice(0, 5), ...manyBlocks(3, 5000, 2)])
      expect(partly.own?.blocks.count).toBe(3)
      expect(partly.dependsOn).toEqual(again.dependsOn)
      await place.record(partly)
      expect(await findings({ readData: 1 })).toEqual([])
    })

    test('one sealed pack can belong to several uploads', async () => {
      const sealed = await place.seal(manyBlocks(3, 100))
      const first = await place.record(sealed)
      const second = await place.record(sealed)
      await place.clearUpload(first)
      place.clock.ms += 2 * day
      expect(await removeOld()).toBe(0)
      await place.clearUpload(second)
      place.clock.ms += 2 * day
      expect(await removeOld()).toBe(1)
      expect(await objectKeys()).toEqual([])
    })

    test('indexes a pack of thousands of blocks ahead, and hides it from removal once recorded', async () => {
      const blocks = manyBlocks(5000, 64)
      const sealed = await place.seal(blocks)
      expect(sealed.own?.isIndexed).toBe(true)
      await place.record(sealed)
      place.clock.ms += 2 * day
      expect(await removeOld()).toBe(0)
      const all = await place.packs.locate(blocks.map(({ cid }) => cid.multihash.bytes))
      expect(all.every((location) => location !== undefined)).toBe(true)
      expect(await findings({ readData: 1 })).toEqual([])
      const dropped = await place.seal(manyBlocks(5000, 64, 9))
      await place.packs.discard(dropped)
      expect(await objectKeys()).toHaveLength(1)
    })

    test('abort leaves nothing', async () => {
      const writer = place.packs.begin()
      for (const { cid, bytes } of manyBlocks(40, 200_000)) await writer.sink.put(cid, bytes)
      await writer.abort()
      await writer.abort()
      expect(await readdir(join(place.folder, 'tmp'))).toEqual([])
      expect(await objectKeys()).toEqual([])
      expect(() => writer.sink.put(blockOf('x').cid, blockOf('x').bytes)).toThrow()
    })

    test('a discarded sealed pack is gone and can no longer be recorded', async () => {
      const sealed = await place.seal(manyBlocks(3, 100))
      await place.packs.discard(sealed)
      expect(await objectKeys()).toEqual([])
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
      const isThere = (await objectKeys()).length === 1
      expect(results[1]?.status).toBe(isThere ? 'fulfilled' : results[1]?.status)
      if (results[1]?.status === 'fulfilled') expect(isThere).toBe(true)
    })

    test('a pack stays for the grace time after its last upload is deleted, and returns when it is needed', async () => {
      const blocks = manyBlocks(3, 100)
      const first = await place.store(blocks)
      await place.clearUpload(first)
      place.clock.ms += day - 1
      expect(await removeOld()).toBe(0)
      expect(await place.packs.get(blocks[0]?.cid ?? blockOf('').cid)).toHaveLength(100)
      place.clock.ms += 2
      expect(await removeOld()).toBe(1)
      await expect(place.packs.get(blocks[0]?.cid ?? blockOf('').cid)).rejects.toSatisfy(withCode('BLOCK_NOT_FOUND'))
      expect(await findings()).toEqual([])
    })

    test('an upload never refers to a removed pack', async () => {
      const blocks = manyBlocks(3, 100)
      const first = await place.store(blocks)
      const depending = await place.seal(blocks)
      await place.clearUpload(first)
      place.clock.ms += 2 * day
      expect(await removeOld()).toBe(1)
      await expect(place.record(depending)).rejects.toSatisfy(withCode('CONFLICT'))
    })

    test('of a concurrent removal and upload, either the upload is rejected or its content stays', async () => {
      for (let round = 0; round < 15; round++) {
        const blocks = manyBlocks(2, 100, 100 + round)
        const first = await place.store(blocks)
        const depending = await place.seal(blocks)
        await place.clearUpload(first)
        place.clock.ms += 2 * day
        const [, recorded] = await Promise.allSettled([removeOld(), place.record(depending)])
        await removeOld()
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

    test('uploads that share a sealed pack are recorded at the same time', async () => {
      const blocks = manyBlocks(3, 100)
      const sealed = await place.seal(blocks)
      await Promise.all(Array.from({ length: 6 }, () => place.record(sealed)))
      const uses = await place.db.read.selectFrom('upload_pack').selectAll().execute()
      expect(new Set(uses.map(({ pack_id }) => pack_id))).toEqual(new Set([sealed.own?.id]))
      expect(uses).toHaveLength(6)
      expect(await findings()).toEqual([])
    })

    test('rejects a pack whose id or object another pack has', async () => {
      const { own, dependsOn } = await place.seal(manyBlocks(3, 100))
      await place.record({ own, dependsOn })
      if (own === undefined) throw new Error('nothing was sealed')
      for (const change of [
        { id: own.id + 1n },
        { objectKey: `${own.objectKey}x` },
        { sizeBytes: own.sizeBytes + 1 },
      ]) {
        const other = { own: { ...own, ...change }, dependsOn }
        await expect(place.record(other)).rejects.toSatisfy(withCode('CONFLICT'))
      }
    })

    test('two concurrent deletions leave their common pack unreferenced', async () => {
      const sealed = await place.seal(manyBlocks(3, 100))
      const ids = await Promise.all(Array.from({ length: 6 }, () => place.record(sealed)))
      await Promise.all(ids.map((id) => place.clearUpload(id)))
      place.clock.ms += 2 * day
      expect(await removeOld()).toBe(1)
    })

    test('a flipped bit is an error that names CID and pack, never wrong bytes; other blocks stay readable', async () => {
      const blocks = manyBlocks(3, 1000)
      await place.store(blocks)
      const [location] = await place.packs.locate([blocks[1]?.cid.multihash.bytes ?? new Uint8Array()])
      await flip(await onlyObject(), (location?.offset ?? 0) + 500)
      const packs = place.reopen()
      const failed = await packs.get(blocks[1]?.cid ?? blockOf('').cid).catch((error: unknown) => error)
      expect(failed).toSatisfy(withCode('DATA_DAMAGED'))
      expect(failed).toMatchObject({ details: { cid: `${blocks[1]?.cid}`, pack: location?.objectKey } })
      expect(await packs.get(blocks[0]?.cid ?? blockOf('').cid)).toHaveLength(1000)
      expect(place.events).toMatchObject([{ type: 'block-damaged', cid: `${blocks[1]?.cid}` }])
      const run = packs.read(blocks.map(({ cid }) => cid))
      expect((await run.next()).value?.bytes).toHaveLength(1000)
      await expect(run.next()).rejects.toSatisfy(withCode('DATA_DAMAGED'))
      expect(await findings()).toMatchObject([{ kind: 'damaged-blocks', count: 1 }])
      // The same bytes uploaded again are stored again, and all readers use the new copy.
      await place.store(blocks)
      expect(await packs.get(blocks[1]?.cid ?? blockOf('').cid)).toEqual(Buffer.from(blocks[1]?.bytes ?? []))
    })

    test('scrubbing finds every flipped bit: blocks, frames, header, manifest', async () => {
      const blocks = manyBlocks(4, 300)
      await place.store(blocks)
      const path = await onlyObject()
      const whole = await readFile(path)
      expect(await scrub()).toEqual({ packs: 1, bytes: expect.any(Number), damagedBlocks: 0 })
      const car = await readCar(once(whole))
      const codecs = (await Array.fromAsync(car.blocks)).map(({ offset }) => offset - 35)
      for (let at = 0; at < whole.length; at += 19) {
        // A changed codec does not matter: blocks are read by their hash.
        if (codecs.includes(at)) continue
        place.events.length = 0
        place.clock.ms += 40 * day
        await writeFile(path, whole)
        await flip(path, at)
        await scrub()
        expect(
          place.events.map(({ type }) => type),
          `byte ${at}`,
        ).toContain('pack-damaged')
        await writeFile(path, whole)
        for await (const { done } of repair(place)) expect(done).toEqual({ kind: 'marked', damaged: 0, healed: 1 })
      }
    })

    test('a scrub keeps its rate, and only one replica scrubs', async () => {
      await place.store(manyBlocks(8, 1_000_000))
      let slept = 0
      const clock = {
        now: () => place.clock.ms,
        sleep: async (ms: number) => {
          slept += ms
          if (slept === ms) expect((await scrub()).packs).toBe(0)
        },
      }
      const parts = { ...place, clock, owner: 'first', bytesPerSecond: 1_000_000 }
      expect(await scrubPacks(parts, AbortSignal.any([]))).toMatchObject({ packs: 1 })
      expect(slept).toBeGreaterThan(7900)
      expect(slept).toBeLessThan(8200)
      place.clock.ms += 40 * day
      expect((await scrub()).packs).toBe(1)
    })

    test('check names a missing pack file, and repair allows another upload of its content', async () => {
      const blocks = manyBlocks(3, 1000)
      await place.store(blocks)
      const path = await onlyObject()
      await rename(path, `${place.folder}/away`)
      expect(await findings()).toMatchObject([{ kind: 'missing-pack' }])
      expect(await Array.fromAsync(repair(place))).toMatchObject([
        { finding: { kind: 'missing-pack' }, done: { kind: 'marked-missing' } },
        { finding: { kind: 'incomplete-upload' }, done: { kind: 'none' } },
      ])
      const gone = place.reopen().get(blocks[2]?.cid ?? blockOf('').cid)
      await expect(gone).rejects.toSatisfy(withCode('DATA_DAMAGED'))
      await place.store(blocks)
      expect(await place.reopen().get(blocks[2]?.cid ?? blockOf('').cid)).toHaveLength(1000)
      // The object returns: both copies count again.
      await rename(`${place.folder}/away`, path)
      expect(await Array.fromAsync(repair(place))).toMatchObject([
        { finding: { kind: 'returned-pack' }, done: { kind: 'marked', damaged: 0 } },
      ])
      expect(await findings({ readData: 1 })).toEqual([])
    })

    /** Removes the rows of all packs, and those of `tables`. */
    const loseRows = (...tables: readonly ('upload_pack' | 'block' | 'pack' | 'upload')[]) =>
      place.db.write(async (trx) => {
        for (const table of tables) await trx.deleteFrom(table).execute()
      })

    test('indexes a pack without rows again from its own bytes', async () => {
      const blocks = manyBlocks(30, 1000)
      await place.store(blocks)
      await loseRows('upload_pack', 'block', 'pack')
      expect(await findings()).toMatchObject([{ kind: 'orphan-object' }, { kind: 'incomplete-upload' }])
      expect((await Array.fromAsync(repair(place)))[0]?.done).toEqual({
        kind: 'taken-in',
        blocks: 30,
        linkedUploads: 1,
      })
      expect(await findings({ readData: 1 })).toEqual([])
      for (const { cid, bytes } of blocks) expect(Buffer.compare(await place.reopen().get(cid), bytes)).toBe(0)
    })

    test('a start, a round or a repair never removes a pack without rows, however torn or old', async () => {
      await place.store(manyBlocks(3, 1000))
      await place.store(manyBlocks(3, 1000, 2))
      const [torn = '', whole = ''] = await objectKeys()
      await truncate(join(place.folder, 'objects', torn), 2000)
      await loseRows('upload_pack', 'block', 'pack', 'upload')
      const objects = await place.restart()
      await expect(comparePacks({ ...place, objects })).rejects.toSatisfy(withCode('RECOVERY_NEEDED'))
      expect(await recoverPacks({ ...place, objects })).toEqual({ unfinishedObjects: 0, abandonedPacks: 0 })
      const done = (await Array.fromAsync(repair({ ...place, objects }))).map((step) => step.done.kind)
      expect(done.toSorted()).toEqual(['taken-in', 'unreadable'])
      place.clock.ms += 400 * day
      await recoverPacks({ ...place, objects })
      expect(await removeOld()).toBe(0)
      expect((await objectKeys()).toSorted()).toEqual([torn, whole].toSorted())
      expect(await findings()).toMatchObject([{ kind: 'orphan-object', objectKey: torn }])
    })

    test('removes a pack that a killed process did not record after the grace time, not before', async () => {
      const blocks = manyBlocks(3, 1000)
      const sealed = await place.seal(blocks)
      const objects = await place.restart()
      expect(await comparePacks({ ...place, objects })).toEqual({ unnamed: [], missing: [], returned: [] })
      expect(await recoverPacks({ ...place, objects })).toEqual({ unfinishedObjects: 0, abandonedPacks: 1 })
      expect(await recoverPacks({ ...place, objects })).toEqual({ unfinishedObjects: 0, abandonedPacks: 0 })
      // The process was not killed, only late: its commit fails on the row, and the client receives the error.
      await expect(place.record(sealed)).rejects.toSatisfy(withCode('CONFLICT'))
      place.clock.ms += day - 1
      expect(await removeOld()).toBe(0)
      expect(await objectKeys()).toHaveLength(1)
      place.clock.ms += 2
      expect(await removeOld()).toBe(1)
      expect(await objectKeys()).toEqual([])
      expect(await place.db.read.selectFrom('pack').selectAll().execute()).toEqual([])
    })

    test('keeps a pack that was recorded right before the kill, large or small', async () => {
      for (const blocks of [manyBlocks(3, 1000), manyBlocks(5000, 64)]) {
        const sealed = await place.seal(blocks)
        await place.record(sealed)
        // The unconfirmed note was not removed any more.
        await writeFile(join(place.folder, 'unconfirmed', `killed_${sealed.own?.objectKey.replaceAll('/', '_')}`), '')
      }
      const objects = await place.restart()
      expect(await recoverPacks({ ...place, objects })).toEqual({ unfinishedObjects: 0, abandonedPacks: 0 })
      expect([...(await objects.listUnconfirmed('all'))]).toEqual([])
      place.clock.ms += 2 * day
      expect(await removeOld()).toBe(0)
      expect(await findings({ readData: 1 })).toEqual([])
    })

    test('abandons a large unrecorded pack of a killed process with its rows', async () => {
      const blocks = manyBlocks(5000, 64)
      await place.seal(blocks)
      // Rows alone are no reason to remove it, regardless of their age.
      place.clock.ms += 2 * day
      expect(await removeOld()).toBe(0)
      const objects = await place.restart()
      expect(await recoverPacks({ ...place, objects })).toMatchObject({ abandonedPacks: 1 })
      expect(await place.reopen().has(blocks[7]?.cid ?? blockOf('').cid)).toBe(false)
      place.clock.ms += 2 * day
      expect(await removeOld()).toBe(1)
      expect(await place.db.read.selectFrom('block').select('multihash').execute()).toEqual([])
    })

    test('a removal round skips a sealed pack that is about to be recorded', async () => {
      const sealed = await place.seal(manyBlocks(3, 1000))
      place.clock.ms += 2 * day
      const stop = new AbortController()
      const clock = { now: () => place.clock.ms, sleep: async () => stop.abort() }
      await createRemovePacksWorker({ ...place, clock }).run(stop.signal)
      await place.record(sealed)
      expect(await findings({ readData: 1 })).toEqual([])
    })

    test('few packs without rows that are older than the newest row are set aside, and the start continues', async () => {
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
      expect(await removeOld()).toBe(0)
      expect(await findings()).toMatchObject([{ kind: 'orphan-object' }])
      expect((await Array.fromAsync(importPacks(place))).map(({ kind }) => kind)).toEqual(['taken-in'])
      expect(
        Buffer.compare(await place.reopen().get(lost[1]?.cid ?? blockOf('').cid), lost[1]?.bytes ?? Buffer.of()),
      ).toBe(0)
      place.clock.ms += 400 * day
      expect(await removeOld()).toBe(0)
      expect(await findings({ readData: 1 })).toEqual([])
    })

    test('many packs without rows, or one that is younger than every row, stop the start and change nothing', async () => {
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
      expect(await objectKeys()).toHaveLength(12)
      expect(await place.db.read.selectFrom('pack').select('id').where('hold', 'is not', null).execute()).toEqual([])
    })

    test('missing packs with rows are reported, not relied on, and served again when they are back', async () => {
      const all = manyBlocks(30, 100)
      for (const block of all) await place.store([block])
      const keys = (await objectKeys()).toSorted()
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

    test('a replica stops serving content that another removed once it has checked, and closes the files', async () => {
      await using other = await openReplica()
      await other.check()
      // Small blocks are cached in memory; for large ones, the location and the open file.
      const blocks = [...manyBlocks(3, 100), ...manyBlocks(3, 100_000, 2)]
      const upload = await place.store(blocks)
      const readAll = () => Promise.allSettled(blocks.map(({ cid }) => other.packs.get(cid)))
      for (const read of await readAll()) expect(read.status).toBe('fulfilled')
      await place.clearUpload(upload)
      place.clock.ms += 2 * day
      expect(await removeOld()).toBe(1)
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
      // A reader that has its locations and has not read yet.
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
      await rename(await onlyObject(), join(place.folder, 'away'))
      await other.check()
      expect(await other.packs.get(block.cid)).toHaveLength(100)
      const broken = createRemovalCheck({ db: { read: place.db.read.withSchema('none') }, packs: other.packs })
      await expect(broken()).rejects.toThrow()
      await expect(other.packs.get(block.cid)).rejects.toSatisfy(withCode('DATA_DAMAGED'))
    })

    test('check reports wrong sums and stamps, and repair corrects them', async () => {
      const upload = await place.store(manyBlocks(1, 100))
      await place.db.write(async (trx) => {
        await trx
          .insertInto('account')
          .values({ address: 'a', created_at: 1, data_limit_bytes: 9, data_used_bytes: 5, reserved_bytes: 3 })
          .execute()
        await trx.updateTable('pack').set({ unreferenced_at: 1 }).execute()
      })
      expect((await findings()).map(({ kind }) => kind).toSorted()).toEqual([
        'wrong-ledger',
        'wrong-ledger',
        'wrong-ledger',
        'wrong-reference',
      ])
      await Array.fromAsync(repair(place))
      expect(await findings()).toEqual([])
      await place.clearUpload(upload)
      expect(await place.db.read.selectFrom('pack').select('unreferenced_at').execute()).toEqual([
        { unreferenced_at: place.clock.ms },
      ])
    })

    test('identity blocks need no pack; unknown blocks, other hashes and large blocks have their codes', async () => {
      const identity = CID.createV1(0x55, createDigest(0, Uint8Array.of(1, 2, 3)))
      expect(await place.packs.get(identity)).toEqual(Uint8Array.of(1, 2, 3))
      expect(await place.packs.has(identity)).toBe(true)
      expect(await place.packs.has(blockOf('none').cid)).toBe(false)
      await expect(place.packs.get(blockOf('none').cid)).rejects.toSatisfy(withCode('BLOCK_NOT_FOUND'))
      const writer = place.packs.begin()
      expect(writer.sink.put(identity, Uint8Array.of(1, 2, 3))).toBeUndefined()
      expect(await writer.keep(identity)).toBe(true)
      expect(await writer.keep(blockOf('none').cid)).toBe(false)
      for (const unsafe of [createDigest(0x22, new Uint8Array(8)), createDigest(0x12, new Uint8Array(19))]) {
        const other = CID.createV1(0x55, unsafe)
        const refusal = expect.objectContaining({ code: 'UNSUPPORTED_CODEC', details: { cid: `${other}` } })
        expect(() => writer.sink.put(other, new Uint8Array(1))).toThrow(refusal)
        await expect(writer.keep(other)).rejects.toEqual(refusal)
        await expect(place.packs.get(other)).rejects.toEqual(refusal)
        await expect(place.packs.has(other)).rejects.toEqual(refusal)
      }
      const large = blockOf(new Uint8Array(2 * 1024 * 1024 + 1))
      expect(() => writer.sink.put(large.cid, large.bytes)).toThrow(
        expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }),
      )
      expect((await writer.seal([])).own).toBeUndefined()
    })

    /** The same content by every hash function, some with truncated digests, beside blocks of SHA2-256. */
    const blocksOfEachFunction = async (sizeBytes: number): Promise<TestBlock[]> => {
      const [content = blockOf('')] = manyBlocks(1, sizeBytes, 7)
      const blocks = await Promise.all([
        ...testedFunctions.map(({ name }) => blockHashedWith(name, content.bytes)),
        blockHashedWith('sha2-256', content.bytes, 20),
        blockHashedWith('sha2-512', content.bytes, 32),
      ])
      return blocks.flatMap((block, at) => [block, ...manyBlocks(1, sizeBytes, 100 + at)])
    }
    const readEqual = async (packs: PackStore, blocks: readonly TestBlock[]) => {
      for (const { cid, bytes } of blocks) expect(Buffer.compare(await packs.get(cid), bytes), `${cid}`).toBe(0)
      const reader = packs.openReader()
      reader.prefetch?.(blocks.map(({ cid }) => cid))
      for (const { cid, bytes } of blocks) expect(Buffer.compare(await reader.get(cid), bytes), `${cid}`).toBe(0)
    }

    test('stores blocks of every hash function once, and reads them by their CIDs', async () => {
      // The large ones are verified on another thread, except for other functions than SHA2-256.
      for (const sizeBytes of [500, 40_000]) {
        const blocks = await blocksOfEachFunction(sizeBytes)
        const sealed = await place.seal([...blocks, ...blocks])
        expect(sealed.own?.blocks.count).toBe(blocks.length)
        const source = place.packs.openSealed(sealed)
        for (const { cid, bytes } of blocks) expect(Buffer.compare(await source.get(cid), bytes), `${cid}`).toBe(0)
        await place.record(sealed)
        await readEqual(place.reopen(), blocks)
        const again = place.packs.begin()
        for (const { cid } of blocks) expect(await again.keep(cid)).toBe(true)
        for (const { cid, bytes } of blocks) await again.sink.put(cid, bytes)
        expect((await again.seal([])).own).toBeUndefined()
        expect((await place.seal(blocks)).own).toBeUndefined()
      }
      expect(await findings({ readData: 1 })).toEqual([])
      for (const key of await objectKeys()) {
        const car = await CarReader.fromBytes(await readFile(join(place.folder, 'objects', key)))
        for await (const { cid, bytes } of car.blocks()) await verifyBlock(cid, bytes, hashSha256)
      }
    })

    test('indexes a large pack with blocks of other hash functions ahead', async () => {
      const other = await blocksOfEachFunction(64)
      const sealed = await place.seal([...manyBlocks(5000, 64), ...other])
      expect(sealed.own?.isIndexed).toBe(true)
      await place.record(sealed)
      await readEqual(place.reopen(), other)
      expect(await findings({ readData: 1 })).toEqual([])
    })

    test('finds a flipped bit in a block of any hash function, and reads it again once it is stored again', async () => {
      const blocks = await blocksOfEachFunction(300)
      await place.store(blocks)
      const path = await onlyObject()
      const whole = await readFile(path)
      for (const [at, { cid, bytes }] of blocks.entries()) {
        const [location] = await place.packs.locate([cid.multihash.bytes])
        await writeFile(path, whole)
        await flip(path, (location?.offset ?? 0) + (at % bytes.length))
        const packs = place.reopen()
        await expect(packs.get(cid), `${cid}`).rejects.toMatchObject({
          code: 'DATA_DAMAGED',
          details: { cid: `${cid}` },
        })
        place.clock.ms += 40 * day
        expect(await scrub()).toMatchObject({ damagedBlocks: 1 })
        // The damaged root makes its upload incomplete, too.
        expect((await findings({ readData: 1 }))[0]).toMatchObject({
          kind: 'damaged-blocks',
          multihashes: [Buffer.from(cid.multihash.bytes).toString('hex')],
        })
        if (at < blocks.length - 1) {
          await writeFile(path, whole)
          for await (const { done } of repair(place)) expect(done).toEqual({ kind: 'marked', damaged: 0, healed: 1 })
        }
      }
      await place.store(blocks)
      await readEqual(place.reopen(), blocks)
    })

    test('finds a flipped bit before a block of any hash function', async () => {
      const blocks = await blocksOfEachFunction(30)
      await place.store(blocks)
      const path = await onlyObject()
      const whole = await readFile(path)
      for (const { cid } of blocks) {
        const [location] = await place.packs.locate([cid.multihash.bytes])
        // The last byte of the CID, the first of its multihash, and its version.
        for (const before of [1, cid.multihash.bytes.length, cid.bytes.length]) {
          await writeFile(path, whole)
          await flip(path, (location?.offset ?? 0) - before)
          expect(await findings({ readData: 1 }), `${cid} ${before}`).toMatchObject([{ kind: 'pack-failures' }])
        }
      }
    })

    test('indexes blocks of every hash function again from the bytes of their pack', async () => {
      const blocks = await blocksOfEachFunction(1000)
      await place.store(blocks)
      await loseRows('upload_pack', 'block', 'pack')
      expect((await Array.fromAsync(repair(place)))[0]?.done).toEqual({
        kind: 'taken-in',
        blocks: blocks.length,
        linkedUploads: 1,
      })
      expect(await findings({ readData: 1 })).toEqual([])
      await readEqual(place.reopen(), blocks)
    })

    test('names roots of any length in the manifest', async () => {
      const inline = CID.createV1(0x55, createDigest(0, new Uint8Array(128)))
      const blocks = await blocksOfEachFunction(10)
      const roots = [inline, ...blocks.map(({ cid }) => cid)]
      const writer = place.packs.begin()
      for (const { cid, bytes } of blocks) await writer.sink.put(cid, bytes)
      await place.record(await writer.seal(roots), inline)
      await loseRows('upload_pack', 'block', 'pack', 'upload')
      expect((await Array.fromAsync(importPacks(place))).map(({ kind }) => kind)).toEqual(['taken-in'])
      const [recovered] = await Array.fromAsync(findRecovered(place))
      expect(recovered?.roots.map(String)).toEqual(roots.map(String))
    })

    test('a crafted block cannot stand in for a block of another hash function', async () => {
      const honest = await Promise.all(
        testedFunctions.map(({ name }) => blockHashedWith(name, new TextEncoder().encode(`honest ${name}`))),
      )
      // Each block that consists of the name of another one, by every function.
      const crafted = await Promise.all(
        honest.flatMap(({ cid: { bytes, multihash } }) =>
          [multihash.bytes, multihash.digest, bytes].flatMap((named) => [
            blockOf(named),
            blockHashedWith('dbl-sha2-256', named),
            blockHashedWith('sha2-512', named, 32),
          ]),
        ),
      )
      for (const blocks of [
        [...crafted, ...honest],
        [...honest, ...crafted],
      ]) {
        const sealed = await place.seal(blocks)
        const source = place.packs.openSealed(sealed)
        for (const { cid, bytes } of blocks) expect(Buffer.compare(await source.get(cid), bytes), `${cid}`).toBe(0)
        const upload = await place.record(sealed)
        await readEqual(place.reopen(), blocks)
        await place.clearUpload(upload)
        place.clock.ms += 2 * day
        expect(await removeOld()).toBe(1)
      }
      // The digest of a stored block under the name of another function names no stored block.
      const [stored = blockOf('')] = manyBlocks(1, 100)
      await place.store([stored])
      const renamed = CID.createV1(0x55, createDigest(0x56, stored.cid.multihash.digest))
      await expect(place.packs.get(renamed)).rejects.toSatisfy(withCode('BLOCK_NOT_FOUND'))
      expect(await place.packs.has(renamed)).toBe(false)
    })

    test('stored blocks can form an upload without their bytes, checked before it is recorded', async () => {
      const blocks = manyBlocks(2, 100)
      const first = await place.store(blocks)
      const writer = place.packs.begin()
      const fresh = blockOf('fresh')
      await writer.sink.put(fresh.cid, fresh.bytes)
      for (const { cid } of blocks) expect(await writer.keep(cid)).toBe(true)
      const sealed = await writer.seal([fresh.cid])
      const source = place.packs.openSealed(sealed)
      for (const { cid, bytes } of [fresh, ...blocks]) expect(Buffer.compare(await source.get(cid), bytes)).toBe(0)
      expect(await source.has(fresh.cid)).toBe(true)
      expect(await place.packs.has(fresh.cid)).toBe(false)
      await place.record(sealed)
      await place.clearUpload(first)
      place.clock.ms += 2 * day
      expect(await removeOld()).toBe(0)
    })

    test('an aborted read ends', async () => {
      await place.store(manyBlocks(3, 100))
      const signal = AbortSignal.abort()
      await expect(place.packs.get(manyBlocks(1, 100)[0]?.cid ?? blockOf('').cid, { signal })).rejects.toThrow()
    })
  })
}
