import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  challengeLeaves,
  hashPiece,
  type PossessionProof,
  proveByteRange,
  provePossession,
  verifyByteRange,
  verifyPossession,
} from './index.ts'

function bytesOf(length: number, seed: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (Math.imul(at + seed, 2_654_435_761) >>> 24) & 255)
}

function reader(payload: Uint8Array) {
  return async (offset: number, length: number) => payload.slice(offset, offset + length)
}

const anyLength = fc.oneof(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 30_000, max: 200_000 }))
const proofInvalid = expect.objectContaining({ code: 'PROOF_INVALID' })

test('a provider with the bytes answers any challenge', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyLength,
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.integer({ min: 1, max: 8 }),
      async (length, nonce, count) => {
        const payload = bytesOf(length, count)
        const tree = await hashPiece([payload])
        const indices = challengeLeaves(tree.piece, nonce, count)
        verifyPossession(tree.piece, indices, await provePossession(tree, reader(payload), indices))
      },
    ),
    { numRuns: 60 },
  )
})

test('rejects a changed leaf, path, order or count', async () => {
  const payload = bytesOf(100_000, 3)
  const tree = await hashPiece([payload])
  const indices = challengeLeaves(tree.piece, new Uint8Array(32).fill(9), 4)
  const proof = await provePossession(tree, reader(payload), indices)
  const flip = (hex: string) => `${hex[0] === '0' ? '1' : '0'}${hex.slice(1)}`
  const lies: PossessionProof[] = [
    proof.slice(1),
    [...proof].reverse(),
    proof.map((one) => ({ ...one, leaf: flip(one.leaf) })),
    proof.map((one) => ({ ...one, leaf: 'zz' })),
    proof.map((one) => ({ ...one, path: one.path.slice(1) })),
    ...(proof[0]?.path ?? []).map((_, node) =>
      proof.map((one) => ({ ...one, path: one.path.map((hex, at) => (at === node ? flip(hex) : hex)) })),
    ),
  ]
  for (const lie of lies) expect(() => verifyPossession(tree.piece, indices, lie)).toThrow(proofInvalid)
})

test('a provider with lost or changed bytes cannot answer', async () => {
  const payload = bytesOf(100_000, 5)
  const tree = await hashPiece([payload])
  const changed = payload.slice()
  changed[40_000] = (changed[40_000] ?? 0) ^ 1
  // Leaf of byte 40,000 of the payload.
  const index = Math.floor(40_000 / 127) * 4
  const damaged = expect.objectContaining({ code: 'PIECE_DAMAGED' })
  await expect(provePossession(tree, reader(changed), [index])).rejects.toEqual(damaged)
  await expect(provePossession(tree, reader(payload.slice(0, 40_000)), [index])).rejects.toEqual(damaged)
  // The rest is unchanged.
  verifyPossession(tree.piece, [0], await provePossession(tree, reader(changed), [0]))
})

test('the challenged leaves contain payload and depend on the nonce', async () => {
  const { piece } = await hashPiece([bytesOf(70_000, 1)])
  const leaves = Math.ceil(70_000 / 127) * 4
  const seen = new Set<number>()
  for (let nonce = 0; nonce < 200; nonce++) {
    for (const index of challengeLeaves(piece, Uint8Array.of(nonce), 8)) {
      expect(index).toBeLessThan(leaves)
      seen.add(index)
    }
  }
  expect(seen.size).toBeGreaterThan(800)
  expect(() => challengeLeaves(piece, Uint8Array.of(1), 65)).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST' }),
  )
})

test('proves any range of bytes at its own position only', async () => {
  await fc.assert(
    fc.asyncProperty(anyLength, fc.nat(), fc.nat(), fc.nat(), async (length, from, count, bit) => {
      const payload = bytesOf(length, from % 97)
      const tree = await hashPiece([payload])
      const offset = from % length
      const range = { offset, length: 1 + (count % (length - offset)) }
      const proof = await proveByteRange(tree, reader(payload), range)
      verifyByteRange(tree.piece, proof)
      const start = offset - proof.offset
      expect(proof.bytes.subarray(start, start + range.length)).toEqual(payload.subarray(offset, offset + range.length))
      const bytes = proof.bytes.slice()
      bytes[bit % bytes.length] = (bytes[bit % bytes.length] ?? 0) ^ (1 << (bit & 7))
      expect(() => verifyByteRange(tree.piece, { ...proof, bytes })).toThrow(proofInvalid)
      expect(() => verifyByteRange(tree.piece, { ...proof, offset: proof.offset + 127 })).toThrow(proofInvalid)
      expect(() => verifyByteRange(tree.piece, { ...proof, offset: proof.offset + 1 })).toThrow(proofInvalid)
      expect(() => verifyByteRange(tree.piece, { ...proof, path: [...proof.path, '0'.repeat(64)] })).toThrow(
        proofInvalid,
      )
      if (proof.path.length > 0) {
        expect(() => verifyByteRange(tree.piece, { ...proof, path: proof.path.slice(1) })).toThrow(proofInvalid)
      }
    }),
    { numRuns: 80 },
  )
})

test('rejects a range outside the piece', async () => {
  const payload = bytesOf(500, 1)
  const tree = await hashPiece([payload])
  for (const range of [
    { offset: -1, length: 5 },
    { offset: 0, length: 0 },
    { offset: 490, length: 11 },
  ]) {
    await expect(proveByteRange(tree, reader(payload), range)).rejects.toThrow(
      expect.objectContaining({ code: 'INVALID_RANGE' }),
    )
  }
})
