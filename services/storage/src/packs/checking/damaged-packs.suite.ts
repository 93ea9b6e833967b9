import { readFile, rename, writeFile } from 'node:fs/promises'
import { readCar } from '@cairn/unixfs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../db/database.ts'
import { repair } from '../../maintenance/repair.ts'
import { blockOf, createPackPlace, flip, manyBlocks, once, type PackPlace, withCode } from '../pack.fixture.ts'
import { placeColumns } from '../pack-place.ts'
import type { PackEvent } from '../types.ts'
import { check } from './check.ts'
import { scrubPacks } from './scrub.ts'
import { verifyPack } from './verify-pack.ts'

const day = 86_400_000

/** Detection and repair of damaged packs, on every database. */
export function damageSuite(openEmpty: () => Promise<Database>): void {
  describe('damaged packs', () => {
    let place: PackPlace
    beforeEach(async () => {
      place = await createPackPlace(await openEmpty())
    })
    afterEach(() => place.remove())

    test('a flipped bit is an error with the CID and the pack, never wrong bytes; other blocks stay readable', async () => {
      const blocks = manyBlocks(3, 1000)
      await place.store(blocks)
      const [location] = await place.packs.locate([blocks[1]?.cid.multihash.bytes ?? new Uint8Array()])
      await flip(await place.onlyObject(), (location?.offset ?? 0) + 500)
      const packs = place.reopen()
      const failed = await packs.get(blocks[1]?.cid ?? blockOf('').cid).catch((error: unknown) => error)
      expect(failed).toSatisfy(withCode('DATA_DAMAGED'))
      expect(failed).toMatchObject({ details: { cid: `${blocks[1]?.cid}`, pack: location?.objectKey } })
      expect(await packs.get(blocks[0]?.cid ?? blockOf('').cid)).toHaveLength(1000)
      expect(place.events).toMatchObject([{ type: 'block-damaged', cid: `${blocks[1]?.cid}` }])
      const run = packs.read(blocks.map(({ cid }) => cid))
      expect((await run.next()).value?.bytes).toHaveLength(1000)
      await expect(run.next()).rejects.toSatisfy(withCode('DATA_DAMAGED'))
      expect(await place.findings()).toMatchObject([{ kind: 'damaged-blocks', count: 1 }])
      // The same bytes uploaded again are stored again, and all readers use the new copy.
      await place.store(blocks)
      expect(await packs.get(blocks[1]?.cid ?? blockOf('').cid)).toEqual(Buffer.from(blocks[1]?.bytes ?? []))
    })

    test.each([3, 255])('verifies a pack whose block %d is empty once', async (at) => {
      // The rows of 256 blocks are read together.
      const blocks = [...manyBlocks(at, 100), blockOf(''), ...manyBlocks(at - 3, 100, 2)]
      await place.store(blocks)
      const pack = await place.db.read
        .selectFrom('pack')
        .select(['id', 'size_bytes', 'block_count', ...placeColumns])
        .executeTakeFirstOrThrow()
      let reads = 0
      const pace = async () => {
        if (++reads > 2) throw new Error('The pack is read again')
      }
      const intact = { blocks: blocks.length, damaged: [], failures: [] }
      expect(await verifyPack(pack, { ...place, pace })).toMatchObject(intact)
    })

    test('scrubbing finds every flipped bit: blocks, frames, header, manifest', async () => {
      const blocks = manyBlocks(4, 300)
      await place.store(blocks)
      const path = await place.onlyObject()
      const whole = await readFile(path)
      expect(await place.scrub()).toEqual({ packs: 1, bytes: expect.any(Number), damagedBlocks: 0 })
      const car = await readCar(once(whole))
      const codecs = (await Array.fromAsync(car.blocks)).map(({ offset }) => offset - 35)
      for (let at = 0; at < whole.length; at += 19) {
        // A changed codec does not matter: blocks are read by their hash.
        if (codecs.includes(at)) continue
        place.events.length = 0
        place.clock.ms += 40 * day
        await writeFile(path, whole)
        await flip(path, at)
        await place.scrub()
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
          if (slept === ms) expect((await place.scrub()).packs).toBe(0)
        },
      }
      const parts = { ...place, clock, owner: 'first', bytesPerSecond: 1_000_000 }
      expect(await scrubPacks(parts, AbortSignal.any([]))).toMatchObject({ packs: 1 })
      expect(slept).toBeGreaterThan(7900)
      expect(slept).toBeLessThan(8200)
      place.clock.ms += 40 * day
      expect((await place.scrub()).packs).toBe(1)
    })

    test.each(['removed', 'lost'] as const)('a pack that is %s during a scrub is not damaged', async (how) => {
      const upload = await place.store(manyBlocks(4, 1_000_000))
      const path = await place.onlyObject()
      let reads = 0
      const sleep = async () => {
        if (++reads > 1) return
        if (how === 'lost') {
          await rename(path, `${place.folder}/away`)
          return place.objects.releaseFiles()
        }
        await place.clearUpload(upload)
        place.clock.ms += 2 * day
        expect(await place.removeOld()).toBe(1)
      }
      const onEvent = (event: PackEvent) => place.events.push(event)
      const parts = { ...place, clock: { now: () => place.clock.ms, sleep }, owner: 'me', onEvent }
      expect(await scrubPacks(parts, AbortSignal.any([]))).toEqual({ packs: 0, bytes: 0, damagedBlocks: 0 })
      expect(place.events.map(({ type }) => type)).toEqual(how === 'lost' ? ['pack-missing'] : [])
      expect((await place.findings()).map(({ kind }) => kind)).not.toContain('damaged-blocks')
    })

    test('a pack that is removed while others are checked is not missing', async () => {
      await place.store(manyBlocks(2, 300))
      await flip(await place.onlyObject(), 200)
      place.clock.ms += 1000
      const upload = await place.store(manyBlocks(2, 300, 2))
      const found: string[] = []
      for await (const { kind } of check({ ...place, readData: 1 })) {
        found.push(kind)
        if (found.length > 1) continue
        await place.clearUpload(upload)
        place.clock.ms += 2 * day
        expect(await place.removeOld()).toBe(1)
      }
      expect(found).toEqual(['damaged-blocks'])
    })

    test('scrubs a pack once its upload is recorded, because its rows may be incomplete before', async () => {
      const sealed = await place.seal(manyBlocks(4097, 20))
      expect(sealed.own?.isIndexed).toBe(true)
      expect((await place.scrub()).packs).toBe(0)
      await place.record(sealed)
      expect((await place.scrub()).packs).toBe(1)
    })

    test('check reports a missing pack file, and repair allows another upload of its content', async () => {
      const blocks = manyBlocks(3, 1000)
      await place.store(blocks)
      const path = await place.onlyObject()
      await rename(path, `${place.folder}/away`)
      expect(await place.findings()).toMatchObject([{ kind: 'missing-pack' }])
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
      expect(await place.findings({ readData: 1 })).toEqual([])
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
      expect((await place.findings()).map(({ kind }) => kind).toSorted()).toEqual([
        'wrong-ledger',
        'wrong-ledger',
        'wrong-ledger',
        'wrong-reference',
      ])
      await Array.fromAsync(repair(place))
      expect(await place.findings()).toEqual([])
      await place.clearUpload(upload)
      expect(await place.db.read.selectFrom('pack').select('unreferenced_at').execute()).toEqual([
        { unreferenced_at: place.clock.ms },
      ])
    })
  })
}
