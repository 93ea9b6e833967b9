import { randomBytes } from 'node:crypto'
import { mkdtemp, open, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CairnError, KIB } from '@cairn/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFileStore } from './files.ts'
import { type CacheResult, cachePieceBytes, openObjectCache } from './object-cache.ts'
import type { ObjectStore } from './objects.ts'
import { createS3Place } from './s3/s3-place.fixture.ts'

let folder = ''
let objects: ObjectStore
let calls: string[] = []
let fault: ((bytes: Uint8Array) => Promise<Uint8Array>) | undefined
const results: CacheResult[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-cache-'))
  objects = await openFileStore(join(folder, 'packs'))
  calls = []
  results.length = 0
  fault = undefined
})
afterEach(async () => {
  await objects.close()
  await rm(folder, { recursive: true })
})

const source: Pick<ObjectStore, 'read' | 'size'> = {
  async read(key, offset, length, into) {
    calls.push(`${key} ${offset} ${length}`)
    const bytes = await objects.read(key, offset, length, into)
    return fault === undefined ? bytes : fault(bytes)
  },
  size: (key) => objects.size(key),
}
const openCache = (pieces: number) =>
  openObjectCache({
    objects: source,
    folder: join(folder, 'cache'),
    maxBytes: pieces * cachePieceBytes + 5,
    onResult: (result) => results.push(result),
  })
async function put(key: string, bytes: Uint8Array): Promise<Uint8Array> {
  const writer = await objects.create(key)
  await writer.append([bytes])
  await writer.finish()
  await objects.confirm(key)
  return bytes
}
/** The unnamed file that the cache writes. */
async function openCacheFile() {
  for (const fd of await readdir('/proc/self/fd')) {
    const path = await readlink(`/proc/self/fd/${fd}`).catch(() => '')
    if (path.startsWith(join(folder, 'cache'))) return open(`/proc/self/fd/${fd}`, 'r+')
  }
  throw new Error('no file')
}

test('reads every range as the store does, each piece from the store once', async () => {
  const bytes = await put('packs/1/a.car', randomBytes(3 * cachePieceBytes + 1000))
  const cache = await openCache(16)
  const ranges = [
    [0, 10],
    [5, 300 * KIB],
    [cachePieceBytes - 1, 2],
    [0, bytes.length],
    [bytes.length - 1, 1],
  ] as const
  for (const [offset, length] of ranges) {
    const into = new Uint8Array(length + 7)
    expect(
      Buffer.compare(await cache.read('packs/1/a.car', offset, length), bytes.subarray(offset, offset + length)),
    ).toBe(0)
    const view = await cache.read('packs/1/a.car', offset, length, into)
    expect(view.buffer).toBe(into.buffer)
    expect(Buffer.compare(view, bytes.subarray(offset, offset + length))).toBe(0)
  }
  expect(calls).toEqual([
    `packs/1/a.car 0 ${cachePieceBytes}`,
    `packs/1/a.car ${cachePieceBytes} ${cachePieceBytes}`,
    `packs/1/a.car ${2 * cachePieceBytes} ${cachePieceBytes + 1000}`,
  ])
  for (const [offset, length] of [
    [bytes.length - 5, 6],
    [bytes.length + 10, 1],
    [2 ** 40, 1],
  ] as const)
    await expect(cache.read('packs/1/a.car', offset, length)).rejects.toSatisfy((error) =>
      CairnError.is(error, 'DATA_DAMAGED'),
    )
  await expect(cache.read('packs/1/none.car', 0, 1)).rejects.toSatisfy((error) => CairnError.is(error, 'DATA_DAMAGED'))
  await cache.close()
})

test('never uses more than its size on the disk, and evicts what was used least recently', async () => {
  const cache = await openCache(2)
  const keys = ['packs/1/a.car', 'packs/1/b.car', 'packs/1/c.car']
  for (const key of keys) await put(key, randomBytes(1000))
  const read = (at: number) => cache.read(keys[at] ?? '', 0, 1000)
  for (const at of [0, 1, 0, 2, 0, 2]) await read(at)
  expect(calls.map((call) => call[8])).toEqual(['a', 'b', 'c'])
  await read(1)
  expect(calls).toHaveLength(4)
  await read(2)
  expect(calls).toHaveLength(4)
  await read(0)
  expect(calls).toHaveLength(5)
  const file = await openCacheFile()
  expect((await file.stat()).size).toBeLessThanOrEqual(2 * cachePieceBytes)
  expect(cache.usedBytes).toBe(2 * cachePieceBytes)
  await file.close()
  await cache.close()
  expect(await readdir(join(folder, 'cache'))).toEqual([])
})

test('a piece that changed on the disk is never served, and is fetched again', async () => {
  const bytes = await put('packs/1/a.car', randomBytes(2 * cachePieceBytes))
  const cache = await openCache(8)
  await cache.read('packs/1/a.car', 0, bytes.length)
  await expect.poll(() => cache.usedBytes).toBe(2 * cachePieceBytes)
  const file = await openCacheFile()
  await file.write(Buffer.from('wrong'), 0, 5, cachePieceBytes + 100)
  expect(Buffer.compare(await cache.read('packs/1/a.car', 0, bytes.length), bytes)).toBe(0)
  expect(results.filter((result) => result === 'damaged')).toHaveLength(1)
  expect(calls).toHaveLength(2)
  expect(Buffer.compare(await cache.read('packs/1/a.car', 0, bytes.length), bytes)).toBe(0)
  expect(calls).toHaveLength(2)
  await file.truncate(10)
  expect(Buffer.compare(await cache.read('packs/1/a.car', 0, bytes.length), bytes)).toBe(0)
  await file.close()
  await cache.close()
})

test('drops wrong bytes of the store, also while they are written, and never serves them again', async () => {
  const bytes = await put('packs/1/a.car', randomBytes(5000))
  const cache = await openCache(8)
  fault = async (read) => Buffer.from(read).fill(0)
  expect(Buffer.compare(await cache.read('packs/1/a.car', 0, 5000), bytes)).not.toBe(0)
  fault = undefined
  expect(cache.drop('packs/1/a.car')).toBe(true)
  expect(Buffer.compare(await cache.read('packs/1/a.car', 0, 5000), bytes)).toBe(0)
  expect(Buffer.compare(await cache.read('packs/1/a.car', 0, 5000), bytes)).toBe(0)
  expect(cache.drop('packs/1/b.car')).toBe(false)
  await cache.close()
})

test('readers of one piece share one read, and the next reader retries a failed one', async () => {
  const bytes = await put('packs/1/a.car', randomBytes(5000))
  const cache = await openCache(8)
  fault = async () => Promise.reject(new CairnError('UNAVAILABLE'))
  await expect(cache.read('packs/1/a.car', 0, 10)).rejects.toSatisfy((error) => CairnError.is(error, 'UNAVAILABLE'))
  fault = undefined
  calls = []
  const many = await Promise.all(Array.from({ length: 20 }, (_, at) => cache.read('packs/1/a.car', at, 10)))
  for (const [at, read] of many.entries()) expect(Buffer.compare(read, bytes.subarray(at, at + 10))).toBe(0)
  expect(calls).toHaveLength(1)
  await cache.close()
})

test('random reads of many readers in a cache that is too small return the right bytes', async () => {
  const all: Uint8Array[] = []
  for (let at = 0; at < 6; at++) all.push(await put(`packs/1/${at}.car`, randomBytes(cachePieceBytes + at * 70_001)))
  const cache = await openCache(3)
  const reader = async (seed: number) => {
    for (let round = 0; round < 60; round++) {
      const which = (seed * 7 + round * 13) % all.length
      const bytes = all[which] ?? new Uint8Array()
      const offset = (seed * 50_021 + round * 31_337) % (bytes.length - 1)
      const length = Math.min(bytes.length - offset, 1 + ((round * 99_991) % 400_000))
      const read = await cache.read(`packs/1/${which}.car`, offset, length)
      if (Buffer.compare(read, bytes.subarray(offset, offset + length)) !== 0) throw new Error('wrong bytes')
      if (round % 17 === 0) cache.drop(`packs/1/${which}.car`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, seed) => reader(seed)))
  expect(cache.usedBytes).toBeLessThanOrEqual(3 * cachePieceBytes)
  expect(results).toContain('hit')
  await cache.close()
})

test('cached content can be read while S3 is offline, truncates its bodies or is slow', async () => {
  await using place = await createS3Place()
  const store = await place.open()
  const bytes = randomBytes(700_000)
  const writer = await store.create('packs/1/a.car')
  await writer.append([bytes])
  await writer.finish()
  const cache = await openObjectCache({ objects: store, folder: join(folder, 'cache'), maxBytes: 10 * cachePieceBytes })
  const cuts = new Set([1, 2])
  let gets = 0
  place.proxy.plan = ({ method }) => (method === 'GET' && cuts.has(++gets) ? { kind: 'cut' } : undefined)
  expect(Buffer.compare(await cache.read('packs/1/a.car', 0, bytes.length), bytes)).toBe(0)
  expect(place.proxy.injected.get('cut')).toBe(2)
  await expect.poll(() => cache.usedBytes).toBe(3 * cachePieceBytes)
  place.proxy.plan = () => ({ kind: 'hang' })
  expect(Buffer.compare(await cache.read('packs/1/a.car', 1000, 600_000), bytes.subarray(1000, 601_000))).toBe(0)
  place.proxy.plan = () => undefined
  await cache.close()
})
