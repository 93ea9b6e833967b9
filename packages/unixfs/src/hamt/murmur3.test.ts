import { murmur364 } from '@multiformats/murmur3'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { writeNameHash } from './murmur3.ts'

it('hashes names like the published package, and writes nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), fc.nat(9), async (name, offset) => {
      const target = new Uint8Array(offset + 9).fill(7)
      writeNameHash(name, target, offset)
      const expected = new Uint8Array(offset + 9).fill(7)
      expected.set(await murmur364.encode(name), offset)
      expect(target).toEqual(expected)
    }),
    { numRuns: 2000 },
  )
})
