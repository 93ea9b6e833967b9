import { CairnError } from '@cairn/protocol'
import { Piece as Reference } from '@web3-storage/data-segment'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { padFr32, unpadFr32 } from './fr32.ts'
import {
  createPieceHasher,
  encodePieceCid,
  encodePieceCidV1,
  hashPiece,
  parsePieceCid,
  payloadCapacity,
} from './index.ts'

/** Distinct bytes that are the same in each run. */
function bytesOf(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let at = 0, state = seed; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    bytes[at] = state >>> 24
  }
  return bytes
}

const kept = 32_512
const sizes = [65, 126, 127, 128, 254, 255, 508, 1016, 1017, kept - 1, kept, kept + 1, 2 * kept, 2 * kept + 1]

test.each([...sizes, 1_040_384, 1_040_385, 2_500_000])(
  '%d bytes have the commitment of the reference',
  async (size) => {
    const payload = bytesOf(size)
    const { piece } = await hashPiece([payload])
    const reference = Reference.fromPayload(payload)
    expect(encodePieceCid(piece)).toBe(reference.link.toString())
    expect(encodePieceCidV1(piece)).toBe(reference.toInfo().link.toString())
    expect(parsePieceCid(encodePieceCid(piece))).toEqual(piece)
  },
)

test('any bytes in any parts have the commitment of the reference', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 65, maxLength: 70_000 }),
      fc.array(fc.integer({ min: 1, max: 40_000 }), { maxLength: 5 }),
      async (payload, cuts) => {
        const hasher = createPieceHasher()
        let offset = 0
        for (const cut of [...cuts, payload.length]) {
          hasher.write(payload.subarray(offset, offset + cut))
          offset = Math.min(payload.length, offset + cut)
        }
        expect(encodePieceCid(hasher.finish().piece)).toBe(Reference.fromPayload(payload).link.toString())
      },
    ),
    { numRuns: 60 },
  )
})

test('zeros given by count have the same commitment as written zeros', () => {
  const run = fc.record({ length: fc.integer({ min: 1, max: 3 * kept }), isZeros: fc.boolean() })
  fc.assert(
    fc.property(fc.array(run, { minLength: 1, maxLength: 6 }), (runs) => {
      const parts = createPieceHasher()
      const written = createPieceHasher()
      for (const { length, isZeros } of runs) {
        const bytes = isZeros ? new Uint8Array(length) : bytesOf(length, length)
        written.write(bytes)
        if (isZeros) parts.writeZeros(length)
        else parts.write(bytes)
      }
      expect(parts.finish()).toEqual(written.finish())
    }),
    { numRuns: 60 },
  )
})

test('a piece below the minimum of the reference has the commitment of its bytes and zeros', async () => {
  const filled = bytesOf(127).fill(0, 1)
  const small = (await hashPiece([bytesOf(1)])).piece
  expect(small.root).toEqual((await hashPiece([filled])).piece.root)
  expect(parsePieceCid(encodePieceCid(small)).payloadBytes).toBe(1)
})

test('rejects a piece without bytes', async () => {
  await expect(hashPiece([])).rejects.toSatisfy((error) => CairnError.is(error, 'INVALID_REQUEST'))
})

test('the reverse undoes padding, which leaves two zero bits after each 254', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.integer(), (groups, seed) => {
      const payload = bytesOf(groups * 127, seed)
      const padded = new Uint8Array(groups * 128)
      padFr32(payload, padded)
      for (let last = 31; last < padded.length; last += 32) expect((padded[last] ?? 255) & 0xc0).toBe(0)
      expect(unpadFr32(padded)).toEqual(payload)
    }),
  )
})

test.each([
  ['no CID', 'hello'],
  ['an empty text', ''],
  ['a CID of a file', 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'],
  ['a piece CID of version 1', encodePieceCidV1({ root: new Uint8Array(32) })],
  ['padding is larger than the piece', encodePieceCid({ root: new Uint8Array(32), height: 2, payloadBytes: -1 })],
  ['a height beyond all', encodePieceCid({ root: new Uint8Array(32), height: 40, payloadBytes: payloadCapacity(40) })],
  ['a very long text', 'b'.repeat(100_000)],
])('%s is not a piece CID', (_, text) => {
  expect(() => parsePieceCid(text)).toThrow(expect.objectContaining({ code: 'INVALID_PIECE_CID' }))
})
