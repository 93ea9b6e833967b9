import { CairnError, MIB } from '@cairn/protocol'
import { type ObjectCache, type ObjectStore, regionFor, regionSlackBytes } from '@cairn/service/objects'
import type { CID } from 'multiformats/cid'
import { code as rawCode } from 'multiformats/codecs/raw'
import type { Database } from '../../db/database.ts'
import { createLruCache } from '../../lru-cache.ts'
import { bytesKey, isSha256, requireHash } from '../block-key.ts'
import { isIdentity, readIdentityBytes } from '../identity.ts'
import { packIdOfKey } from '../pack-id.ts'
import { objectKeyOf } from '../pack-place.ts'
import { markMissing } from '../recovery/settle-comparison.ts'
import type { BlockLocation, PackEvent, ReadOptions } from '../types.ts'
import { type BlockView, findBlocks, findUnreadable } from './find-blocks.ts'
import type { RunHasher } from './run-hasher.ts'
import { isBlockOf } from './verify-bytes.ts'

/** Maximum bytes per read of neighbours, and the maximum gap between two that is read over instead of skipped. */
const maxRunBytes = MIB
const maxGapBytes = 16 * 1024
/** Runs of at least this size are hashed on another thread, while the previous one is sent. */
const offThreadBytes = 256 * 1024
/** Size of a slab that fits any run, in bytes, wherever it begins in a block of its object. */
export const runSlabBytes = maxRunBytes + maxGapBytes + regionSlackBytes
/** Maximum size of blocks cached in memory: nodes of files and folders, which are requested often. */
const smallBlockBytes = 16 * 1024
/** Estimated weight of one cached location, in bytes. */
const locationWeight = 300

/** Cache sizes in bytes. */
type ReaderSettings = { locationCacheBytes: number; blockCacheBytes: number }

/** Reads blocks by their location and never returns bytes that do not match their hash. */
export type BlockReader = {
  /** Whether its packs lie on another machine. */
  readonly isRemote: boolean
  get(cid: CID, options?: ReadOptions): Promise<Uint8Array>
  has(cid: CID): Promise<boolean>
  /** Returns the best location of each block, from the cache or with one query for all. */
  locate(multihashes: readonly Uint8Array[]): Promise<(BlockLocation | undefined)[]>
  /**
   * Reads the leading blocks of the list that lie together in one pack, with one read; at least one block. Blocks
   * that fail are read again one by one, from another copy if there is one. Returns views of the memory of `slab`, when
   * given; it must have {@link runSlabBytes}.
   */
  readRun(cids: readonly CID[], places: readonly (BlockLocation | undefined)[], slab?: RunMemory): BlockRun
  evict(): void
}

/** Memory for a run. Another thread takes it over and gives it back, which changes its identity. */
type RunMemory = { memory: ArrayBuffer }
/** Blocks read together, one promise per block, in order. */
type BlockRun = { blocks: Promise<Uint8Array>[] }

/** Dependencies of a reader. */
export type BlockReaderParts = {
  db: Database
  objects: ObjectStore
  /** Reads packs through a cache on the disk; undefined when there is none. */
  cache?: ObjectCache | undefined
  clock: { now(): number }
  settings: ReaderSettings
  /** The blocks that exist for this reader. Its caches hold no others. */
  view: BlockView
  hasher: RunHasher
  onEvent(event: PackEvent): void
}

/** Creates a reader with empty caches. */
export function createBlockReader(parts: BlockReaderParts): BlockReader {
  const { db, objects, cache, clock, settings, view, hasher, onEvent } = parts
  const { read } = cache ?? objects
  const places = createLruCache<BlockLocation>(settings.locationCacheBytes)
  const smallBlocks = createLruCache<Uint8Array>(settings.blockCacheBytes)
  /** Locations fetched since the caches were cleared. Only blocks read from these are cached. */
  let current = new WeakSet<BlockLocation>()

  /** Fetches all readable copies of blocks. */
  const findCopies = async (multihashes: readonly Uint8Array[]): Promise<Map<string, BlockLocation[]>> => {
    const asked = current
    const found = await findBlocks(db, multihashes, 'readable', view)
    for (const copies of found.values()) for (const place of copies) asked.add(place)
    return found
  }

  const locate = async (multihashes: readonly Uint8Array[]): Promise<(BlockLocation | undefined)[]> => {
    const keys = multihashes.map(bytesKey)
    const known = keys.map((key) => places.get(key))
    const missing = multihashes.filter((_, at) => known[at] === undefined)
    if (missing.length === 0) return known
    const found = await findCopies(missing)
    return known.map((place, at) => {
      const key = keys[at] ?? ''
      const fresh = place ?? found.get(key)?.[0]
      const isNew = place === undefined && fresh !== undefined
      if (isNew && current.has(fresh)) places.set(key, fresh, locationWeight)
      return fresh
    })
  }

  /**
   * Verifies the bytes and caches small blocks; of a run only nodes, because a walk passes each leaf once and leaves would
   * evict what is requested often.
   */
  const accept = (
    cid: CID,
    bytes: Uint8Array,
    place: BlockLocation,
    run?: { readonly sha256: Uint8Array | undefined },
  ): boolean | Promise<boolean> => {
    const matches = isBlockOf(cid, bytes, run?.sha256)
    if (run !== undefined && cid.code === rawCode) return matches
    if (typeof matches === 'boolean') return matches && cacheSmall(cid, bytes, place)
    return matches.then((isMatch) => isMatch && cacheSmall(cid, bytes, place))
  }

  /** Caches a verified block if it is small. */
  const cacheSmall = (cid: CID, bytes: Uint8Array, place: BlockLocation): true => {
    if (bytes.length <= smallBlockBytes && current.has(place)) {
      // Copies by constructor: `slice` of a Buffer is a view that would retain the whole run and change with it.
      smallBlocks.set(bytesKey(cid.multihash.bytes), new Uint8Array(bytes), bytes.length + 200)
    }
    return true
  }

  const reportDamage = async (cid: CID, { packId, objectKey }: BlockLocation): Promise<void> => {
    places.delete(bytesKey(cid.multihash.bytes))
    const now = clock.now()
    if ((await objects.size(objectKey)) === undefined) {
      onEvent({ type: 'pack-missing', objectKey, of: 1 })
      await markMissing(db, [packIdOfKey(objectKey) ?? packId], now)
      return
    }
    onEvent({ type: 'block-damaged', cid: `${cid}`, packId, objectKey })
    await db.write(async (trx) => {
      await trx
        .updateTable('block')
        .set({ damaged_at: now })
        .where('multihash', '=', cid.multihash.bytes)
        .where('pack_id', '=', packId)
        .where('damaged_at', 'is', null)
        .execute()
    })
  }

  /** Whether a copy is still there: a pack that was removed or merged meanwhile is not damage. */
  const isCurrent = async ({ packId, objectKey }: BlockLocation): Promise<boolean> => {
    const row = await db.read
      .selectFrom('pack')
      .select(['state', 'object_key', 'merged_id'])
      .where('id', '=', packId)
      .executeTakeFirst()
    return row?.state === 'live' && objectKeyOf(row) === objectKey
  }

  const readCopy = async (cid: CID, place: BlockLocation): Promise<Uint8Array | undefined> => {
    try {
      // Bytes that were wrong on their way are read again from the store.
      for (let tries = 0; tries === 0 || (tries === 1 && cache?.drop(place.objectKey) === true); tries++) {
        const bytes = await read(place.objectKey, place.offset, place.length)
        const isAccepted = accept(cid, bytes, place)
        if (isAccepted === true || (await isAccepted)) return bytes
      }
    } catch (error) {
      if (!CairnError.is(error, 'DATA_DAMAGED')) throw error
    }
    if (await isCurrent(place)) await reportDamage(cid, place)
    return undefined
  }

  /** Reads from the recorded copies, one after the other. */
  const readAnyCopy = async (cid: CID, { signal }: ReadOptions): Promise<Uint8Array> => {
    const { bytes: multihash } = cid.multihash
    places.delete(bytesKey(multihash))
    const copies = (await findCopies([multihash])).get(bytesKey(multihash)) ?? []
    for (const copy of copies) {
      signal?.throwIfAborted()
      const bytes = await readCopy(cid, copy)
      if (bytes !== undefined) return bytes
    }
    const pack = await findUnreadable(db, multihash, view)
    if (pack === undefined) throw new CairnError('BLOCK_NOT_FOUND', { details: { cid: `${cid}` } })
    throw new CairnError('DATA_DAMAGED', { details: { cid: `${cid}`, pack } })
  }

  const get = async (cid: CID, options: ReadOptions = {}): Promise<Uint8Array> => {
    options.signal?.throwIfAborted()
    if (isIdentity(cid)) return readIdentityBytes(cid)
    requireHash(cid)
    const cached = smallBlocks.get(bytesKey(cid.multihash.bytes))
    if (cached !== undefined) return cached
    const [place] = await locate([cid.multihash.bytes])
    if (place === undefined) return readAnyCopy(cid, options)
    options.signal?.throwIfAborted()
    return (await readCopy(cid, place)) ?? readAnyCopy(cid, options)
  }

  /** Hashes a run, which begins at `from` of a slab, on another thread; undefined when that failed. */
  const hashApart = async (slab: RunMemory, from: number, ranges: readonly number[]) => {
    const run = await hasher.hash(slab.memory, ranges)
    slab.memory = run?.memory ?? new ArrayBuffer(0)
    return run === undefined
      ? undefined
      : { own: new Uint8Array(run.memory, from, run.memory.byteLength - from), digests: run.digests }
  }

  return {
    isRemote: objects.isRemote,
    get,
    async has(cid) {
      if (isIdentity(cid)) return true
      requireHash(cid)
      const [place] = await locate([cid.multihash.bytes])
      return place !== undefined
    },
    locate,
    readRun(cids, known, slab) {
      const count = lengthOfRun(known)
      const first = known[0]
      const last = known[count - 1]
      if (count < 2 || first === undefined || last === undefined) {
        return { blocks: cids.slice(0, 1).map((cid) => get(cid)) }
      }
      const start = first.offset
      const length = last.offset + last.length - start
      const region = slab === undefined ? undefined : regionFor(slab.memory, start, length)
      const from = region?.byteOffset ?? 0
      const bytes = read(first.objectKey, start, length, region)
      const hashed =
        slab === undefined || length < offThreadBytes
          ? bytes.then((own) => ({ own, digests: undefined }))
          : bytes.then(() => hashApart(slab, from, rangesOf(cids, known.slice(0, count), start - from)))
      // Each block below handles the failure.
      hashed.catch(() => undefined)
      const blocks = cids.slice(0, count).map(async (cid, at) => {
        const place = known[at]
        if (place === undefined) return get(cid)
        try {
          const run = await hashed
          if (run === undefined) return get(cid)
          const block = run.own.subarray(place.offset - start, place.offset - start + place.length)
          const isAccepted = accept(cid, block, place, { sha256: run.digests?.subarray(at * 32, at * 32 + 32) })
          if (isAccepted === true || (await isAccepted)) return block
        } catch (error) {
          if (!CairnError.is(error, 'DATA_DAMAGED')) throw error
        }
        return get(cid)
      })
      return { blocks }
    },
    evict() {
      current = new WeakSet()
      places.clear()
      smallBlocks.clear()
    },
  }
}

/** Counts the leading locations that follow one another in one pack and fit into one read. */
export function lengthOfRun(places: readonly (BlockLocation | undefined)[]): number {
  const first = places[0]
  if (first === undefined) return 1
  let end = first.offset + first.length
  let count = 1
  for (; count < places.length; count++) {
    const next = places[count]
    if (next === undefined || next.packId !== first.packId) break
    if (next.offset < end || next.offset - end > maxGapBytes) break
    end = next.offset + next.length
    if (end - first.offset > maxRunBytes + maxGapBytes) break
  }
  return count
}

/**
 * Offsets and lengths of locations, relative to `start` in their object. Empty for blocks of other hash functions than
 * SHA2-256, which need no such digest.
 */
function rangesOf(cids: readonly CID[], places: readonly (BlockLocation | undefined)[], start: number): number[] {
  return places.flatMap((place, at) => {
    const cid = cids[at]
    return place === undefined || cid === undefined || !isSha256(cid) ? [0, 0] : [place.offset - start, place.length]
  })
}
