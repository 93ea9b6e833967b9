import type { BlockSink, BlockSource } from '@cairn/unixfs'
import type { Kysely } from 'kysely'
import type { CID } from 'multiformats/cid'
import type { Schema } from '../db/schema.ts'

/** Options of every read. */
export type ReadOptions = { signal?: AbortSignal | undefined }

/** Location of a block's payload, in bytes from the start of the object that holds its pack. */
export type BlockLocation = { packId: bigint; objectKey: string; offset: number; length: number }

/** The new object of an upload, and the location of its blocks. */
export type OwnPack = {
  id: bigint
  objectKey: string
  sizeBytes: number
  createdAt: number
  /** Whether only readers of its uploads find its blocks. */
  isPrivate: boolean
  /** Whether the rows of pack and blocks already exist, as for large packs. */
  isIndexed: boolean
  blocks: PackedBlocks
}

/** Blocks of one pack, in an iterable that can be walked repeatedly. */
export type PackedBlocks = {
  readonly count: number
  /** Location of the payload, or undefined when the block is not in this pack. */
  find(multihash: Uint8Array): { offset: number; length: number } | undefined
  [Symbol.iterator](): Iterator<{ multihash: Uint8Array; offset: number; length: number }>
}

/** A pack with a durable object that no row refers to yet. Pass it to `record` or to `discard`. */
export type SealedPack = {
  /** The new pack, or undefined when every block was already stored. */
  readonly own: OwnPack | undefined
  /** Other packs that hold blocks of this upload. */
  readonly dependsOn: readonly bigint[]
}

/** A pack being written. */
export type PackWriter = {
  /**
   * Accepts the blocks of an import. They are trusted to match their CIDs: the caller verifies blocks from outside
   * first. Blocks of identity CIDs are not written.
   * @throws CairnError STORAGE_FULL, STORAGE_FAILED, PAYLOAD_TOO_LARGE (a block), UNSUPPORTED_CODEC (a hash)
   */
  readonly sink: BlockSink
  /**
   * Marks blocks that may already be stored as needed by the upload; returns their sizes in bytes, undefined for those that are
   * not stored. A private pack relies on no other pack.
   */
  keep(cids: readonly CID[]): Promise<(number | undefined)[]>
  /** Bytes accepted so far, including frames, before deduplication. */
  readonly bytesWritten: number
  /** Makes the pack durable. `roots` go into its manifest, for re-indexing. After a failure, call `abort`. */
  seal(roots: Iterable<CID>): Promise<SealedPack>
  /** Aborts and removes what was written. Idempotent; does nothing after `seal`. */
  abort(): Promise<void>
}

/** An event reported to the operator. */
export type PackEvent =
  | { type: 'block-damaged'; cid: string; packId: bigint; objectKey: string }
  | { type: 'pack-damaged'; packId: bigint; objectKey: string; damagedBlocks: number; failures: string[] }
  | { type: 'pack-removed'; packId: bigint; objectKey: string }
  /** One of `of` packs whose object is missing. */
  | { type: 'pack-missing'; objectKey: string; of: number }
  | { type: 'pack-orphaned'; objectKey: string }
  | { type: 'packs-merged'; objectKey: string; packs: number; bytes: number }
  | { type: 'packs-mergeable'; packs: number; bytes: number }
  | { type: 'scrub-finished'; packs: number; damagedBlocks: number }
  | { type: 'worker-failed'; worker: string; error: unknown }

/** Options of a new pack. */
export type PackOptions = {
  /** Other packs with blocks of the same upload. Defaults to none. */
  dependsOn?: readonly bigint[] | undefined
  /** Whether its blocks belong to private uploads. Defaults to false. */
  isPrivate?: boolean | undefined
}

/** Verified blocks for one reader. */
export type PackReader = BlockSource & {
  /**
   * Frees its memory for other readers; otherwise the collector does, later.
   * @param isSent whether nothing uses its blocks any longer: their bytes are gone then
   */
  close(isSent?: boolean): void
}

/**
 * The blocks of all uploads, in packs: append-only CARs in an object store, with an index in the database. It is a
 * `BlockSource` for `@cairn/unixfs`. Blocks of private packs exist for {@link PackStore.openPrivate} and
 * {@link PackStore.openAll} only: every other reader answers as if they were not stored.
 */
export type PackStore = {
  /** Starts a pack. Nothing is written to disk before its first slab is full, or `seal`. */
  begin(options?: PackOptions): PackWriter
  /**
   * Locks the packs that a sealed pack depends on until the caller's unit of work ends: before its account, as a deletion locks them.
   * @param deletedIds of uploads that the unit deletes: their packs are locked too
   * @throws CairnError CONFLICT when one was removed meanwhile: import again.
   */
  lock(trx: Kysely<Schema>, sealed: Pick<SealedPack, 'dependsOn'>, deletedIds?: readonly string[]): Promise<void>
  /**
   * Makes a sealed pack part of an upload, in the caller's unit of work. The row of the upload must exist. Several
   * uploads may share one sealed pack: record it for each.
   * @throws CairnError CONFLICT when a pack it depends on was removed meanwhile: import again.
   */
  record(trx: Kysely<Schema>, sealed: SealedPack, uploadId: string): Promise<void>
  /**
   * Makes a sealed pack part of an unfinished upload, which holds it and the packs that it depends on, in the caller's
   * unit of work. Reads find its blocks; no other upload relies on them.
   * @throws CairnError CONFLICT when a pack it depends on was removed meanwhile
   */
  hold(trx: Kysely<Schema>, sealed: SealedPack, holderId: string): Promise<void>
  /** Removes a sealed pack that was not recorded because the unit of work failed. Never call it after success. */
  discard(sealed: SealedPack): Promise<void>
  /** Removes the references of uploads, before or with their rows, in the caller's unit of work. */
  release(trx: Kysely<Schema>, uploadIds: readonly string[]): Promise<void>
  /** Whether the block is stored. */
  has(cid: CID): Promise<boolean>
  /**
   * Returns the verified bytes of a block. They may be shared with other readers: do not modify them.
   * @throws CairnError BLOCK_NOT_FOUND; DATA_DAMAGED with details {cid, pack} when no copy matches its hash.
   */
  get(cid: CID, options?: ReadOptions): Promise<Uint8Array>
  /**
   * Reads the verified bytes of many blocks in order, neighbours in a pack together. Memory is bounded; reads run at
   * most a few MiB ahead. @throws as `get`.
   */
  read(cids: Iterable<CID> | AsyncIterable<CID>, options?: ReadOptions): AsyncGenerator<{ cid: CID; bytes: Uint8Array }>
  /**
   * Opens a source for one reader, such as a download. Prefetched blocks are read in runs of 1 MiB, some of them ahead.
   * Its memory is reused: pass each block on or copy it before another MiB is requested.
   */
  openReader(): PackReader
  /**
   * Opens a source of the blocks of one upload, private or not, for a reader that may see it. Its caches end with it, so
   * that no other reader finds a private block. Otherwise as `openReader`.
   */
  openPrivate(uploadId: string): PackReader
  /** Opens all packs, for maintenance: never for what a request reads. */
  openAll(): Pick<PackStore, 'get' | 'locate'>
  /** Opens a source that includes the blocks of a sealed but unrecorded pack, to check that an import is complete. */
  openSealed(sealed: SealedPack): BlockSource & { has(cid: CID): Promise<boolean> }
  /** Returns the location of each multihash, or undefined when it is not stored. */
  locate(multihashes: readonly Uint8Array[]): Promise<(BlockLocation | undefined)[]>
  /**
   * Confirms a sealed pack, after its unit of work is committed and before the client is answered. If it fails, the
   * next start finds the row.
   */
  confirm(sealed: SealedPack): Promise<void>
  /** Clears all caches. Reads in progress cache nothing either, because their blocks may be removed. */
  evict(): void
}
