// Commitments, aggregates, indexes and inclusion proofs against the reference implementation of FRC-0058, in Go.
import {
  buildAggregate,
  encodePieceCidV1,
  hashPiece,
  type InclusionProof,
  type MerklePath,
  type Piece,
} from '@cairn/pieces'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { dataSegment, requireBinary } from './binaries.ts'
import { runProgram } from './run-program.ts'

/** Payload sizes at the boundaries of pieces, and between them. */
const sizes = [127, 128, 253, 254, 255, 1_000, 1_016, 1_017, 65_024, 65_025, 300_000, 1_040_384]

const cidAndSize = v.object({ cid: v.string(), size: v.number() })
const answerSchema = v.object({
  payloads: v.array(cidAndSize),
  aggregate: v.string(),
  proven: v.array(cidAndSize),
  entries: v.array(v.object({ cid: v.string(), offset: v.number(), size: v.number() })),
})

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const describePath = ({ index, path }: MerklePath) => ({ index, path: path.map(base64) })
const paddedBytes = ({ height }: Pick<Piece, 'height'>) => 32 * 2 ** height
const describePiece = (piece: Piece) => ({ cid: encodePieceCidV1(piece), size: paddedBytes(piece) })

/** Bytes that differ from piece to piece. */
function payloadOf(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => (i * 31 + size + (i >> 8)) & 0xff)
}

async function ask(question: object) {
  const stdin = new TextEncoder().encode(JSON.stringify(question))
  return v.parse(answerSchema, JSON.parse((await runProgram(requireBinary(dataSegment), [], { stdin })).toString()))
}

async function buildQuestion(payloads: readonly Uint8Array[], change?: (proof: InclusionProof) => InclusionProof) {
  const pieces = await Promise.all(payloads.map(async (payload) => (await hashPiece([payload])).piece))
  const aggregate = buildAggregate(pieces)
  // The reference receives pieces by their position.
  const order = aggregate.segments.map((_, at) => at).toSorted((a, b) => offsetAt(a) - offsetAt(b))
  function offsetAt(at: number): number {
    return aggregate.segments[at]?.offset ?? 0
  }
  const placed = order.flatMap((at) => pieces[at] ?? [])
  const proofs = order.map((at) => {
    const proof = aggregate.prove(at)
    const { subtree, entry } = change?.(proof) ?? proof
    return { subtree: describePath(subtree), entry: describePath(entry) }
  })
  const question = {
    payloads: order.flatMap((at) => payloads[at] ?? []).map(base64),
    pieces: placed.map(describePiece),
    size: paddedBytes(aggregate.piece),
    index: base64(aggregate.index.payload),
    proofs,
  }
  return { question, aggregate, placed, offsets: order.map(offsetAt) }
}

test('commitments, the aggregate, its index and every proof equal those of the reference', async () => {
  const { question, aggregate, placed, offsets } = await buildQuestion(sizes.map(payloadOf))
  const answer = await ask(question)
  expect(answer.payloads).toEqual(placed.map(describePiece))
  expect(answer.aggregate).toBe(encodePieceCidV1(aggregate.piece))
  expect(answer.proven).toEqual(placed.map(() => describePiece(aggregate.piece)))
  expect(answer.entries).toEqual(placed.map((piece, i) => ({ ...describePiece(piece), offset: offsets[i] })))
})

test('a single piece matches the reference', async () => {
  const { question, aggregate } = await buildQuestion([payloadOf(70_000)])
  expect((await ask(question)).proven).toEqual([describePiece(aggregate.piece)])
})

test('the reference rejects a changed proof', async () => {
  const { question, aggregate } = await buildQuestion(sizes.map(payloadOf), ({ subtree, entry }) => {
    const path = subtree.path.map((node, i) =>
      i === 0 ? Uint8Array.from(node, (byte, at) => byte ^ (at === 0 ? 1 : 0)) : node,
    )
    return { subtree: { ...subtree, path }, entry }
  })
  const { proven } = await ask(question)
  expect(proven).toHaveLength(sizes.length)
  for (const { cid } of proven) expect(cid).not.toBe(encodePieceCidV1(aggregate.piece))
})
