import { sha256 } from '@noble/hashes/sha2.js'
import { nodeBytes, paddedBytesOf } from './piece.ts'

/** Bytes of one entry of a data-segment index: root, offset, size and checksum. */
export const entryBytes = 64

/** Leaves that one entry takes. */
export const entryLeaves = entryBytes / nodeBytes

/** A piece within an aggregate. `offset` counts padded bytes from the start of the aggregate. */
export type Segment = { readonly root: Uint8Array; readonly height: number; readonly offset: number }

/** Entries there is room for in the index of an aggregate of this many padded bytes. */
export function entriesMost(paddedBytes: number): number {
  return Math.max(4, 2 ** Math.floor(Math.log2(paddedBytes / 2048 / entryBytes)))
}

/** Where the index of an aggregate of this many padded bytes begins: it fills the end. */
export function indexStart(paddedBytes: number): number {
  return paddedBytes - entriesMost(paddedBytes) * entryBytes
}

/**
 * An entry of the index: two leaves of the aggregate's tree.
 * @see https://github.com/filecoin-project/FIPs/blob/master/FRCs/frc-0058.md#data-segment-index
 */
export function encodeEntry(segment: Segment): Uint8Array {
  const entry = new Uint8Array(entryBytes)
  entry.set(segment.root)
  const view = new DataView(entry.buffer)
  view.setBigUint64(nodeBytes, BigInt(segment.offset), true)
  view.setBigUint64(nodeBytes + 8, BigInt(paddedBytesOf(segment)), true)
  entry.set(checksumOf(entry), nodeBytes + 16)
  return entry
}

/** The first 126 bits of the hash of an entry whose place for the checksum is still empty. */
function checksumOf(entry: Uint8Array): Uint8Array {
  const checksum = sha256(entry).slice(0, 16)
  checksum[15] = (checksum[15] ?? 0) & 0x3f
  return checksum
}
