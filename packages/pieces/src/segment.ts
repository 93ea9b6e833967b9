import { sha256 } from '@noble/hashes/sha2.js'
import { nodeBytes, paddedBytesOf } from './piece.ts'

/** Bytes of one entry of a data-segment index: root, offset, size and checksum. */
export const entryBytes = 64

/** Leaves per entry. */
export const entryLeaves = entryBytes / nodeBytes

/** A piece within an aggregate. `offset` counts padded bytes from the start of the aggregate. */
export type Segment = { readonly root: Uint8Array; readonly height: number; readonly offset: number }

/** Returns the maximum number of entries in the index of an aggregate of this many padded bytes. */
export function maxEntries(paddedBytes: number): number {
  return Math.max(4, 2 ** Math.floor(Math.log2(paddedBytes / 2048 / entryBytes)))
}

/** Returns the start of the index of an aggregate of this many padded bytes: it fills the end. */
export function indexStart(paddedBytes: number): number {
  return paddedBytes - maxEntries(paddedBytes) * entryBytes
}

/**
 * Encodes an entry of the index: two leaves of the tree of the aggregate.
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

/** Returns the first 126 bits of the hash of an entry with an empty checksum. */
function checksumOf(entry: Uint8Array): Uint8Array {
  const checksum = sha256(entry).slice(0, 16)
  checksum[15] = (checksum[15] ?? 0) & 0x3f
  return checksum
}
