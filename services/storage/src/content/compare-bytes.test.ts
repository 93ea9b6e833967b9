import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { compareBytes } from './compare-bytes.ts'

test('texts are sorted by their UTF-8 bytes', () => {
  const near = fc.string({
    unit: fc.constantFrom('a', 'b', '\u{d7ff}', '\u{e000}', '\u{ffff}', '\u{10000}', '\u{10ffff}'),
  })
  const text = fc.oneof(near, fc.string({ unit: 'binary' }))
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
    { numRuns: 2000 },
  )
})

test('a comparison encodes nothing', () => {
  const encode = vi.spyOn(Buffer, 'from')
  try {
    expect(compareBytes('file 1', 'file 2')).toBeLessThan(0)
    expect(encode).not.toHaveBeenCalled()
  } finally {
    encode.mockRestore()
  }
})
