import type { Generated } from 'kysely'

type PackState = 'live' | 'removing'

/**
 * Why a pack without an upload is more than unreferenced:
 * - `pending`: its rows were written ahead of its upload, which is in progress;
 * - `abandoned`: its upload was never acknowledged; it is removed after the grace period;
 * - `orphaned`: it was found without rows; it is kept and not read until it is imported;
 * - `recovered`: it is read, and kept until its content is listed for an account: it was imported, or belongs to an
 *   unfinished upload (`held_pack`).
 */
export type PackHold = 'pending' | 'abandoned' | 'orphaned' | 'recovered'

/** A pack: one CAR in the object store. `id` is a 63-bit time-ordered number. */
type PackTable = {
  id: bigint
  object_key: string
  size_bytes: number
  block_count: number
  state: PackState
  created_at: number
  /** Since when no upload needs it; null while one does. */
  unreferenced_at: number | null
  /** When all its blocks were last read and verified. */
  scrubbed_at: number | null
  /** 1 if all of it is in pieces. */
  is_pieced: Generated<number>
  hold: PackHold | null
  /** When its object was found missing; null while the object exists. */
  missing_at: number | null
  /** The merged pack whose object holds it; null while it has its own object. Then `object_key` names none. */
  merged_id: Generated<bigint | null>
  /**
   * For a pack in a merged one: distance of its bytes from their offsets in a pack of its own. For a merged pack: offset of its
   * manifest.
   */
  merged_offset_bytes: Generated<number | null>
  /** 1 for a merged pack. It has no blocks and no uploads of its own. */
  is_merged: Generated<0 | 1>
  /** 1 if it holds blocks of private uploads, which only readers of these uploads find. */
  is_private: Generated<0 | 1>
}

/** Location of a block's payload. The same block may be in several packs. */
type BlockTable = {
  multihash: Uint8Array
  pack_id: bigint
  offset_bytes: number
  length_bytes: number
  /** When its bytes were found to differ from its hash; null while they match. */
  damaged_at: number | null
}

/**
 * One row. `name` is the id that the pack folder carries too; `removals` grows with every removed pack, `denials` with every
 * change of the operator's denylist, so that replicas clear their caches.
 */
type StoreTable = {
  id: bigint
  name: string
  created_at: number
  removals: number
  denials: number
  /** Id of the secret that all replicas use; null before the first start on PostgreSQL. */
  secret_check: Generated<string | null>
}

/** An object that is removed because its record was dropped, from `created_at` on. */
type DoomedObjectTable = { object_key: string; created_at: number }

/** A pack that an unfinished upload needs. `is_own`: 1 if no other upload relies on it. */
type HeldPackTable = { holder_id: string; pack_id: bigint; is_own: 0 | 1 }

/** Packs, their blocks, and the store that they are in. */
export type PackTables = {
  pack: PackTable
  block: BlockTable
  store: StoreTable
  doomed_object: DoomedObjectTable
  held_pack: HeldPackTable
}
