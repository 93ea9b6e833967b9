import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hashFunctions, verifyBlock } from '@cairn/unixfs'
import { CarReader } from '@ipld/car'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../db/database.ts'
import { repair } from '../../maintenance/repair.ts'
import {
  blockHashedWith,
  blockOf,
  createPackPlace,
  flip,
  manyBlocks,
  type PackPlace,
  type TestBlock,
  withCode,
} from '../pack.fixture.ts'
import { findRecovered, hashSha256, importPacks, type PackStore } from '../packs.ts'

const day = 86_400_000
/** The tested functions: all, but only a few of the 45 lengths of BLAKE2b. */
const testedFunctions = hashFunctions.filter(({ name }) => !/^blake2b-(?!160|256|512)/.test(name))

/** Blocks of other hash functions than SHA2-256, on every database. */
export function hashSuite(openEmpty: () => Promise<Database>): void {
  describe('hash functions of blocks', () => {
    let place: PackPlace
    beforeEach(async () => {
      place = await createPackPlace(await openEmpty())
    })
    afterEach(() => place.remove())

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
        expect(await again.keep(blocks.map(({ cid }) => cid))).toEqual(blocks.map(({ bytes }) => bytes.length))
        for (const { cid, bytes } of blocks) await again.sink.put(cid, bytes)
        expect((await again.seal([])).own).toBeUndefined()
        expect((await place.seal(blocks)).own).toBeUndefined()
      }
      expect(await place.findings({ readData: 1 })).toEqual([])
      for (const key of await place.objectKeys()) {
        const car = await CarReader.fromBytes(await readFile(join(place.folder, 'objects', key)))
        for await (const { cid, bytes } of car.blocks()) await verifyBlock(cid, bytes, hashSha256)
      }
    })

    test('indexes a large pack with blocks of other hash functions in advance', async () => {
      const other = await blocksOfEachFunction(64)
      const sealed = await place.seal([...manyBlocks(5000, 64), ...other])
      expect(sealed.own?.isIndexed).toBe(true)
      await place.record(sealed)
      await readEqual(place.reopen(), other)
      expect(await place.findings({ readData: 1 })).toEqual([])
    })

    test('finds a flipped bit in a block of any hash function, and reads it again once it is stored again', async () => {
      const blocks = await blocksOfEachFunction(300)
      await place.store(blocks)
      const path = await place.onlyObject()
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
        expect(await place.scrub()).toMatchObject({ damagedBlocks: 1 })
        // The damaged root makes its upload incomplete, too.
        expect((await place.findings({ readData: 1 }))[0]).toMatchObject({
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
      const path = await place.onlyObject()
      const whole = await readFile(path)
      for (const { cid } of blocks) {
        const [location] = await place.packs.locate([cid.multihash.bytes])
        // The last byte of the CID, the first of its multihash, and its version.
        for (const before of [1, cid.multihash.bytes.length, cid.bytes.length]) {
          await writeFile(path, whole)
          await flip(path, (location?.offset ?? 0) - before)
          expect(await place.findings({ readData: 1 }), `${cid} ${before}`).toMatchObject([{ kind: 'pack-failures' }])
        }
      }
    })

    test('rebuilds the index of blocks of every hash function from the bytes of their pack', async () => {
      const blocks = await blocksOfEachFunction(1000)
      await place.store(blocks)
      await place.loseRows('upload_pack', 'block', 'pack')
      expect((await Array.fromAsync(repair(place)))[0]?.done).toEqual({
        kind: 'taken-in',
        blocks: blocks.length,
        linkedUploads: 1,
      })
      expect(await place.findings({ readData: 1 })).toEqual([])
      await readEqual(place.reopen(), blocks)
    })

    test('record roots of any length in the manifest', async () => {
      const inline = CID.createV1(0x55, createDigest(0, new Uint8Array(128)))
      const blocks = await blocksOfEachFunction(10)
      const roots = [inline, ...blocks.map(({ cid }) => cid)]
      const writer = place.packs.begin()
      for (const { cid, bytes } of blocks) await writer.sink.put(cid, bytes)
      await place.record(await writer.seal(roots), inline)
      await place.loseRows('upload_pack', 'block', 'pack', 'upload')
      expect((await Array.fromAsync(importPacks(place))).map(({ kind }) => kind)).toEqual(['taken-in'])
      const [recovered] = await Array.fromAsync(findRecovered(place))
      expect(recovered?.roots.map(String)).toEqual(roots.map(String))
    })

    test('a crafted block cannot stand in for a block of another hash function', async () => {
      const honest = await Promise.all(
        testedFunctions.map(({ name }) => blockHashedWith(name, new TextEncoder().encode(`honest ${name}`))),
      )
      // Blocks that each contain the name of another one, for every function.
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
        expect(await place.removeOld()).toBe(1)
      }
      // The digest of a stored block under the name of another function refers to no stored block.
      const [stored = blockOf('')] = manyBlocks(1, 100)
      await place.store([stored])
      const renamed = CID.createV1(0x55, createDigest(0x56, stored.cid.multihash.digest))
      await expect(place.packs.get(renamed)).rejects.toSatisfy(withCode('BLOCK_NOT_FOUND'))
      expect(await place.packs.has(renamed)).toBe(false)
    })
  })
}
