import { Aggregate as Reference, Piece as ReferencePiece } from '@web3-storage/data-segment'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import {
  buildAggregate,
  encodePieceCid,
  hashPiece,
  type InclusionProof,
  listParts,
  type Piece,
  parsePieceCid,
  resolveAggregate,
} from './index.ts'

/** Factor for the number of random cases: 20 in the long ring. */
const fuzz = Number(process.env['CAIRN_TEST_FUZZ'] ?? 1)

const anyPiece = fc
  .record({ root: fc.uint8Array({ minLength: 32, maxLength: 32 }), height: fc.integer({ min: 2, max: 17 }) })
  .map(({ root, height }): Piece => {
    root[31] = (root[31] ?? 0) & 0x3f
    return { root, height, payloadBytes: 127 * 2 ** (height - 2) }
  })

function toReference(piece: Piece) {
  return ReferencePiece.fromLink(CID.parse(encodePieceCid(piece)) as never)
}

/** The proof in the format of the reference library. */
function toReferenceProof({ subtree, entry }: InclusionProof) {
  return [
    [BigInt(subtree.index), [...subtree.path]],
    [BigInt(entry.index), [...entry.path]],
  ] as never
}

test('builds random aggregates like the reference library, which verifies our proofs', () => {
  fc.assert(
    fc.property(fc.array(anyPiece, { minLength: 1, maxLength: 12 }), fc.nat(), (pieces, pick) => {
      const aggregate = buildAggregate(pieces)
      const sorted = pieces.toSorted((a, b) => b.height - a.height)
      const reference = Reference.build({
        pieces: sorted.map(toReference),
        size: (32n << BigInt(aggregate.piece.height)) as never,
      })
      expect(encodePieceCid(aggregate.piece)).toBe(reference.link.toString())
      const at = pick % pieces.length
      const piece = pieces[at] as Piece
      const proof = aggregate.prove(at)
      const resolved = Reference.InclusionProof.resolveAggregate(
        toReferenceProof(proof),
        CID.parse(encodePieceCid(piece)) as never,
      )
      expect(String(resolved.ok)).toBe(encodePieceCid(aggregate.piece))
      expect(resolveAggregate(piece, proof)).toEqual(aggregate.piece)
    }),
    { numRuns: 200 * fuzz },
  )
})

test('rejects a proof with a flipped bit, and that of another piece or place', () => {
  fc.assert(
    fc.property(
      fc.array(anyPiece, { minLength: 2, maxLength: 6 }),
      fc.nat(),
      fc.nat(),
      fc.integer({ min: 0, max: 255 }),
      (pieces, pick, where, bit) => {
        const aggregate = buildAggregate(pieces)
        const at = pick % pieces.length
        const piece = pieces[at] as Piece
        const proof = aggregate.prove(at)
        // Both paths may contain the very same node: each gets its own copy.
        const changed: InclusionProof = {
          subtree: { ...proof.subtree, path: proof.subtree.path.map((each) => each.slice()) },
          entry: { ...proof.entry, path: proof.entry.path.map((each) => each.slice()) },
        }
        const nodes = [...changed.subtree.path, ...changed.entry.path]
        const node = nodes[where % nodes.length] as Uint8Array
        node[bit >> 3] = (node[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        expect(() => resolveAggregate(piece, changed)).toThrow(expect.objectContaining({ code: 'PROOF_INVALID' }))
        const root = piece.root.slice()
        root[bit >> 3] = (root[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        expect(() => resolveAggregate({ ...piece, root }, proof)).toThrow()
        const moved = { ...proof, subtree: { ...proof.subtree, index: proof.subtree.index ^ 1 } }
        expect(() => resolveAggregate(piece, moved)).toThrow()
        const elsewhere = { ...proof, entry: { ...proof.entry, index: proof.entry.index ^ 1 } }
        expect(() => resolveAggregate(piece, elsewhere)).toThrow()
        const short = { ...proof, entry: { ...proof.entry, path: proof.entry.path.slice(1) } }
        expect(() => resolveAggregate(piece, short)).toThrow()
      },
    ),
    { numRuns: 100 * fuzz },
  )
})

test.each([
  [
    'an index that is no whole number',
    (proof: InclusionProof) => ({ ...proof, subtree: { ...proof.subtree, index: 0.5 } }),
  ],
  ['a negative index', (proof: InclusionProof) => ({ ...proof, entry: { ...proof.entry, index: -1 } })],
  [
    'a node of 31 bytes',
    (proof: InclusionProof) => ({
      ...proof,
      subtree: { index: 0, path: proof.subtree.path.map((node) => node.slice(1)) },
    }),
  ],
  [
    'a path of 100 nodes',
    (proof: InclusionProof) => ({ ...proof, subtree: { index: 0, path: new Array(100).fill(new Uint8Array(32)) } }),
  ],
  ['no path', (proof: InclusionProof) => ({ ...proof, subtree: { index: 0, path: [] } })],
])('rejects %s', (_, change) => {
  const piece: Piece = { root: new Uint8Array(32).fill(7), height: 5, payloadBytes: 1016 }
  const proof = buildAggregate([piece, piece]).prove(1)
  expect(() => resolveAggregate(piece, change(proof))).toThrow(expect.objectContaining({ code: 'PROOF_INVALID' }))
})

test('the payload of the joined parts has the commitment computed from their roots', async () => {
  const payloads = [3000, 127, 90_000, 1, 40_000].map((length, seed) =>
    Uint8Array.from({ length }, (_, at) => (at * 31 + seed * 7 + (at >> 8)) & 255),
  )
  const pieces = await Promise.all(payloads.map(async (payload) => (await hashPiece([payload])).piece))
  const aggregate = buildAggregate(pieces)
  const whole = new Uint8Array(aggregate.piece.payloadBytes)
  for (const part of listParts(aggregate)) {
    const bytes = part.kind === 'index' ? aggregate.index.payload : (payloads[part.segment] ?? new Uint8Array())
    whole.set(bytes, part.payloadOffset)
  }
  expect((await hashPiece([whole])).piece).toEqual(aggregate.piece)
  expect(parsePieceCid(encodePieceCid(aggregate.piece))).toEqual(aggregate.piece)
})

test('rejects an aggregate of no pieces, or beyond 64 GiB', () => {
  const large: Piece = { root: new Uint8Array(32), height: 31, payloadBytes: 1 }
  expect(() => buildAggregate([])).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
  expect(() => buildAggregate([large])).toThrow(expect.objectContaining({ code: 'PIECE_TOO_LARGE' }))
})
