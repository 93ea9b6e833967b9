import type { ImportProfile } from './profiles.ts'
import { dagPbCode, rawCode } from './sha256-cid.ts'
import { unixfsTypes } from './unixfs-data.ts'
import { varintLength, writeVarint } from './varint.ts'

/** How a leaf of a file lies in its block: payload alone, or inside a dag-pb node. */
export type LeafLayout = {
  readonly code: number
  /** Bytes before the payload of a full leaf. */
  readonly headBytes: number
  /** Room that the block of a full leaf takes. */
  readonly blockBytes: number
  /** Completes the block around `length` bytes of payload that lie in `room` from `headBytes` on. */
  wrap(room: Uint8Array, length: number): Uint8Array
}

/** Leaves that are the chunk itself. */
function rawLayout(chunkSizeBytes: number): LeafLayout {
  return {
    code: rawCode,
    headBytes: 0,
    blockBytes: chunkSizeBytes,
    wrap: (room, length) => (length === room.length ? room : room.subarray(0, length)),
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
    wrap(room, length) {
      const start = headBytes - headLength(length)
      room[start] = 0x0a
      let at = writeVarint(room, start + 1, dataLength(length))
      room[at++] = 0x08
      room[at++] = unixfsTypes.file
      if (length > 0) {
        room[at++] = 0x12
        at = writeVarint(room, at, length) + length
      }
      room[at++] = 0x18
      at = writeVarint(room, at, length)
      return room.subarray(start, at)
    },
  }
}

/** The layout of leaves in `profile`. */
export function leafLayoutOf(profile: ImportProfile): LeafLayout {
  return profile.rawLeaves ? rawLayout(profile.chunkSizeBytes) : wrappedLayout(profile.chunkSizeBytes)
}
