import { type FileHandle, open } from 'node:fs/promises'
import {
  challengeLeaves,
  keptLevel,
  keptPayloadBytes,
  type PossessionProof,
  provePossession,
  type ReadPayload,
  signChallenge,
  verifyPossession,
} from '@cairn/pieces'
import { CairnError, type ChallengeAnswer, challengePiece, type LeafWindows } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { noteRead } from './note-read.ts'
import { type KeptPiece, openKept } from './open-kept.ts'
import { withTreeRepair } from './repair-tree.ts'
import { readKeptPath } from './tree-file.ts'

export const challengesPerMinute = challengePiece.limits.perMinute

/**
 * Answers a challenge from the bytes on disk. The bytes read are first hashed and compared per 32 KiB, and the proof
 * is verified before it is signed: damage is reported, never hidden in an invalid proof.
 * @throws CairnError INVALID_PIECE_CID, PIECE_NOT_FOUND, PIECE_DAMAGED, INVALID_REQUEST for leaves it does not have
 */
export async function answerChallenge(
  context: Context,
  text: string,
  { nonce, count, within }: { nonce: string; count: number; within?: LeafWindows | undefined },
): Promise<ChallengeAnswer> {
  const { keys, clock, metrics } = context
  const kept = await openKept(context, text)
  const { cid } = kept.row
  const indices = challengeLeaves(kept.piece, Buffer.from(nonce, 'hex'), count, within)
  try {
    const proof = await withTreeRepair(context, kept, () => prove(context, kept, indices))
    const answer = signChallenge({ piece: cid, nonce, count, within, provenAt: clock.now(), proof }, keys.signing)
    metrics.challenges.inc({ result: 'proven' })
    await noteRead(context, cid)
    return answer
  } catch (error) {
    if (CairnError.is(error, 'PIECE_DAMAGED')) metrics.challenges.inc({ result: 'damaged' })
    throw error
  }
}

async function prove(context: Context, kept: KeptPiece, indices: readonly number[]): Promise<PossessionProof> {
  const { piece, row } = kept
  const file = await open(context.files.payloadPath(row.cid), 'r')
  try {
    const read: ReadPayload = (offset, length) => readUpTo(file, offset, length)
    const proof: PossessionProof[number][] = []
    for (const index of indices) proof.push(await proveLeaf(context, kept, read, index))
    verifyPossession(piece, indices, proof)
    return proof
  } finally {
    await file.close()
  }
}

/**
 * Proves one leaf: below its kept node from the payload, above it from the tree's file, so that the cost does not
 * depend on the size of the piece.
 */
async function proveLeaf(
  { files }: Context,
  { piece, row }: KeptPiece,
  read: ReadPayload,
  index: number,
): Promise<PossessionProof[number]> {
  if (piece.height <= keptLevel) {
    const [whole] = await provePossession({ piece, nodes: piece.root }, read, [index])
    if (whole !== undefined) return whole
  }
  const width = 2 ** keptLevel
  const kept = Math.floor(index / width)
  const { node, path } = await readKeptPath(files.treePath(row.cid), piece, kept)
  const start = kept * keptPayloadBytes
  const part = {
    root: node,
    height: keptLevel,
    payloadBytes: Math.min(keptPayloadBytes, piece.payloadBytes - start),
  }
  const readPart: ReadPayload = (offset, length) => read(start + offset, length)
  const [below] = await provePossession({ piece: part, nodes: node }, readPart, [index % width])
  if (below === undefined) throw new CairnError('INTERNAL')
  return { index, leaf: below.leaf, path: [...below.path, ...path] }
}

/** Reads fewer bytes than requested at the end of the file. */
async function readUpTo(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  let done = 0
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, offset + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return bytes.subarray(0, done)
}
