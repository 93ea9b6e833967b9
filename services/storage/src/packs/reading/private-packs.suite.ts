import { CID } from 'multiformats/cid'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../db/database.ts'
import { blockOf, createPackPlace, manyBlocks, type PackPlace, type TestBlock, withCode } from '../pack.fixture.ts'
import { findRecovered, importPacks, mergePacks } from '../packs.ts'

const hour = 3_600_000
const day = 24 * hour
const missing = withCode('BLOCK_NOT_FOUND')

/** Blocks of private uploads: which readers find them, and that they stay private whatever happens to their packs. */
export function privateSuite(openEmpty: () => Promise<Database>): void {
  describe('private packs', () => {
    let place: PackPlace
    beforeEach(async () => {
      place = await createPackPlace(await openEmpty())
    })
    afterEach(() => place.remove())

    const rows = () =>
      place.db.read.selectFrom('pack').select(['id', 'is_private', 'is_merged']).orderBy('id').execute()

    /** Whether only readers of the upload find these blocks. */
    const expectHidden = async (blocks: readonly TestBlock[], uploadId: string) => {
      for (const packs of [place.packs, place.reopen()]) {
        const own = packs.openPrivate(uploadId)
        for (const { cid, bytes } of blocks) {
          await expect(packs.get(cid)).rejects.toSatisfy(missing)
          await expect(packs.openReader().get(cid)).rejects.toSatisfy(missing)
          await expect(Array.fromAsync(packs.read([cid]))).rejects.toSatisfy(missing)
          expect(await packs.has(cid)).toBe(false)
          expect(await packs.locate([cid.multihash.bytes])).toEqual([undefined])
          await expect(packs.openPrivate('upload-of-another').get(cid)).rejects.toSatisfy(missing)
          expect(Buffer.compare(await own.get(cid), bytes)).toBe(0)
          await expect(packs.get(cid)).rejects.toSatisfy(missing)
        }
      }
    }

    test('are found only by readers of their upload, before and after these have read them', async () => {
      const blocks = manyBlocks(30, 1000)
      const id = await place.storePrivate(blocks)
      await expectHidden(blocks, id)
      const prefetched = place.packs.openPrivate(id)
      prefetched.prefetch?.(blocks.map(({ cid }) => cid))
      for (const { cid, bytes } of blocks) expect(Buffer.compare(await prefetched.get(cid), bytes)).toBe(0)
      await expectHidden(blocks, id)
    })

    test('look like blocks that are not stored to others when damaged', async () => {
      const block = blockOf('secret')
      const id = await place.storePrivate([block])
      await place.db.write((trx) => trx.updateTable('block').set({ damaged_at: 1 }).execute())
      await expect(place.packs.get(block.cid)).rejects.toSatisfy(missing)
      await expect(place.packs.openPrivate(id).get(block.cid)).rejects.toSatisfy(withCode('DATA_DAMAGED'))
    })

    test('no upload relies on them, and they rely on no other pack', async () => {
      const blocks = manyBlocks(10, 1000)
      const secret = await place.storePrivate(blocks)
      const writer = place.packs.begin()
      expect(await writer.keep([blocks[0]?.cid ?? CID.parse('')])).toEqual([undefined])
      await writer.abort()
      const open = await place.store(blocks)
      // Public through the other upload, and private again without it.
      for (const { cid, bytes } of blocks) expect(Buffer.compare(await place.packs.get(cid), bytes)).toBe(0)
      const second = await place.storePrivate(blocks)
      expect((await rows()).map((row) => row.is_private)).toEqual([1, 0, 1])
      const counts = await place.db.read
        .selectFrom('upload_pack')
        .select(({ fn }) => ['upload_id', fn.countAll<number>().as('packs')])
        .groupBy('upload_id')
        .execute()
      expect(counts.map(({ packs }) => Number(packs))).toEqual([1, 1, 1])
      await place.clearUpload(open)
      place.clock.ms += 2 * day
      expect(await place.removeOld()).toBe(1)
      place.packs.evict()
      await expectHidden(blocks, secret)
      await place.clearUpload(secret)
      await expect(place.packs.openPrivate(secret).get(blocks[0]?.cid ?? CID.parse(''))).rejects.toSatisfy(missing)
      expect(await place.findings({ readData: 1 })).toEqual([])
      await expectHidden(blocks, second)
    })

    test('with many blocks are private before their upload is recorded, too', async () => {
      const blocks = manyBlocks(5000, 20)
      const sealed = await place.seal(blocks, { isPrivate: true })
      expect(await rows()).toMatchObject([{ is_private: 1 }])
      await expectHidden(blocks.slice(0, 3), await place.record(sealed))
    })

    test('merge among themselves', async () => {
      const secrets: { id: string; blocks: TestBlock[] }[] = []
      for (let at = 0; at < 40; at++) {
        const blocks = manyBlocks(3, 200, 100 + at)
        secrets.push({ id: await place.storePrivate(blocks), blocks })
        await place.store(manyBlocks(3, 200, 1000 + at))
      }
      place.clock.ms += 2 * day
      const settings = {
        maxPackBytes: 2 ** 20,
        targetBytes: 2 ** 22,
        minAgeMs: hour,
        maxWaitMs: day,
        bytesPerSecond: 1e9,
      }
      const merging = { ...place, clock: place.workerClock(), owner: 'one', settings, graceMs: day }
      const merged = await mergePacks({ ...merging, isBusy: async () => false }, new AbortController().signal)
      expect(merged).toMatchObject({ merged: 2, packs: 80 })
      const of = (await rows()).filter(({ is_merged }) => is_merged === 1).map(({ is_private }) => is_private)
      expect(of.toSorted()).toEqual([0, 1])
      for (const { id, blocks } of secrets) await expectHidden(blocks, id)
      expect(await place.findings({ readData: 1 })).toEqual([])
      // Only the objects tell which one is private.
      await place.loseRows('upload_pack', 'block', 'pack', 'upload')
      place.packs.evict()
      await Array.fromAsync(importPacks({ ...place }))
      const imported = await rows()
      expect(imported.filter((row) => row.is_private === 1)).toHaveLength(41)
      expect(imported).toHaveLength(82)
      for (const { blocks } of secrets)
        for (const { cid } of blocks) await expect(place.packs.get(cid)).rejects.toSatisfy(missing)
    })

    test('stay private when the database is lost', async () => {
      const blocks = manyBlocks(20, 1000)
      const open = manyBlocks(20, 1000, 50)
      await place.storePrivate(blocks)
      await place.store(open)
      await place.loseRows('upload_pack', 'block', 'pack', 'upload')
      place.packs.evict()
      await Array.fromAsync(importPacks({ ...place }))
      const { cid: root } = blocks.at(-1) ?? blockOf('')
      await expect(place.packs.get(root)).rejects.toSatisfy(missing)
      const found = await Array.fromAsync(findRecovered(place))
      expect(found.map(({ isPrivate, roots }) => ({ isPrivate, roots: roots.map(String) }))).toEqual([
        { isPrivate: true, roots: [`${root}`] },
        { isPrivate: false, roots: [`${open.at(-1)?.cid}`] },
      ])
      for (const { cid } of open) expect(await place.packs.has(cid)).toBe(true)
      expect(await place.packs.openAll().get(root)).toHaveLength(1000)
      await expect(place.packs.get(root)).rejects.toSatisfy(missing)
    })

    test('are linked by an import only to private uploads', async () => {
      const block = blockOf('both')
      const secret = await place.storePrivate([block])
      const open = await place.store([block])
      const [pack] = await place.objectKeys()
      const openRow = await place.db.read.selectFrom('upload_pack').selectAll().where('upload_id', '=', open).execute()
      await place.loseRows('upload_pack', 'block', 'pack')
      expect(openRow).toHaveLength(1)
      const taken = await Array.fromAsync(importPacks({ ...place }))
      expect(taken).toMatchObject([{ objectKey: pack, linkedUploads: 1 }, { linkedUploads: 1 }])
      const linked = await place.db.read
        .selectFrom('upload_pack')
        .innerJoin('pack', 'pack.id', 'upload_pack.pack_id')
        .select(['upload_id', 'is_private'])
        .execute()
      expect(linked.toSorted((a, b) => a.is_private - b.is_private)).toEqual([
        { upload_id: open, is_private: 0 },
        { upload_id: secret, is_private: 1 },
      ])
    })
  })
}
