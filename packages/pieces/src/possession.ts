import { CairnError, type LeafWindows, proofReason } from '@cairn/protocol'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { countQuadLeaves, countWindowLeaves, toWindows } from './content.ts'
import { padFr32 } from './fr32.ts'
import { isSame, refuse } from './inclusion.ts'
import {
  keptLevel,
  minHeight,
  nodeBytes,
  type Piece,
  type PieceTree,
  payloadCapacity,
  quadPaddedBytes,
  quadPayloadBytes,
} from './piece.ts'
import { climb, levelsAbove, nodeAt, pathIn, zeroNode } from './tree.ts'

/** The requested leaves, each with the siblings up to the root, all in hex. */
export type PossessionProof = readonly {
  readonly index: number
  readonly leaf: string
  readonly path: readonly string[]
}[]

/** Reads `length` payload bytes at `offset`. */
export type ReadPayload = (offset: number, length: number) => Promise<Uint8Array>

/** Maximum number of leaves per challenge. */
export const maxChallengeLeaves = 64

/**
 * Returns the leaves that a challenge requests: leaf i is SHA-256(nonce, i as 4 bytes big-endian), its first 6 bytes as
 * a number modulo the leaves of the windows, counted through all of them. A nonce chosen after the commitment selects
 * unpredictable leaves.
 * @param within range of the leaves, to challenge one piece of an aggregate, or all of it but the padding. Defaults to
 *   all leaves with payload
 * @throws CairnError INVALID_REQUEST for a count or windows that the piece does not have
 */
export function challengeLeaves(
  piece: Piece,
  nonce: Uint8Array,
  count: number,
  within?: LeafWindows | undefined,
): number[] {
  if (!Number.isInteger(count) || count < 1 || count > maxChallengeLeaves) {
    throw new CairnError('INVALID_REQUEST', { message: `A challenge must ask for 1 to ${maxChallengeLeaves} leaves` })
  }
  const windows = toWindows(within ?? { start: 0, count: countQuadLeaves(piece) })
  const width = countWindowLeaves(piece, windows)
  return Array.from({ length: count }, (_, at) => {
    const input = new Uint8Array(nonce.length + 4)
    input.set(nonce)
    new DataView(input.buffer).setUint32(nonce.length, at)
    const hash = sha256(input)
    const number = hash.subarray(0, 6).reduce((value, byte) => value * 256 + byte, 0)
    let left = number % width
    for (const window of windows) {
      if (left < window.count) return window.start + left
      left -= window.count
    }
    throw new CairnError('INTERNAL')
  })
}

/**
 * Proves possession of the payload: reads the 32 KiB around each leaf and no more.
 * @throws CairnError PIECE_DAMAGED if the bytes do not match the commitment
 */
export async function provePossession(
  { piece, nodes }: PieceTree,
  read: ReadPayload,
  indices: readonly number[],
): Promise<PossessionProof> {
  const level = Math.min(keptLevel, piece.height)
  const upper = levelsAbove(nodes, level, piece.height)
  const proof: { index: number; leaf: string; path: string[] }[] = []
  for (const index of indices) {
    if (!Number.isSafeInteger(index) || index < 0 || index >= 2 ** piece.height) {
      throw new CairnError('INVALID_REQUEST', { message: `Leaf ${index} is outside the tree` })
    }
    const kept = Math.floor(index / 2 ** level)
    const lower = levelsAbove(await readLeaves(piece, read, kept, level), 0, level)
    const top = lower.at(-1) ?? zeroNode(level)
    const expected = (kept + 1) * nodeBytes <= nodes.length ? nodeAt(nodes, kept) : zeroNode(level)
    if (!isSame(top, expected)) throw new CairnError('PIECE_DAMAGED', { details: { kept } })
    const within = index % 2 ** level
    const path = [...pathIn(lower, 0, within), ...pathIn(upper, level, kept)]
    proof.push({ index, leaf: bytesToHex(nodeAt(lower[0] ?? nodes, within)), path: path.map(bytesToHex) })
  }
  return proof
}

/** Returns the leaves below one node of a level, zeros after the end of the payload. */
export async function readLeaves(piece: Piece, read: ReadPayload, node: number, level: number): Promise<Uint8Array> {
  const width = level < minHeight ? payloadCapacity(minHeight) : payloadCapacity(level)
  const offset = node * width
  const payload = new Uint8Array(width)
  const length = Math.min(width, piece.payloadBytes - offset)
  if (length > 0) {
    const bytes = await read(offset, length)
    if (bytes.length !== length) throw new CairnError('PIECE_DAMAGED', { details: { offset, expectedBytes: length } })
    payload.set(bytes)
  }
  const leaves = new Uint8Array((width / quadPayloadBytes) * quadPaddedBytes)
  padFr32(payload, leaves)
  return leaves
}

/**
 * Verifies an answer to a challenge against the commitment: every requested leaf, in order, leads to the root.
 * @throws CairnError PROOF_INVALID
 */
export function verifyPossession(piece: Piece, indices: readonly number[], proof: PossessionProof): void {
  if (proof.length !== indices.length)
    throw refuse(proofReason('LEAF_COUNT_WRONG', { requested: indices.length, returned: proof.length }))
  for (const [at, { index, leaf, path }] of proof.entries()) {
    const requested = indices[at]
    if (requested === undefined || index !== requested)
      throw refuse(proofReason('LEAF_WRONG', { requested: requested ?? 0, returned: index }))
    if (path.length !== piece.height) throw refuse(proofReason('LEAF_PATH_LENGTH', { leaf: index }))
    const root = climb(readNode(leaf), index, path.map(readNode))
    if (!isSame(root, piece.root)) throw refuse(proofReason('LEAF_NOT_IN_ROOT', { leaf: index }))
  }
}

/**
 * Parses a node from hex.
 * @throws CairnError PROOF_INVALID
 */
export function readNode(hex: string): Uint8Array {
  if (!/^[0-9a-f]{64}$/.test(hex)) throw refuse(proofReason('NODE_NOT_HEX'))
  return hexToBytes(hex)
}
