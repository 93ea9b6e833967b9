import type { AlignedPool, ObjectStore, ObjectWriter } from '@cairn/service/objects'
import { encodeCarFrame } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import type { Database } from '../../db/database.ts'
import { blockKeyOf, bytesKey } from '../block-key.ts'
import { encodeManifest, encodePackHeader, packHeaderBytes } from '../manifest.ts'
import { nextPackId, packKey } from '../pack-id.ts'
import { findBlocks } from '../reading/find-blocks.ts'
import type { OwnPack, PackWriter, SealedPack } from '../types.ts'
import { type BlockTable, createBlockTable } from './block-table.ts'
import { packedBlocks } from './packed-blocks.ts'
import { createSlabWriter, entryNumbers, type Slab } from './slab-writer.ts'

const identityCode = 0
/** Maximum number of full slabs that wait to be written, one after the other; another one makes the import wait. */
const slabsInFlight = 4

/** Dependencies of a writer. `index` writes the rows of a large pack ahead of its upload. */
export type PackWriterParts = {
  db: Database
  objects: ObjectStore
  pool: AlignedPool
  clock: { now(): number }
  /** Packs that the upload needs in addition to those that this pack finds. */
  dependsOn: readonly bigint[]
  /** Whether it is a pack of private uploads. Then no other pack counts, so that a deletion elsewhere changes nothing. */
  isPrivate: boolean
  index(own: OwnPack): Promise<boolean>
  /** Removes a finished pack that was not sealed, because its rows could not be written. */
  discard(own: OwnPack): Promise<void>
  /** Called when bytes are received or written. */
  onWrite(): void
}

/** The end of a pack: its manifest as a frame, and the header that points to it. */
type PackEnd = { header: Uint8Array; frame: readonly Uint8Array[] }

function encodePackEnd(roots: Iterable<CID>, createdAt: number, isPrivate: boolean): PackEnd {
  const { cid, bytes } = encodeManifest(roots, createdAt, isPrivate)
  return { header: encodePackHeader(cid), frame: [encodeCarFrame(cid, bytes.length), bytes] }
}

/**
 * Writes one pack. Frames are collected in slabs; for a full slab, one query finds the blocks that are already
 * stored, those are removed, and the rest goes to the object in one write while the next slab fills.
 */
export function createPackWriter(parts: PackWriterParts): PackWriter {
  const { db, objects, pool, clock, dependsOn: given, isPrivate, index, discard, onWrite } = parts
  const table: BlockTable = createBlockTable()
  const dependsOn = new Set(given)
  const inFlight: Promise<void>[] = []
  let writer: ObjectWriter | undefined
  /** Set once its object is there. */
  let finished: OwnPack | undefined
  let id: bigint | undefined
  let position = packHeaderBytes
  /** Where the next slab begins if all blocks of those before it are new. */
  let expectedPosition = packHeaderBytes
  let newBlocks = 0
  let bytesWritten = 0
  let failure: { error: unknown } | undefined
  let state: 'open' | 'sealed' | 'aborted' = 'open'
  let tail: Promise<void> = Promise.resolve()

  const open = async (): Promise<ObjectWriter> => {
    if (writer !== undefined) return writer
    id = nextPackId(clock.now())
    writer = await objects.create(packKey(id))
    return writer
  }

  /** Finds blocks in other packs that the upload can rely on. */
  const findStored = async (multihashes: readonly Uint8Array[]): ReturnType<typeof findBlocks> =>
    isPrivate ? new Map() : findBlocks(db, multihashes, 'referenced', 'public')

  /** Removes blocks that are stored elsewhere and sets the offset of the others. Returns the remaining bytes. */
  const compact = async (slab: Slab): Promise<number> => {
    const multihashes: Uint8Array[] = []
    for (let at = 0; at < slab.entries.length; at += entryNumbers) {
      multihashes.push(table.multihashOf(slab.entries[at] ?? 0))
    }
    const stored = await findStored(multihashes)
    let end = 0
    for (const [entry, multihash] of multihashes.entries()) {
      const at = entry * entryNumbers
      const [block = 0, start = 0, prefix = 0, payload = 0] = slab.entries.slice(at, at + entryNumbers)
      const copy = stored.size === 0 ? undefined : stored.get(bytesKey(multihash))?.[0]
      if (copy !== undefined) {
        dependsOn.add(copy.packId)
        table.placeElsewhere(block)
        continue
      }
      const length = prefix + payload
      if (start !== end) slab.bytes.copyWithin(end, start, start + length)
      table.place(block, position + end + prefix)
      newBlocks++
      end += length
    }
    expectedPosition -= slab.length - end
    return end
  }

  /**
   * Compacts a slab and appends the rest of it, with `end` if it is the last one: in one write if the pack has no other. A pack
   * without blocks is not created.
   */
  const store = async (slab: Slab | undefined, end?: PackEnd): Promise<void> => {
    const length = slab === undefined ? 0 : await compact(slab)
    const isFirst = writer === undefined
    if (length > 0 || (end !== undefined && !isFirst)) {
      const object = await open()
      const header = end?.header ?? new Uint8Array(packHeaderBytes)
      const payload = slab === undefined ? [] : [slab.bytes.subarray(0, length)]
      await object.append([...(isFirst ? [header] : []), ...payload, ...(end?.frame ?? [])])
      if (end !== undefined && !isFirst) await object.setHead(header)
      position += length
    }
    if (slab !== undefined) pool.release(slab.bytes)
  }

  const submit = (slab: Slab): void => {
    onWrite()
    expectedPosition += slab.length
    const stored = tail.then(() => {
      if (failure !== undefined || state === 'aborted') return undefined
      return store(slab)
    })
    const done = stored.catch((error: unknown) => {
      failure ??= { error }
    })
    tail = done
    inFlight.push(done)
    done.finally(() => inFlight.splice(inFlight.indexOf(done), 1)).catch(() => undefined)
  }

  const slabs = createSlabWriter(pool, submit, () => expectedPosition)

  const requireOpen = (): void => {
    if (failure !== undefined) throw failure.error
    if (state !== 'open') throw new TypeError(`The pack is ${state}`)
  }

  /** Waits until a write slot is free or the write has failed. */
  const waitForCapacity = async (): Promise<void> => {
    while (inFlight.length > slabsInFlight) await inFlight[0]
    requireOpen()
  }

  const seal = async (roots: Iterable<CID>): Promise<OwnPack | undefined> => {
    onWrite()
    await tail
    if (failure !== undefined) throw failure.error
    const createdAt = clock.now()
    await store(slabs.detachLast(), encodePackEnd(roots, createdAt, isPrivate))
    if (writer === undefined || id === undefined) return undefined
    const { sizeBytes } = await writer.finish()
    onWrite()
    const blocks = packedBlocks(table, newBlocks)
    finished = { id, objectKey: packKey(id), sizeBytes, createdAt, isPrivate, isIndexed: false, blocks }
    return { ...finished, isIndexed: await index(finished) }
  }

  return {
    sink: {
      allocate(sizeBytes) {
        requireOpen()
        return slabs.allocate(sizeBytes)
      },
      put(cid, bytes) {
        requireOpen()
        if (cid.multihash.code === identityCode) return undefined
        const key = blockKeyOf(cid)
        if (table.find(key) >= 0) return undefined
        const added = slabs.add(table.size, cid, bytes)
        table.add(key, bytes.length, cid.multihash.bytes)
        bytesWritten += added
        return inFlight.length > slabsInFlight ? waitForCapacity() : undefined
      },
    },
    async keep(cids) {
      requireOpen()
      const sizes = cids.map((cid) => {
        if (cid.multihash.code === identityCode) return cid.multihash.digest.length
        const known = table.find(blockKeyOf(cid))
        return known < 0 ? undefined : table.lengthOf(known)
      })
      const unknown = cids.filter((_cid, at) => sizes[at] === undefined)
      if (unknown.length === 0) return sizes
      const stored = await findStored(unknown.map(({ multihash }) => multihash.bytes))
      for (const [at, cid] of cids.entries()) {
        if (sizes[at] !== undefined) continue
        const { bytes: multihash } = cid.multihash
        const [copy] = stored.get(bytesKey(multihash)) ?? []
        if (copy === undefined) continue
        sizes[at] = copy.length
        dependsOn.add(copy.packId)
        const key = blockKeyOf(cid)
        if (table.find(key) < 0) table.placeElsewhere(table.add(key, copy.length, multihash))
      }
      return sizes
    },
    get bytesWritten() {
      return bytesWritten
    },
    async seal(roots): Promise<SealedPack> {
      requireOpen()
      const own = await seal(roots)
      state = 'sealed'
      return { own, dependsOn: [...dependsOn].sort((a, b) => (a < b ? -1 : 1)) }
    },
    async abort() {
      if (state !== 'open') return
      state = 'aborted'
      const last = slabs.detachLast()
      await tail
      if (last !== undefined) pool.release(last.bytes)
      await (finished === undefined ? writer?.abort() : discard(finished))
    },
  }
}
