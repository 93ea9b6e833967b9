import { CairnError, GIB, MIB } from '@cairn/protocol'
import { beforeEach, expect, test } from 'vitest'
import { watchHeadroom } from './disk-headroom.ts'

const bsize = 4096
let sizeBytes: number
let freeBytes: number
let measured: number
let require: ReturnType<typeof watchHeadroom>['require']
const isFull = (error: unknown) => CairnError.is(error, 'STORAGE_FULL')

beforeEach(() => {
  sizeBytes = 100 * GIB
  freeBytes = 50 * GIB
  measured = 0
  const measureDisk = async () => {
    measured++
    return { bavail: freeBytes / bsize, blocks: sizeBytes / bsize, bsize }
  }
  ;({ require } = watchHeadroom('/packs', measureDisk))
})

test('objects stop 256 MiB before the disk is full, and those that replace others at half of it', async () => {
  freeBytes = 256 * MIB
  await require(1, 1)
  freeBytes--
  await require(16 * MIB, 1 / 2)
  await expect(require(1, 1)).rejects.toSatisfy(isFull)
  freeBytes = 128 * MIB - 1
  await expect(require(16 * MIB, 1 / 2)).rejects.toSatisfy(isFull)
})

test('reserves a quarter of a small disk', async () => {
  sizeBytes = GIB / 2
  freeBytes = sizeBytes / 4
  await require(1, 1)
  freeBytes = sizeBytes / 4 - 1
  await expect(require(16 * MIB, 1)).rejects.toSatisfy(isFull)
})

test('measures after a number of bytes, and every time while the disk is full', async () => {
  await require(1, 1)
  expect([require(1, 1), require(15 * MIB, 1), measured]).toEqual([undefined, undefined, 1])
  freeBytes = 0
  await Promise.all([1, 1].map((bytes) => expect(require(MIB * bytes, 1)).rejects.toSatisfy(isFull)))
  expect(measured).toBe(2)
  await expect(require(1, 1)).rejects.toSatisfy(isFull)
  freeBytes = 50 * GIB
  await require(1, 1)
  expect(measured).toBe(4)
})
