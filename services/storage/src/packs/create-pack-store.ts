import { CairnError, KIB, MIB } from '@cairn/protocol'
import { createAlignedPool, type ObjectCache, type ObjectStore } from '@cairn/service/objects'
import type { BlockSource } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import type { Database } from '../db/database.ts'
import { isIdentity } from './identity.ts'
import { type BlockReader, createBlockReader } from './reading/block-reader.ts'
import type { BlockView } from './reading/find-blocks.ts'
import { createReadAhead } from './reading/read-ahead.ts'
import { readSealed } from './reading/read-sealed.ts'
import { createRunHasher } from './reading/run-hasher.ts'
import { createSlabMemory } from './reading/run-slabs.ts'
import { holdPacks } from './removal/hold-packs.ts'
import { removePack } from './removal/remove-pack.ts'
import type { OwnPack, PackEvent, PackStore, ReadOptions, SealedPack } from './types.ts'
import { createPackWriter } from './writing/pack-writer.ts'
import {
  condemnPack,
  findPacksOf,
  indexAhead,
  lockPacks,
  recordPack,
  referencePacks,
  releasePacks,
} from './writing/record-pack.ts'

/** Dependencies of a pack store. */
export type PackStoreParts = {
  db: Database
  objects: ObjectStore
  clock: { now(): number }
  /** Cache of packs on the disk. */
  cache?: ObjectCache | undefined
  /** Cache size for block locations, in bytes. Defaults to 16 MiB. */
  locationCacheBytes?: number
  /** Cache size for small blocks, in bytes. Defaults to 32 MiB. */
  blockCacheBytes?: number
  onEvent?: (event: PackEvent) => void
  /** Called when bytes of a pack are received or written. */
  onWrite?: () => void
}

/** Buffers that are kept for the next upload: as much as one large upload uses. */
const maxSpareBytes = 14 * MIB
/** Slabs of all readers: those of some 30 downloads at once. More read their blocks one by one. */
const maxSlabBytes = 128 * MIB
/** Caches of a reader of one private upload, which lasts as long as one request. */
const privateCaches = { locationCacheBytes: 256 * KIB, blockCacheBytes: MIB }
/** Blocks of one `read()` call that are prefetched together. */
const announcedAtOnce = 256

/** Creates the pack store over a database and an object store. The caller closes both. */
export function createPackStore(parts: PackStoreParts): PackStore {
  const { db, objects, cache, clock, onEvent = () => undefined, onWrite = () => undefined } = parts
  const settings = {
    locationCacheBytes: parts.locationCacheBytes ?? 16 * MIB,
    blockCacheBytes: parts.blockCacheBytes ?? 32 * MIB,
  }
  const pool = createAlignedPool(maxSpareBytes)
  const hasher = createRunHasher()
  const slabMemory = createSlabMemory(maxSlabBytes)
  const openView = (view: BlockView, caches: typeof settings) =>
    createBlockReader({ db, objects, cache, clock, settings: caches, view, hasher, onEvent })
  const reader = openView('public', settings)
  /**
   * Packs passed to `discard()`. Their rows are removed with their objects, so rows cannot reject a late `record`.
   */
  const discarded = new WeakSet<OwnPack>()

  /** Called after the row is written: a later `discard()` finds the row, an earlier one is visible here. */
  const requireKept = ({ own }: SealedPack): void => {
    if (own !== undefined && discarded.has(own)) {
      throw new CairnError('CONFLICT', { message: 'The stored data was discarded before the upload was recorded' })
    }
  }

  const discard = async (own: OwnPack): Promise<void> => {
    discarded.add(own)
    if (!(await condemnPack(db, own, { hold: null }))) {
      discarded.delete(own)
      return
    }
    await removePack(db, objects, own)
  }

  return {
    begin({ dependsOn = [], isPrivate = false } = {}) {
      const index = (own: OwnPack) => indexAhead(db, own)
      return createPackWriter({ db, objects, pool, clock, dependsOn, isPrivate, index, discard, onWrite })
    },
    async lock(trx, { dependsOn }, deletedIds = []) {
      const deleted = await findPacksOf(trx, deletedIds)
      // The next statement locks a single one.
      if (deleted.length > 0 || dependsOn.length > 1) {
        await lockPacks(trx, db.kind, [...new Set([...dependsOn, ...deleted])])
      }
      await referencePacks(trx, dependsOn)
    },
    async record(trx, sealed, uploadId) {
      await recordPack(trx, db.kind, sealed, uploadId)
      requireKept(sealed)
    },
    async hold(trx, sealed, holderId) {
      await holdPacks(trx, db.kind, sealed, holderId)
      requireKept(sealed)
    },
    async discard({ own }: SealedPack) {
      if (own !== undefined) await discard(own)
    },
    release: (trx, uploadIds) => releasePacks(trx, db.kind, uploadIds, clock.now()),
    has: reader.has,
    get: reader.get,
    locate: reader.locate,
    read: (cids, options = {}) => readBlocks(reader, cids, options),
    openReader: () => createReadAhead(reader, slabMemory),
    openPrivate: (uploadId) => createReadAhead(openView({ uploadId }, privateCaches), slabMemory),
    openAll: () => openView('all', privateCaches),
    openSealed: (sealed) => readSealed(sealed, objects, reader),
    async confirm({ own }) {
      if (own !== undefined) await objects.confirm(own.objectKey)
    },
    evict() {
      reader.evict()
      objects.releaseFiles()
    },
  }
}

async function* readBlocks(
  reader: BlockReader,
  cids: Iterable<CID> | AsyncIterable<CID>,
  options: ReadOptions,
): AsyncGenerator<{ cid: CID; bytes: Uint8Array }> {
  const source: BlockSource = createReadAhead(reader)
  const yieldBatch = async function* (batch: CID[]): AsyncGenerator<{ cid: CID; bytes: Uint8Array }> {
    source.prefetch?.(batch.filter((cid) => !isIdentity(cid)))
    for (const cid of batch) yield { cid, bytes: await source.get(cid, options) }
  }
  let batch: CID[] = []
  for await (const cid of cids) {
    batch.push(cid)
    if (batch.length < announcedAtOnce) continue
    yield* yieldBatch(batch)
    batch = []
  }
  yield* yieldBatch(batch)
}
