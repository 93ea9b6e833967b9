import { type ImportedNode, type ImportProfile, leafNode } from '@cairn/unixfs'
import { readSmall, smallFileBytes } from '../local/read-small.ts'
import type { LocalFile } from '../local-source.ts'
import { hashSha256 } from './native-crypto.ts'

/** A slab of this size is sent; its sender does not copy it. */
const fullBytes = 256 * 1024
/** Maximum bytes of the head of a part in a slab. */
const headBytes = 64 * 1024

/** Gathers the parts of small files on disk: each is read to the place that it is sent from. */
export type Slab = {
  /**
   * Adds a part; undefined, with nothing added, if it is not a small file on disk.
   * @throws CairnError as {@link readSmall}
   */
  add(head: Uint8Array, file: LocalFile): ImportedNode | undefined
  readonly isFull: boolean
  /** Returns the parts since the last call; those of a full slab are valid until the next one is full. */
  take(): Uint8Array
}

/** Opens a slab; undefined for import profiles that wrap the bytes of a small file. */
export function openSlab({ rawLeaves, chunkSizeBytes }: ImportProfile): Slab | undefined {
  if (!rawLeaves || chunkSizeBytes < smallFileBytes) return undefined
  let buffer = Buffer.allocUnsafeSlow(fullBytes + headBytes + smallFileBytes + 1)
  let other = Buffer.allocUnsafeSlow(buffer.length)
  let filled = 0
  return {
    add(head, { path, sizeBytes, place }) {
      if (path === undefined || place !== undefined || head.length > headBytes) return undefined
      const start = filled + head.length
      const read = readSmall(path, sizeBytes, (length) => buffer.subarray(start, start + length))
      if (read === undefined) return undefined
      buffer.set(head, filled)
      filled = start + read.length
      return leafNode(hashSha256(read), read.length)
    },
    get isFull() {
      return filled >= fullBytes
    },
    take() {
      const taken = buffer.subarray(0, filled)
      const isFull = filled >= fullBytes
      filled = 0
      // The previous slab may still be on its way, so they alternate only when one is full, which its sender waits for.
      if (!isFull) return Buffer.from(taken)
      ;[buffer, other] = [other, buffer]
      return taken
    },
  }
}
