import { CairnError, proofReason } from '@cairn/protocol'
import { bytesToHex } from '@noble/hashes/utils.js'
import { padFr32 } from './fr32.ts'
import { isSame, refuse } from './inclusion.ts'
import { keptLevel, nodeBytes, type Piece, type PieceTree, quadPaddedBytes, quadPayloadBytes } from './piece.ts'
import { type ReadPayload, readLeaves, readNode } from './possession.ts'
import { hashLevel, levelsAbove, nodeAt, zeroNode } from './tree.ts'

/**
 * Proof that bytes are at a position of a piece. `bytes` start at `offset`, a multiple of 127, and end at another or at
 * the end of the payload; `path` are the nodes left and right of them, level by level from the leaves up, left first.
 */
export type ByteRangeProof = { readonly offset: number; readonly bytes: Uint8Array; readonly path: readonly string[] }

const leavesInQuad = quadPaddedBytes / nodeBytes

/**
 * Proves the position of bytes in a piece, to show that a block of a file is part of what a provider stores.
 * @throws CairnError PIECE_DAMAGED if the bytes do not match the commitment; INVALID_RANGE
 */
export async function proveByteRange(
  { piece, nodes }: PieceTree,
  read: ReadPayload,
  range: { offset: number; length: number },
): Promise<ByteRangeProof> {
  const end = range.offset + range.length
  if (range.offset < 0 || range.length < 1 || end > piece.payloadBytes)
    throw new CairnError('INVALID_RANGE', { details: { sizeBytes: piece.payloadBytes } })
  const level = Math.min(keptLevel, piece.height)
  const first = Math.floor(range.offset / quadPayloadBytes)
  const last = Math.ceil(end / quadPayloadBytes) - 1
  let left = first * leavesInQuad
  let right = (last + 1) * leavesInQuad - 1
  const firstKept = Math.floor(left / 2 ** level)
  const lastKept = Math.floor(right / 2 ** level)
  // Below the kept level, only the nodes at the two edges can be siblings.
  const edges = new Map<number, Uint8Array[]>()
  for (const kept of new Set([firstKept, lastKept])) {
    const levels = levelsAbove(await readLeaves(piece, read, kept, level), 0, level)
    const expected = (kept + 1) * nodeBytes <= nodes.length ? nodeAt(nodes, kept) : zeroNode(level)
    if (!isSame(levels.at(-1) ?? expected, expected)) throw new CairnError('PIECE_DAMAGED', { details: { kept } })
    edges.set(kept, levels)
  }
  const upper = levelsAbove(nodes, level, piece.height)
  const nodeOf = (at: number, index: number): Uint8Array => {
    if (at >= level) {
      const known = upper[at - level] ?? new Uint8Array()
      return (index + 1) * nodeBytes <= known.length ? nodeAt(known, index) : zeroNode(at)
    }
    const width = 2 ** (level - at)
    const levels = edges.get(Math.floor(index / width))
    return nodeAt(levels?.[at] ?? new Uint8Array(), index % width)
  }
  const path: string[] = []
  for (let at = 0; at < piece.height; at++) {
    if (left % 2 === 1) path.push(bytesToHex(nodeOf(at, left - 1)))
    if (right % 2 === 0) path.push(bytesToHex(nodeOf(at, right + 1)))
    left = Math.floor(left / 2)
    right = Math.floor(right / 2)
  }
  const offset = first * quadPayloadBytes
  const bytes = await read(offset, Math.min((last + 1) * quadPayloadBytes, piece.payloadBytes) - offset)
  return { offset, bytes, path }
}

/**
 * Verifies that the bytes of the proof are at its offset of the piece.
 * @throws CairnError PROOF_INVALID
 */
export function verifyByteRange(piece: Piece, { offset, bytes, path }: ByteRangeProof): void {
  const end = offset + bytes.length
  if (!Number.isSafeInteger(offset) || offset < 0 || offset % quadPayloadBytes !== 0 || bytes.length === 0) {
    throw refuse(proofReason('RANGE_START'))
  }
  if (end > piece.payloadBytes || (end % quadPayloadBytes !== 0 && end !== piece.payloadBytes)) {
    throw refuse(proofReason('RANGE_END'))
  }
  const quads = Math.ceil(bytes.length / quadPayloadBytes)
  const payload = new Uint8Array(quads * quadPayloadBytes)
  payload.set(bytes)
  let nodes: Uint8Array = new Uint8Array(quads * quadPaddedBytes)
  padFr32(payload, nodes)
  let left = (offset / quadPayloadBytes) * leavesInQuad
  let right = left + nodes.length / nodeBytes - 1
  const siblings = path.map(readNode)
  let next = 0
  const nextSibling = (): Uint8Array => {
    const sibling = siblings[next++]
    if (sibling === undefined) throw refuse(proofReason('RANGE_PATH_SHORT'))
    return sibling
  }
  for (let at = 0; at < piece.height; at++) {
    const before = left % 2 === 1 ? [nextSibling()] : []
    const after = right % 2 === 0 ? [nextSibling()] : []
    nodes = hashLevel(join([...before, nodes, ...after]))
    left = Math.floor(left / 2)
    right = Math.floor(right / 2)
  }
  if (next !== siblings.length) throw refuse(proofReason('RANGE_PATH_LONG'))
  if (!isSame(nodes, piece.root)) throw refuse(proofReason('RANGE_NOT_IN_ROOT'))
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}
