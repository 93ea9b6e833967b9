import { expect, it } from 'vitest'
import { alignmentBytes, allocateAligned, allocateSharedAligned, copyToShared, isAligned } from './aligned-bytes.ts'

it('knows memory that begins on a page, and where a view of it begins', () => {
  for (const bytes of [allocateAligned(3 * alignmentBytes), allocateSharedAligned(3 * alignmentBytes)]) {
    expect(isAligned(bytes)).toBe(true)
    expect(isAligned(bytes.subarray(alignmentBytes))).toBe(true)
    expect(isAligned(bytes.subarray(1))).toBe(false)
  }
  expect(isAligned(new Uint8Array(alignmentBytes))).toBe(false)
  expect(isAligned(new Uint8Array(new SharedArrayBuffer(alignmentBytes)))).toBe(false)
})

it('copies to shared memory, wherever source and target lie to the words of memory', () => {
  copyToShared(new Uint8Array(0), allocateSharedAligned(1))
  const length = 200_003
  const source = Uint8Array.from({ length: length + 16 }, (_, index) => index % 251)
  for (let from = 0; from < 9; from++) {
    for (let to = 0; to < 9; to++) {
      const target = allocateSharedAligned(length + 32)
      const bytes = source.subarray(from, from + length)
      copyToShared(bytes, target.subarray(to))
      expect(Buffer.compare(target.subarray(to, to + length), bytes)).toBe(0)
      expect(target.subarray(0, to).every((byte) => byte === 0)).toBe(true)
      expect(target.subarray(to + length).every((byte) => byte === 0)).toBe(true)
    }
  }
})
