import { packKey } from './pack-id.ts'

/** Columns that locate the bytes of a pack. */
export const placeColumns = ['object_key', 'merged_id', 'merged_offset_bytes', 'is_merged'] as const

/** A row of a pack with {@link placeColumns}. */
export type PlacedPack = {
  object_key: string
  merged_id: bigint | null
  merged_offset_bytes: number | null
  is_merged: 0 | 1
}

/** Returns the key of the object that holds a pack: its own, or that of the merged pack. */
export function objectKeyOf({ object_key, merged_id }: Pick<PlacedPack, 'object_key' | 'merged_id'>): string {
  return merged_id === null ? object_key : packKey(merged_id)
}

/** Returns what to add to an offset in a pack to get the offset in its object, in bytes. */
export function shiftOf({ merged_id, merged_offset_bytes }: Omit<PlacedPack, 'object_key' | 'is_merged'>): number {
  return merged_id === null ? 0 : (merged_offset_bytes ?? 0)
}
