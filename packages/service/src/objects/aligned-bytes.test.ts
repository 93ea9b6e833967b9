import { expect, it } from 'vitest'
import { alignmentBytes, allocateAligned, isAligned } from './aligned-bytes.ts'

it('recognises page-aligned memory, and where a view of it begins', () => {
  const bytes = allocateAligned(3 * alignmentBytes)
  expect(isAligned(bytes)).toBe(true)
  expect(isAligned(bytes.subarray(alignmentBytes))).toBe(true)
  expect(isAligned(bytes.subarray(1))).toBe(false)
  expect(isAligned(new Uint8Array(alignmentBytes))).toBe(false)
  expect(isAligned(new Uint8Array(new SharedArrayBuffer(alignmentBytes)))).toBe(false)
})
