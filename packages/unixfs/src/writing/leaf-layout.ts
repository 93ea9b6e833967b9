import { dagPbCode, rawCode } from '../cids/sha256-cid.ts'
import { unixfsTypes } from '../formats/unixfs-data.ts'
import { varintLength, writeVarint } from '../formats/varint.ts'
import type { ImportProfile } from './profiles.ts'

/** Layout of a leaf of a file in its block: only the payload, or the payload in a dag-pb node. */
export type LeafLayout = {
  readonly code: number
  /** Bytes before the payload of a full leaf. */
  readonly headBytes: number
  /** Size of the block of a full leaf. */
  readonly blockBytes: number
  /** Completes the block around `length` bytes of payload in `buffer` from `headBytes` on. */
  wrap(buffer: Uint8Array, length: number): Uint8Array
}

/** Leaves that consist of the chunk only. */
function rawLayout(chunkSizeBytes: number): LeafLayout {
  return {
    code: rawCode,
    headBytes: 0,
    blockBytes: chunkSizeBytes,
    wrap: (buffer, length) => (length === buffer.length ? buffer : buffer.subarray(0, length)),
  }
}

/** Leaves that are UnixFS file nodes in dag-pb; a shorter payload has a shorter head, which then starts later. */
function wrappedLayout(chunkSizeBytes: number): LeafLayout {
  const dataLength = (length: number) =>
    3 + varintLength(length) + (length === 0 ? 0 : 1 + varintLength(length) + length)
  const headLength = (length: number) =>
    1 + varintLength(dataLength(length)) + 2 + (length === 0 ? 0 : 1 + varintLength(length))
  const headBytes = headLength(chunkSizeBytes)
  return {
    code: dagPbCode,
    headBytes,
    blockBytes: headBytes + chunkSizeBytes + 1 + varintLength(chunkSizeBytes),
    wrap(buffer, length) {
      const start = headBytes - headLength(length)
      buffer[start] = 0x0a
      let at = writeVarint(buffer, start + 1, dataLength(length))
      buffer[at++] = 0x08
      buffer[at++] = unixfsTypes.file
      if (length > 0) {
        buffer[at++] = 0x12
        at = writeVarint(buffer, at, length) + length
      }
      buffer[at++] = 0x18
      at = writeVarint(buffer, at, length)
      return buffer.subarray(start, at)
    },
  }
}

/** Returns the layout of leaves in `profile`. */
export function leafLayoutOf(profile: ImportProfile): LeafLayout {
  return profile.rawLeaves ? rawLayout(profile.chunkSizeBytes) : wrappedLayout(profile.chunkSizeBytes)
}
