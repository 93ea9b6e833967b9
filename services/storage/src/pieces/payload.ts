import { CairnError } from '@cairn/protocol'
import type { ObjectStore } from '@cairn/service/objects'
import type { PiecePackRow } from './store.ts'

/**
 * Reads exactly `length` payload bytes at `offset`, into the beginning of `into` when given.
 * @throws CairnError DATA_DAMAGED when they no longer exist
 */
export type ReadBytes = (offset: number, length: number, into?: Uint8Array) => Promise<Uint8Array>

/** A pack, or a part of a large one, within a piece. */
export type PackedPart = {
  readonly objectKey: string
  /** Offsets in the pack and in the piece. */
  readonly packOffset: number
  readonly offset: number
  readonly sizeBytes: number
}

/** Converts rows to the parts of a piece. */
export function toParts(rows: readonly PiecePackRow[]): PackedPart[] {
  return rows.map((row) => ({
    objectKey: row.object_key,
    packOffset: row.pack_offset_bytes,
    offset: row.offset_bytes,
    sizeBytes: row.size_bytes,
  }))
}

/** Reads a piece from the packs it consists of, which are concatenated in it. */
export function readPacks(objects: ObjectStore, parts: readonly PackedPart[]): ReadBytes {
  return async (offset, length, into = new Uint8Array(length)) => {
    for (let at = offset; at < offset + length; ) {
      const part = parts.find((one) => at >= one.offset && at < one.offset + one.sizeBytes)
      if (part === undefined) throw new CairnError('DATA_DAMAGED', { details: { offset: at } })
      const end = Math.min(offset + length, part.offset + part.sizeBytes)
      const region = into.subarray(at - offset, end - offset)
      const bytes = await objects.readOnce(part.objectKey, part.packOffset + at - part.offset, end - at, region)
      if (bytes.buffer !== region.buffer) region.set(bytes)
      at = end
    }
    return into.subarray(0, length)
  }
}
