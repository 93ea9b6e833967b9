import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CairnError, KIB, MIB } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allocateAligned, regionFor, regionSlackBytes } from './aligned-bytes.ts'
import { hasDirectIo } from './direct-io.fixture.ts'
import { createDirectReads } from './direct-reads.ts'
import { openFileStore } from './files.ts'
import type { ObjectStore } from './objects.ts'

const isSupported = await hasDirectIo()

/** Not a whole number of blocks. */
const sizeBytes = 24 * MIB + 12_345
const key = 'packs/1/large.car'
let folder = ''
let bytes = Buffer.alloc(0)
let store: ObjectStore

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-direct-reads-'))
  bytes = randomBytes(sizeBytes)
  store = await openFileStore(folder)
  const writer = await store.create(key)
  for (let at = 0; at < sizeBytes; at += 4 * MIB) await writer.append([bytes.subarray(at, at + 4 * MIB)])
  await writer.finish()
  await store.confirm(key)
})
afterAll(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

const equals = (found: Uint8Array, at: number): boolean =>
  Buffer.compare(found, bytes.subarray(at, at + found.length)) === 0

test('returns the same bytes each time, wherever a range begins and ends, into any memory', async () => {
  const ranges = [
    [0, sizeBytes],
    [16 * MIB - 1, MIB],
    [16 * MIB, 300 * KIB],
    [17 * MIB + 1, MIB + 16 * KIB],
    [17 * MIB + 4095, 2 * MIB + 4097],
    [sizeBytes - 3 * MIB - 7, 3 * MIB + 7],
    [sizeBytes - 256 * KIB, 256 * KIB],
  ]
  for (const [at = 0, length = 0] of ranges) {
    for (let time = 0; time < 4; time++) {
      const own = new Uint8Array(length + 3)
      const inside = new Uint8Array(new ArrayBuffer(length + 5), 5)
      const region = regionFor(allocateAligned(length + regionSlackBytes).buffer, at, length)
      for (const into of [undefined, own, inside, region]) {
        for (const read of [store.read, store.readOnce]) {
          into?.fill(0)
          const found = await read(key, at, length, into)
          expect(found.length).toBe(length)
          expect(equals(found, at)).toBe(true)
        }
      }
      expect([...own.subarray(length)]).toEqual([0, 0, 0])
    }
  }
})

test('concurrent readers of the same and of other ranges get theirs', async () => {
  const starts = Array.from({ length: 60 }, (_, index) => 16 * MIB + ((index * 1_234_567) % (7 * MIB)))
  const found = await Promise.all(starts.map((at) => store.readOnce(key, at, 512 * KIB)))
  expect(found.every((each, index) => equals(each, starts[index] ?? 0))).toBe(true)
})

test('rejects a range beyond the end', async () => {
  const isDamaged = (error: unknown) => CairnError.is(error, 'DATA_DAMAGED')
  for (const read of [store.read, store.readOnce]) {
    await expect(read(key, sizeBytes - MIB, MIB + 1)).rejects.toSatisfy(isDamaged)
    await expect(read(key, sizeBytes + 4096, MIB)).rejects.toSatisfy(isDamaged)
  }
})

test('a removed object is gone, although it was read', async () => {
  const writer = await store.create('packs/1/gone.car')
  await writer.append([bytes])
  await writer.finish()
  expect(equals(await store.readOnce('packs/1/gone.car', 17 * MIB, MIB), 17 * MIB)).toBe(true)
  await store.remove('packs/1/gone.car')
  await expect(store.readOnce('packs/1/gone.car', 17 * MIB, MIB)).rejects.toSatisfy((error) =>
    CairnError.is(error, 'DATA_DAMAGED'),
  )
})

test.skipIf(!isSupported)('reads large, rarely read objects directly, and leaves the rest to the cache', async () => {
  const path = join(folder, 'file')
  await writeFile(path, bytes)
  const reads = createDirectReads()
  const read = (at: number, length: number, use: 'often' | 'once' = 'often') =>
    reads.read(path, at, new Uint8Array(length), use)
  // Small, or at the beginning, which is cached since it was written.
  expect(await read(17 * MIB, 100 * KIB)).toBe(false)
  expect(await read(MIB, MIB)).toBe(false)
  // Twice for each area.
  expect(await read(17 * MIB, MIB)).toBe(true)
  expect(await read(18 * MIB, MIB)).toBe(true)
  expect(await read(17 * MIB + 5, MIB)).toBe(true)
  expect(await read(17 * MIB, MIB)).toBe(false)
  expect(await read(18 * MIB, MIB)).toBe(true)
  // Work that passes over the whole file does not count.
  for (let time = 0; time < 5; time++) expect(await read(19 * MIB, MIB, 'once')).toBe(true)
  expect(await read(19 * MIB, MIB)).toBe(true)
  // The next reader reports what is missing.
  expect(await read(sizeBytes - 300 * KIB, MIB)).toBe(false)
  await truncate(path, 20 * MIB)
  expect(await read(20 * MIB, MIB, 'once')).toBe(false)
  await reads.close()
})

test.skipIf(!isSupported)('reads whole blocks into the memory of a region, without a copy', async () => {
  const path = join(folder, 'blocks')
  await writeFile(path, bytes)
  const reads = createDirectReads()
  for (const at of [17 * MIB, 17 * MIB + 5, 18 * MIB + 4095, sizeBytes - MIB - 3]) {
    const length = at > 20 * MIB ? sizeBytes - at : MIB + 16 * KIB
    const { buffer } = allocateAligned(length + regionSlackBytes)
    const region = regionFor(buffer, at, length)
    expect(await reads.read(path, at, region, 'once')).toBe(true)
    expect(equals(region, at)).toBe(true)
    // The rest of the first block.
    expect(equals(new Uint8Array(buffer, 0, region.byteOffset), at - region.byteOffset)).toBe(true)
  }
  await reads.close()
})

test.skipIf(!existsSync('/proc/self/status'))('leaves everything to the cache where the system refuses', async () => {
  const path = join(folder, 'other')
  await writeFile(path, bytes)
  const reads = createDirectReads()
  // Kernel files cannot be opened for direct I/O.
  expect(await reads.read('/proc/self/status', 17 * MIB, new Uint8Array(MIB), 'once')).toBe(false)
  expect(await reads.read(path, 17 * MIB, new Uint8Array(MIB), 'once')).toBe(false)
  await reads.close()
})
