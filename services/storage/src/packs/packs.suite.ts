import { readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { CairnError, MIB } from '@cairn/protocol'
import type { ObjectStore } from '@cairn/service/objects'
import { createFileImporter, importProfiles, readCar, readFile as readUnixfs, verifyBlock } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../db/database.ts'
import { blockOf, createPackPlace, manyBlocks, once, type PackPlace, withCode } from './pack.fixture.ts'
import { createPackStore, hashSha256 } from './packs.ts'

const day = 86_400_000
/** What packs guarantee on every database. */
export function packSuite(openEmpty: () => Promise<Database>): void {
  describe('packs', () => {
    let place: PackPlace
    beforeEach(async () => {
      place = await createPackPlace(await openEmpty())
    })
    afterEach(() => place.remove())

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

    test('keep the nodes of a walk in memory, and not the leaves', async () => {
      const leaves = manyBlocks(3, 1000)
      const nodes = manyBlocks(3, 1000, 2).map(({ cid, bytes }) => ({ cid: CID.createV1(0x70, cid.multihash), bytes }))
      const walked = [...leaves, ...nodes].map(({ cid }) => cid)
      await place.store([...leaves, ...nodes])
      const reader = place.packs.openReader()
      reader.prefetch?.(walked)
      for (const cid of walked) await reader.get(cid)
      // The file may still be open, so its bytes are cut off.
      await truncate(await place.onlyObject(), 0)
      for (const { cid, bytes } of nodes) expect(Buffer.compare(await place.packs.get(cid), bytes)).toBe(0)
      for (const { cid } of leaves) await expect(place.packs.get(cid)).rejects.toSatisfy(withCode('DATA_DAMAGED'))
    })

    test('nodes in memory stay unchanged while their reader reuses its memory', async () => {
      const nodes = manyBlocks(40, 10_000, 2).map(({ cid, bytes }) => ({
        cid: CID.createV1(0x70, cid.multihash),
        bytes,
      }))
      const walked = [...nodes, ...manyBlocks(100, 100_000)]
      await place.store(walked)
      const reader = place.packs.openReader()
      reader.prefetch?.(walked.map(({ cid }) => cid))
      for (const { cid } of walked) await reader.get(cid)
      for (const { cid, bytes } of nodes) expect(Buffer.compare(await place.packs.get(cid), bytes)).toBe(0)
    })

    test('a block of a reader stays unchanged until another MiB was passed on', async () => {
      const sizeBytes = 16_000
      const blocks = manyBlocks(800, sizeBytes)
      await place.store(blocks)
      const reader = place.packs.openReader()
      reader.prefetch?.(blocks.map(({ cid }) => cid))
      const passedOn: { found: Uint8Array; bytes: Uint8Array }[] = []
      for (const [at, { cid, bytes }] of blocks.entries()) {
        passedOn.push({ found: await reader.get(cid), bytes })
        if (passedOn.length * sizeBytes < MIB) continue
        const oldest = passedOn.shift()
        expect(Buffer.compare(oldest?.found ?? bytes, oldest?.bytes ?? new Uint8Array())).toBe(0)
        // Runs are read and hashed at any time, even if the reader comes late.
        if (at % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      for (const { found, bytes } of passedOn) expect(Buffer.compare(found, bytes)).toBe(0)
    })

    test('the last blocks of a reader stay unchanged while a block of any size is read', async () => {
      const sizes = [10_000, 300_000, 60_000, 1_000_000]
      const blocks = Array.from({ length: 60 }, (_, at) => {
        const text = `block ${at} `
        return blockOf(text.repeat(Math.ceil((sizes[(at * 7 + (at >> 3)) % sizes.length] ?? 0) / text.length)))
      })
      await place.store(blocks)
      const reader = place.packs.openReader()
      reader.prefetch?.(blocks.map(({ cid }) => cid))
      const passedOn: { found: Uint8Array; bytes: Uint8Array }[] = []
      for (const { cid, bytes } of blocks) {
        const coming = reader.get(cid)
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
        for (const { found, bytes } of passedOn) expect(Buffer.compare(found, bytes)).toBe(0)
        passedOn.push({ found: await coming, bytes })
        while (passedOn.reduce((sum, one) => sum + one.bytes.length, 0) > MIB) passedOn.shift()
      }
    })

    test('reads ahead in the next list while the last blocks of one are consumed', async () => {
      const sizeBytes = 100_000
      const blocks = manyBlocks(80, sizeBytes)
      await place.store(blocks)
      let readTo = 0
      const objects: ObjectStore = {
        ...place.objects,
        read: (key, offset, length, into) => {
          readTo = Math.max(readTo, offset + length)
          return place.objects.read(key, offset, length, into)
        },
      }
      const reader = createPackStore({ ...place, objects, onEvent: (event) => place.events.push(event) }).openReader()
      const cids = blocks.map(({ cid }) => cid)
      reader.prefetch?.(cids.slice(0, 40))
      await reader.get(cids[0] ?? blockOf('').cid)
      reader.prefetch?.(cids.slice(40))
      for (const cid of cids.slice(1, 40)) await reader.get(cid)
      await expect.poll(() => readTo).toBeGreaterThan(41 * sizeBytes)
      for (const { cid, bytes } of blocks.slice(40)) expect(Buffer.compare(await reader.get(cid), bytes)).toBe(0)
    })

    test.each([
      { isRemote: false, least: 2, most: 5 },
      { isRemote: true, least: 7, most: 10 },
    ])('a waiting reader runs more reads at a remote store: $isRemote', async ({ isRemote, least, most }) => {
      const sizeBytes = 100_000
      const blocks = manyBlocks(300, sizeBytes)
      await place.store(blocks)
      let held: { offset: number; release: () => void }[] = []
      const objects: ObjectStore = {
        ...place.objects,
        isRemote,
        read: async (...range) => {
          await new Promise<void>((release) => held.push({ offset: range[1], release }))
          return place.objects.read(...range)
        },
      }
      const reader = createPackStore({ ...place, objects, onEvent: (event) => place.events.push(event) }).openReader()
      reader.prefetch?.(blocks.map(({ cid }) => cid))
      let mostHeld = 0
      for (const [at, { cid, bytes }] of blocks.entries()) {
        let isDone = false
        const found = reader.get(cid).finally(() => {
          isDone = true
        })
        // A read ends once a block of it was requested: this reader always waits.
        const isRequested = ({ offset }: { offset: number }) => offset < (at + 0.5) * (sizeBytes + 50)
        while (!isDone) {
          mostHeld = Math.max(mostHeld, held.length)
          for (const { release } of held.filter(isRequested)) release()
          held = held.filter((read) => !isRequested(read))
          await new Promise((resolve) => setImmediate(resolve))
        }
        expect(Buffer.compare(await found, bytes)).toBe(0)
      }
      expect(mostHeld).toBeGreaterThanOrEqual(least)
      expect(mostHeld).toBeLessThanOrEqual(most)
    })

    test('a pack is an ordinary CARv1 with the root of the upload', async () => {
      const blocks = manyBlocks(5, 1000)
      await place.store(blocks)
      const bytes = await readFile(await place.onlyObject())
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
      expect((await place.objects.size((await place.objectKeys())[0] ?? '')) ?? 0).toBeLessThan(53_000)
      const again = await place.seal(blocks)
      expect(again).toMatchObject({ own: undefined, dependsOn: [expect.anything()] })
      await place.record(again)
      const partly = await place.seal([...blocks.slice(0, 5), ...manyBlocks(3, 5000, 2)])
      expect(partly.own?.blocks.count).toBe(3)
      expect(partly.dependsOn).toEqual(again.dependsOn)
      await place.record(partly)
      expect(await place.findings({ readData: 1 })).toEqual([])
    })

    test('one sealed pack can belong to several uploads', async () => {
      const sealed = await place.seal(manyBlocks(3, 100))
      const first = await place.record(sealed)
      const second = await place.record(sealed)
      await place.clearUpload(first)
      place.clock.ms += 2 * day
      expect(await place.removeOld()).toBe(0)
      await place.clearUpload(second)
      place.clock.ms += 2 * day
      expect(await place.removeOld()).toBe(1)
      expect(await place.objectKeys()).toEqual([])
    })

    test('indexes a pack of thousands of blocks in advance, and protects it from removal once recorded', async () => {
      const blocks = manyBlocks(5000, 64)
      const sealed = await place.seal(blocks)
      expect(sealed.own?.isIndexed).toBe(true)
      await place.record(sealed)
      place.clock.ms += 2 * day
      expect(await place.removeOld()).toBe(0)
      const all = await place.packs.locate(blocks.map(({ cid }) => cid.multihash.bytes))
      expect(all.every((location) => location !== undefined)).toBe(true)
      expect(await place.findings({ readData: 1 })).toEqual([])
      const dropped = await place.seal(manyBlocks(5000, 64, 9))
      await place.packs.discard(dropped)
      expect(await place.objectKeys()).toHaveLength(1)
    })

    test('abort leaves nothing', async () => {
      const writer = place.packs.begin()
      for (const { cid, bytes } of manyBlocks(40, 200_000)) await writer.sink.put(cid, bytes)
      await writer.abort()
      await writer.abort()
      expect(await readdir(join(place.folder, 'tmp'))).toEqual([])
      expect(await place.objectKeys()).toEqual([])
      expect(() => writer.sink.put(blockOf('x').cid, blockOf('x').bytes)).toThrow()
    })

    test('a pack whose rows cannot be written leaves nothing', async () => {
      let writes = 0
      const isDown = () => ++writes === 2
      const db: Database = {
        ...place.db,
        write: (unit) => (isDown() ? Promise.reject(new CairnError('UNAVAILABLE')) : place.db.write(unit)),
      }
      const writer = createPackStore({ ...place, db }).begin()
      for (const { cid, bytes } of manyBlocks(5000, 20)) await writer.sink.put(cid, bytes)
      await expect(writer.seal([])).rejects.toSatisfy(withCode('UNAVAILABLE'))
      await writer.abort()
      expect(await place.objectKeys()).toEqual([])
      expect(await place.objects.listUnconfirmed('all')).toEqual(new Set())
      expect(await place.db.read.selectFrom('pack').select('id').execute()).toEqual([])
    })

    test('uploads that share a sealed pack can be recorded at the same time', async () => {
      const blocks = manyBlocks(3, 100)
      const sealed = await place.seal(blocks)
      await Promise.all(Array.from({ length: 6 }, () => place.record(sealed)))
      const uses = await place.db.read.selectFrom('upload_pack').selectAll().execute()
      expect(new Set(uses.map(({ pack_id }) => pack_id))).toEqual(new Set([sealed.own?.id]))
      expect(uses).toHaveLength(6)
      expect(await place.findings()).toEqual([])
    })

    test('rejects a pack with the id or object of another pack', async () => {
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

    test('identity blocks need no pack; unknown blocks, other hashes and large blocks have their codes', async () => {
      const identity = CID.createV1(0x55, createDigest(0, Uint8Array.of(1, 2, 3)))
      expect(await place.packs.get(identity)).toEqual(Uint8Array.of(1, 2, 3))
      expect(await place.packs.has(identity)).toBe(true)
      expect(await place.packs.has(blockOf('none').cid)).toBe(false)
      await expect(place.packs.get(blockOf('none').cid)).rejects.toSatisfy(withCode('BLOCK_NOT_FOUND'))
      const writer = place.packs.begin()
      expect(writer.sink.put(identity, Uint8Array.of(1, 2, 3))).toBeUndefined()
      expect(await writer.keep([identity, blockOf('none').cid])).toEqual([3, undefined])
      for (const unsafe of [createDigest(0x22, new Uint8Array(8)), createDigest(0x12, new Uint8Array(19))]) {
        const other = CID.createV1(0x55, unsafe)
        const refusal = expect.objectContaining({ code: 'UNSUPPORTED_CODEC', details: { cid: `${other}` } })
        expect(() => writer.sink.put(other, new Uint8Array(1))).toThrow(refusal)
        await expect(writer.keep([other])).rejects.toEqual(refusal)
        await expect(place.packs.get(other)).rejects.toEqual(refusal)
        await expect(place.packs.has(other)).rejects.toEqual(refusal)
      }
      const large = blockOf(new Uint8Array(2 * 1024 * 1024 + 1))
      expect(() => writer.sink.put(large.cid, large.bytes)).toThrow(
        expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }),
      )
      expect((await writer.seal([])).own).toBeUndefined()
    })

    test('stored blocks can form an upload without their bytes, verified before it is recorded', async () => {
      const blocks = manyBlocks(2, 100)
      const first = await place.store(blocks)
      const writer = place.packs.begin()
      const fresh = blockOf('fresh')
      await writer.sink.put(fresh.cid, fresh.bytes)
      const cids = blocks.map(({ cid }) => cid)
      expect(await writer.keep([fresh.cid, ...cids])).toEqual([5, 100, 100])
      const sealed = await writer.seal([fresh.cid])
      const source = place.packs.openSealed(sealed)
      for (const { cid, bytes } of [fresh, ...blocks]) expect(Buffer.compare(await source.get(cid), bytes)).toBe(0)
      expect(await source.has(fresh.cid)).toBe(true)
      expect(await place.packs.has(fresh.cid)).toBe(false)
      await place.record(sealed)
      await place.clearUpload(first)
      place.clock.ms += 2 * day
      expect(await place.removeOld()).toBe(0)
    })

    test('an aborted read ends', async () => {
      await place.store(manyBlocks(3, 100))
      const signal = AbortSignal.abort()
      await expect(place.packs.get(manyBlocks(1, 100)[0]?.cid ?? blockOf('').cid, { signal })).rejects.toThrow()
    })
  })
}
