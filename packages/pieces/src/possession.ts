import { CairnError, type LeafWindows } from '@cairn/protocol'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { countQuadLeaves, countWindowLeaves, toWindows } from './content.ts'
import { padFr32 } from './fr32.ts'
import { isSame, refuse } from './inclusion.ts'
import {
  heightLeast,
  keptLevel,
  nodeBytes,
  type Piece,
  type PieceTree,
  quadPaddedBytes,
  quadPayloadBytes,
  roomOf,
} from './piece.ts'
import { climb, levelsAbove, nodeAt, pathIn, zeroNode } from './tree.ts'

/** Leaves that were asked for, each with the siblings up to the root, all in hex. */
export type PossessionProof = readonly {
  readonly index: number
  readonly leaf: string
  readonly path: readonly string[]
}[]

/** Reads `length` payload bytes at `offset`. */
export type ReadPayload = (offset: number, length: number) => Promise<Uint8Array>

/** Most leaves of one challenge. */
export const challengeLeavesMost = 64

/**
 * The leaves that a challenge asks for: leaf i is SHA-256(nonce, i as 4 bytes big-endian), its first 6 bytes as a number
 * modulo the leaves of the windows, counted through all of them. Who picks the nonce after the commitment was made picks
 * leaves nobody could know.
 * @param within where the leaves have to lie, so that a challenge can be about one piece of an aggregate, or about all of it
 *   but the padding; all leaves that hold payload unless told
 * @throws CairnError INVALID_REQUEST for a count or windows that the piece does not have
 */
export function challengeLeaves(
  piece: Piece,
  nonce: Uint8Array,
  count: number,
  within?: LeafWindows | undefined,
): number[] {
  if (!Number.isInteger(count) || count < 1 || count > challengeLeavesMost) {
    throw new CairnError('INVALID_REQUEST', { message: `A challenge asks for 1 to ${challengeLeavesMost} leaves` })
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
 * Proves that the payload is at hand: reads the 32 KiB around each leaf and no more.
 * @throws CairnError PIECE_DAMAGED when what was read is not what was committed to.
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

/** The leaves below one node of a level, zeros where the payload has ended. */
export async function readLeaves(piece: Piece, read: ReadPayload, node: number, level: number): Promise<Uint8Array> {
  const width = level < heightLeast ? roomOf(heightLeast) : roomOf(level)
  const offset = node * width
  const payload = new Uint8Array(width)
  const length = Math.min(width, piece.payloadBytes - offset)
  if (length > 0) {
    const bytes = await read(offset, length)
    if (bytes.length !== length) throw new CairnError('PIECE_DAMAGED', { details: { offset, expected: length } })
    payload.set(bytes)
  }
  const leaves = new Uint8Array((width / quadPayloadBytes) * quadPaddedBytes)
  padFr32(payload, leaves)
  return leaves
}

/**
 * Checks an answer to a challenge against the commitment: every leaf asked for, in order, leads to the root.
 * @throws CairnError PROOF_INVALID
 */
export function verifyPossession(piece: Piece, indices: readonly number[], proof: PossessionProof): void {
  if (proof.length !== indices.length) throw refuse(`${indices.length} leaves were asked for, ${proof.length} came`)
  for (const [at, { index, leaf, path }] of proof.entries()) {
    if (index !== indices[at]) throw refuse(`Leaf ${indices[at]} was asked for, ${index} came`)
    if (path.length !== piece.height) throw refuse(`The path of leaf ${index} has a wrong length`)
    const root = climb(readNode(leaf), index, path.map(readNode))
    if (!isSame(root, piece.root)) throw refuse(`Leaf ${index} does not lead to the root`)
  }
}

/** A node from its hex. @throws CairnError PROOF_INVALID */
export function readNode(hex: string): Uint8Array {
  if (!/^[0-9a-f]{64}$/.test(hex)) throw refuse('A node is not 64 hex characters')
  return hexToBytes(hex)
}
