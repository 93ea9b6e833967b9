import type { BlockSink, BlockSource } from '@cairn/unixfs'
import type { Kysely } from 'kysely'
import type { CID } from 'multiformats/cid'
import type { Schema } from '../db/schema.ts'

export { claimPackFolder, takeOverPackFolder } from './claim-folder.ts'
export { comparePacks } from './compare-packs.ts'
export { createPackStore } from './create-pack-store.ts'
export { hashSha256 } from './hash-sha256.ts'
export { markDamaged } from './mark-damage.ts'
export { recoverPacks } from './recover.ts'
export { findRecovered, type RecoveredPack } from './recovered-packs.ts'
export { countRemoval, readRemovals } from './removals.ts'
export { removePack } from './remove-pack.ts'
export { markMissing, reportComparison, settleComparison } from './settle-comparison.ts'
export { releaseListed, type TakenIn, takeInPacks } from './take-in.ts'
export { verifyPack } from './verify-pack.ts'

/** Options of everything that reads. */
export type ReadOptions = { signal?: AbortSignal | undefined }

/** Where the payload of a block lies, in bytes from the start of its pack. */
export type BlockLocation = { packId: bigint; objectKey: string; offset: number; length: number }

/** The new object of an upload, and where its blocks lie in it. */
export type OwnPack = {
  id: bigint
  objectKey: string
  sizeBytes: number
  createdAt: number
  /** Whether the rows of pack and blocks are there already, as those of large packs are. */
  isIndexed: boolean
  blocks: PackedBlocks
}

/** Blocks of one pack; they can be walked again and again. */
export type PackedBlocks = {
  readonly count: number
  /** Place of the payload, or undefined where the block is not in this pack. */
  find(multihash: Uint8Array): { offset: number; length: number } | undefined
  [Symbol.iterator](): Iterator<{ multihash: Uint8Array; offset: number; length: number }>
}

/** A pack whose object is durable but which no row names yet. Give it to `record` or to `discard`. */
export type SealedPack = {
  /** The new pack, or undefined when every block was stored already. */
  readonly own: OwnPack | undefined
  /** Other packs that hold blocks of this upload. */
  readonly dependsOn: readonly bigint[]
}

/** A pack being written. */
export type PackWriter = {
  /**
   * Takes the blocks of an import. They are trusted to match their CIDs: whoever takes blocks from outside verifies
   * them first. Blocks of identity CIDs are not written.
   * @throws CairnError STORAGE_FULL, STORAGE_FAILED, PAYLOAD_TOO_LARGE (a block), UNSUPPORTED_CODEC (a hash)
   */
  readonly sink: BlockSink
  /** Notes that the upload needs a block that may be stored already; false when it is not. */
  keep(cid: CID): Promise<boolean>
  /** Bytes taken so far, frames included, before deduplication. */
  readonly bytesWritten: number
  /** Makes the pack durable. `roots` go into its manifest, for re-indexing. After a failure, call abort. */
  seal(roots: Iterable<CID>): Promise<SealedPack>
  /** Gives up and removes what was written. Safe at any time and more than once; does nothing after seal. */
  abort(): Promise<void>
}

/** Something an operator should hear of. */
export type PackEvent =
  | { type: 'block-damaged'; cid: string; packId: bigint; objectKey: string }
  | { type: 'pack-damaged'; packId: bigint; objectKey: string; damagedBlocks: number; faults: string[] }
  | { type: 'pack-removed'; packId: bigint; objectKey: string }
  /** One of `of` packs whose object is missing. */
  | { type: 'pack-missing'; objectKey: string; of: number }
  | { type: 'pack-orphaned'; objectKey: string }
  | { type: 'scrub-finished'; packs: number; damagedBlocks: number }
  | { type: 'worker-failed'; worker: string; error: unknown }

/**
 * The blocks of all uploads, in packs: append-only CARs in an object store, with an index in the database. It is a
 * `BlockSource` for `@cairn/unixfs`.
 */
export type PackStore = {
  /** Starts a pack. Nothing is written to disk before the first 4 MiB or `seal`. */
  begin(): PackWriter
  /**
   * Makes a sealed pack part of an upload, inside the caller's unit of work. The row of the upload must be there.
   * Several uploads may share one sealed pack: record it for each.
   * @throws CairnError CONFLICT when a pack it depends on was removed meanwhile: import again.
   */
  record(trx: Kysely<Schema>, sealed: SealedPack, uploadId: string): Promise<void>
  /** Removes a sealed pack that was not recorded because the unit of work failed. Never call it after success. */
  discard(sealed: SealedPack): Promise<void>
  /** Drops the references of an upload, before or with its row, inside the caller's unit of work. */
  release(trx: Kysely<Schema>, uploadId: string): Promise<void>
  /** Whether the block is stored. */
  has(cid: CID): Promise<boolean>
  /**
   * The verified bytes of a block. They may be shared with other readers: do not change them.
   * @throws CairnError BLOCK_NOT_FOUND; DATA_DAMAGED with details {cid, pack} when no copy matches its hash.
   */
  get(cid: CID, options?: ReadOptions): Promise<Uint8Array>
  /**
   * The verified bytes of many blocks, in order, neighbours in a pack read together; memory is bounded, reads run at
   * most a few MiB ahead. @throws as get.
   */
  read(cids: Iterable<CID> | AsyncIterable<CID>, options?: ReadOptions): AsyncGenerator<{ cid: CID; bytes: Uint8Array }>
  /**
   * A source for one reader, a download say: what it is told to prefetch is read in runs of a MiB, one run ahead.
   * Let it go when the reader is done; it holds nothing but memory. That memory is used again: pass each block on, or
   * copy it, before a MiB more is asked for.
   */
  openReader(): BlockSource
  /** A source that also has the blocks of a pack that is sealed but not recorded: to check that an import is complete. */
  openSealed(sealed: SealedPack): BlockSource & { has(cid: CID): Promise<boolean> }
  /** Where blocks lie: for each multihash a place, or undefined where it is not stored. */
  locate(multihashes: readonly Uint8Array[]): Promise<(BlockLocation | undefined)[]>
  /**
   * Confirms a sealed pack, after its unit of work is committed and before the client hears of it. When it fails, the next
   * start finds the row.
   */
  confirm(sealed: SealedPack): Promise<void>
  /** Clears all caches. Reads under way cache nothing either: what they looked up may be removed. */
  forget(): void
}
