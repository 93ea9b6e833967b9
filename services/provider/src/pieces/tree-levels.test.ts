import { hashPiece, keptLevel, keptPayloadBytes, type Piece } from '@cairn/pieces'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { layOutLevels, levelsBytes, nodeBytes, siblingOffsets } from './tree-levels.ts'

test('levels have the declared length, and end in the root', async () => {
  for (const length of [1, 127, 30_000, 32_512, 32_513, 97_536, 97_537, 1_000_000, 5 * 32_512 * 8 + 1]) {
    const tree = await hashPiece([new Uint8Array(length).fill(3)])
    const levels = layOutLevels(tree)
    expect(levels).toHaveLength(levelsBytes(tree.piece))
    expect(levels.subarray(-nodeBytes)).toEqual(Buffer.from(tree.piece.root))
  }
})

test('every sibling of a kept node lies within a file of any size', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: keptLevel + 1, max: 31 }),
      fc.double({ min: 0.4, max: 1, noNaN: true }),
      (height, part) => {
        const capacity = keptPayloadBytes * 2 ** (height - keptLevel)
        const piece: Piece = { root: new Uint8Array(32), height, payloadBytes: Math.ceil(capacity * part) }
        const last = Math.ceil(piece.payloadBytes / keptPayloadBytes) - 1
        for (const kept of [0, Math.floor(last / 2), last]) {
          const offsets = siblingOffsets(piece, kept)
          expect(offsets).toHaveLength(height - keptLevel)
          for (const offset of offsets) expect(offset).toBeLessThanOrEqual(levelsBytes(piece) - 2 * nodeBytes)
        }
      },
    ),
  )
})
