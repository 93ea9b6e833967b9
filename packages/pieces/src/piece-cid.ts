import { CairnError, proofReason, type Reason } from '@cairn/protocol'
import { varint } from 'multiformats'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { maxHeight, minHeight, nodeBytes, type Piece, payloadCapacity } from './piece.ts'

const raw = 0x55
/** fr32-sha2-256-trunc254-padded-binary-tree, of piece CIDs of version 2. */
const treeHash = 0x1011
/** fil-commitment-unsealed and sha2-256-trunc254-padded, of version 1. */
const unsealed = 0xf101
const truncatedHash = 0x1012

/**
 * Returns the piece CID of version 2, which includes size and payload.
 * @see https://github.com/filecoin-project/FIPs/blob/master/FRCs/frc-0069.md
 */
export function encodePieceCid(piece: Piece): string {
  const filling = payloadCapacity(piece.height) - piece.payloadBytes
  const length = varint.encodingLength(filling)
  const digest = new Uint8Array(length + 1 + nodeBytes)
  varint.encodeTo(filling, digest)
  digest[length] = piece.height
  digest.set(piece.root, length + 1)
  return CID.createV1(raw, create(treeHash, digest)).toString()
}

/** Returns the piece CID of version 1: the root alone, as in deals on the Filecoin chain. */
export function encodePieceCidV1(piece: { readonly root: Uint8Array }): string {
  return CID.createV1(unsealed, create(truncatedHash, piece.root)).toString()
}

/**
 * Parses a piece CID of version 2.
 * @throws CairnError INVALID_PIECE_CID
 */
export function parsePieceCid(text: string): Piece {
  const cid = readCid(text)
  if (cid.version !== 1 || cid.code !== raw || cid.multihash.code !== treeHash)
    throw refuse(proofReason('NOT_A_PIECE_CID'))
  const digest = cid.multihash.digest
  const [filling, length] = readFilling(digest)
  const height = digest[length] ?? 0
  if (digest.length !== length + 1 + nodeBytes) throw refuse(proofReason('PIECE_CID_DIGEST'))
  if (height < minHeight || height > maxHeight) throw refuse(proofReason('PIECE_CID_HEIGHT', { height }))
  const payloadBytes = payloadCapacity(height) - filling
  if (payloadBytes <= 0) throw refuse(proofReason('PIECE_CID_PADDING'))
  return { root: digest.slice(length + 1), height, payloadBytes }
}

function readCid(text: string): CID {
  if (text.length > 160) throw refuse(proofReason('PIECE_CID_TOO_LONG'))
  try {
    return CID.parse(text)
  } catch (cause) {
    throw refuse(proofReason('NOT_A_CID'), cause)
  }
}

function readFilling(digest: Uint8Array): [filling: number, length: number] {
  try {
    const [filling, length] = varint.decode(digest)
    if (length !== varint.encodingLength(filling)) throw new RangeError('not the shortest encoding')
    return [filling, length]
  } catch (cause) {
    throw refuse(proofReason('PIECE_CID_PADDING_UNREADABLE'), cause)
  }
}

function refuse(details: Reason, cause?: unknown): CairnError {
  return new CairnError('INVALID_PIECE_CID', { details, cause })
}
