import { CairnError, MIB } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import type { Database } from '../db/database.ts'
import type { ObjectStore } from '../objects/objects.ts'
import { findBlocks } from './find-blocks.ts'
import { hashSha256 } from './hash-sha256.ts'
import { isIdentity, readIdentityBytes } from './identity.ts'
import { createLruCache } from './lru-cache.ts'
import type { BlockLocation, PackEvent, ReadOptions } from './packs.ts'
import { createRunHasher } from './run-hasher.ts'
import { markMissing } from './settle-comparison.ts'
import { bytesKey, sha256DigestOf } from './sha256-multihash.ts'

/** Bytes of one read of neighbours, and the gap between two that is read over rather than left out. */
const runBytesMost = MIB
const gapBytesMost = 16 * 1024
/** Runs from this size on are hashed on another thread, while the one before is sent. */
const offThreadBytes = 256 * 1024
/** Room that any run fits into, in bytes. */
export const runRoomBytes = runBytesMost + gapBytesMost
/** Blocks up to this size are kept in memory: nodes of files and folders, which are asked for again and again. */
const smallBlockBytes = 16 * 1024
/** What one remembered place weighs, in bytes, by estimate. */
const locationWeight = 300

/** Sizes of what is kept in memory. */
type ReaderSettings = { locationCacheBytes: number; blockCacheBytes: number }

/** Reads blocks by their place and never gives bytes that do not match their hash. */
export type BlockReader = {
  get(cid: CID, options?: ReadOptions): Promise<Uint8Array>
  has(cid: CID): Promise<boolean>
  /** The best place of each block, from memory or with one query for all. */
  locate(multihashes: readonly Uint8Array[]): Promise<(BlockLocation | undefined)[]>
  /**
   * Reads the blocks at the front of the list that lie together in one pack, with one read; at least one block. Those
   * that fail are read again alone, from another copy if there is one. Views of `into`, where given: it has room for
   * {@link runRoomBytes}.
   */
  readRun(cids: readonly CID[], places: readonly (BlockLocation | undefined)[], into?: SharedBytes): BlockRun
  forget(): void
}

/** Memory that another thread sees too. */
type SharedBytes = Uint8Array<SharedArrayBuffer>

/** Blocks read together, one promise each, in order. */
type BlockRun = { blocks: Promise<Uint8Array>[] }

/** What a reader needs. */
export type BlockReaderParts = {
  db: Database
  objects: ObjectStore
  clock: { now(): number }
  settings: ReaderSettings
  onEvent(event: PackEvent): void
}

/** Makes a reader with empty caches. */
export function createBlockReader({ db, objects, clock, settings, onEvent }: BlockReaderParts): BlockReader {
  const places = createLruCache<BlockLocation>(settings.locationCacheBytes)
  const hasher = createRunHasher()
  const smallBlocks = createLruCache<Uint8Array>(settings.blockCacheBytes)
  /** Places that were looked up since the caches were cleared. Only blocks that are read there are cached. */
  let current = new WeakSet<BlockLocation>()

  /** Looks up all readable copies of blocks. */
  const findCopies = async (multihashes: readonly Uint8Array[]): Promise<Map<string, BlockLocation[]>> => {
    const asked = current
    const found = await findBlocks(db, multihashes, 'readable')
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

  /** Checks the bytes and remembers small ones. */
  const accept = (cid: CID, bytes: Uint8Array, place: BlockLocation, digest = hashSha256(bytes)): boolean => {
    if (!matches(sha256DigestOf(cid), digest)) return false
    if (bytes.length <= smallBlockBytes && current.has(place)) {
      // A copy by constructor: slice of a Buffer would be a view and keep, or see changed, the whole run.
      smallBlocks.set(bytesKey(cid.multihash.bytes), new Uint8Array(bytes), bytes.length + 200)
    }
    return true
  }

  const reportDamage = async (cid: CID, { packId, objectKey }: BlockLocation): Promise<void> => {
    places.delete(bytesKey(cid.multihash.bytes))
    const now = clock.now()
    if ((await objects.size(objectKey)) === undefined) {
      onEvent({ type: 'pack-missing', objectKey, of: 1 })
      await markMissing(db, [packId], now)
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

  /** Whether the pack of a copy is still meant to be there: one that was removed meanwhile is no damage. */
  const isLive = async (packId: bigint): Promise<boolean> => {
    const row = await db.read.selectFrom('pack').select('state').where('id', '=', packId).executeTakeFirst()
    return row?.state === 'live'
  }

  const readCopy = async (cid: CID, place: BlockLocation): Promise<Uint8Array | undefined> => {
    try {
      const bytes = await objects.read(place.objectKey, place.offset, place.length)
      if (accept(cid, bytes, place)) return bytes
    } catch (error) {
      if (!CairnError.is(error, 'DATA_DAMAGED')) throw error
    }
    if (await isLive(place.packId)) await reportDamage(cid, place)
    return undefined
  }

  /** Reads from the copies the database knows, one after the other. */
  const readAnyCopy = async (cid: CID, { signal }: ReadOptions): Promise<Uint8Array> => {
    const { bytes: multihash } = cid.multihash
    places.delete(bytesKey(multihash))
    const copies = (await findCopies([multihash])).get(bytesKey(multihash)) ?? []
    for (const copy of copies) {
      signal?.throwIfAborted()
      const bytes = await readCopy(cid, copy)
      if (bytes !== undefined) return bytes
    }
    const damaged = await db.read
      .selectFrom('block')
      .innerJoin('pack', 'pack.id', 'block.pack_id')
      .select('pack.object_key')
      .where('block.multihash', '=', multihash)
      .where('pack.state', '=', 'live')
      .executeTakeFirst()
    if (damaged === undefined) throw new CairnError('BLOCK_NOT_FOUND', { details: { cid: `${cid}` } })
    throw new CairnError('DATA_DAMAGED', { details: { cid: `${cid}`, pack: damaged.object_key } })
  }

  const get = async (cid: CID, options: ReadOptions = {}): Promise<Uint8Array> => {
    options.signal?.throwIfAborted()
    if (isIdentity(cid)) return readIdentityBytes(cid)
    sha256DigestOf(cid)
    const cached = smallBlocks.get(bytesKey(cid.multihash.bytes))
    if (cached !== undefined) return cached
    const [place] = await locate([cid.multihash.bytes])
    if (place === undefined) return readAnyCopy(cid, options)
    options.signal?.throwIfAborted()
    return (await readCopy(cid, place)) ?? readAnyCopy(cid, options)
  }

  return {
    get,
    async has(cid) {
      if (isIdentity(cid)) return true
      const [place] = await locate([sha256DigestOf(cid) && cid.multihash.bytes])
      return place !== undefined
    },
    locate,
    readRun(cids, known, into) {
      const count = lengthOfRun(known)
      const first = known[0]
      const last = known[count - 1]
      if (count < 2 || first === undefined || last === undefined) {
        return { blocks: cids.slice(0, 1).map((cid) => get(cid)) }
      }
      const start = first.offset
      const length = last.offset + last.length - start
      const bytes = objects.read(first.objectKey, start, length, into)
      const digests =
        into === undefined || length < offThreadBytes
          ? undefined
          : bytes.then(() => hasher.hash(into.buffer, rangesOf(known.slice(0, count), start - into.byteOffset)))
      // A read that fails is met by each block below.
      digests?.catch(() => undefined)
      const blocks = cids.slice(0, count).map(async (cid, at) => {
        const place = known[at]
        if (place === undefined) return get(cid)
        try {
          const run = await bytes
          const block = run.subarray(place.offset - start, place.offset - start + place.length)
          if (accept(cid, block, place, (await digests)?.subarray(at * 32, at * 32 + 32))) return block
        } catch (error) {
          if (!CairnError.is(error, 'DATA_DAMAGED')) throw error
        }
        return get(cid)
      })
      return { blocks }
    },
    forget() {
      current = new WeakSet()
      places.clear()
      smallBlocks.clear()
    },
  }
}

/** How many places at the front of the list follow one another in one pack and fit into one read. */
function lengthOfRun(places: readonly (BlockLocation | undefined)[]): number {
  const first = places[0]
  if (first === undefined) return 1
  let end = first.offset + first.length
  let count = 1
  for (; count < places.length; count++) {
    const next = places[count]
    if (next === undefined || next.packId !== first.packId) break
    if (next.offset < end || next.offset - end > gapBytesMost) break
    end = next.offset + next.length
    if (end - first.offset > runBytesMost + gapBytesMost) break
  }
  return count
}

/** Offsets and lengths of places, counted from `start` of their object. */
function rangesOf(places: readonly (BlockLocation | undefined)[], start: number): number[] {
  return places.flatMap((place) => (place === undefined ? [0, 0] : [place.offset - start, place.length]))
}

function matches(expected: Uint8Array, actual: Uint8Array): boolean {
  return Buffer.compare(expected, actual) === 0
}
