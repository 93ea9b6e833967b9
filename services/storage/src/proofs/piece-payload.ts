import { CairnError } from '@cairn/protocol'
import type { ObjectStore } from '../objects/objects.ts'

/**
 * Reads exactly `length` payload bytes at `offset`, into the front of `into` where given.
 * @throws CairnError DATA_DAMAGED where they are not there any more
 */
export type ReadBytes = (offset: number, length: number, into?: Uint8Array) => Promise<Uint8Array>

/** A pack within a piece. */
export type PackedPart = { readonly objectKey: string; readonly offset: number; readonly sizeBytes: number }

/** Reads a piece from the packs it was made of, which lie in it one after the other. */
export function readPacks(objects: ObjectStore, parts: readonly PackedPart[]): ReadBytes {
  return async (offset, length, into = new Uint8Array(length)) => {
    for (let at = offset; at < offset + length; ) {
      const part = parts.find((one) => at >= one.offset && at < one.offset + one.sizeBytes)
      if (part === undefined) throw new CairnError('DATA_DAMAGED', { details: { offset: at } })
      const end = Math.min(offset + length, part.offset + part.sizeBytes)
      const room = into.subarray(at - offset, end - offset)
      const bytes = await objects.read(part.objectKey, at - part.offset, end - at, room)
      if (bytes.buffer !== room.buffer) room.set(bytes)
      at = end
    }
    return into.subarray(0, length)
  }
}
