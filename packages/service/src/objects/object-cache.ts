import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { KIB } from '@cairn/protocol'
import { makeFolder } from '../make-folder.ts'
import { describeWriteError } from './file-errors.ts'
import { endsEarly, missing } from './object-errors.ts'
import type { ObjectStore } from './objects.ts'

/** Objects are cached in aligned pieces of this size. */
export const cachePieceBytes = 256 * KIB
/** Number of objects whose size is remembered. */
const maxSizes = 100_000

/** Outcome of reading a piece. `damaged`: its bytes in the cache had changed. */
export type CacheResult = 'hit' | 'miss' | 'damaged'

/** A cache of objects on the local disk. It starts empty, and is gone when its process is. */
export type ObjectCache = {
  /** Reads as the object store does, from the disk where possible. */
  read: ObjectStore['read']
  /** Removes an object from the cache; returns whether it was cached. */
  drop(key: string): boolean
  /** Bytes in use on the disk. */
  readonly usedBytes: number
  close(): Promise<void>
}

/** Options of a cache. */
export type ObjectCacheOptions = {
  objects: Pick<ObjectStore, 'read' | 'size'>
  folder: string
  /** Maximum size on the disk. */
  maxBytes: number
  onResult?: (result: CacheResult) => void
}

/** A piece on the disk. `users` reads and writes of it are in progress. */
type Entry = { key: string; slot: number; length: number; checksum: number; users: number; isDropped: boolean }

/**
 * Opens a cache: one file of slots that is unlinked at once, and an index in memory. So a crash leaves nothing, and
 * nothing that another process wrote is ever read. The least recently used pieces make room for new ones. Each piece
 * is checked with a checksum before it is served, and fetched again when it differs; a failure of the disk is a miss.
 *
 * @throws CairnError STORAGE_FAILED, STORAGE_FULL
 */
export async function openObjectCache({
  objects,
  folder,
  maxBytes,
  onResult = () => undefined,
}: ObjectCacheOptions): Promise<ObjectCache> {
  const file = await openUnlinked(folder)
  const slotCount = Math.floor(maxBytes / cachePieceBytes)
  /** Pieces on the disk, the least recently used first. */
  const entries = new Map<string, Entry>()
  /** Pieces that are being fetched or written. */
  const inFlight = new Map<string, Promise<Uint8Array>>()
  const freeSlots: number[] = []
  const sizes = new Map<string, number>()
  const writes = new Set<Promise<void>>()
  let nextSlot = 0

  const release = (entry: Entry): void => {
    if (entry.isDropped && entry.users === 0) freeSlots.push(entry.slot)
  }

  /** Removes a piece. Its slot is free when its last reader or writer ends. */
  const dropEntry = (name: string, entry: Entry): void => {
    if (entry.isDropped) return
    entry.isDropped = true
    entries.delete(name)
    release(entry)
  }

  /** Marks a piece as the one used last. */
  const touch = (name: string): Entry | undefined => {
    const entry = entries.get(name)
    if (entry === undefined) return undefined
    entries.delete(name)
    entries.set(name, entry)
    return entry
  }

  const takeSlot = (): number | undefined => {
    if (freeSlots.length === 0 && nextSlot === slotCount) {
      for (const [name, entry] of entries) {
        if (entry.users > 0) continue
        dropEntry(name, entry)
        break
      }
    }
    return freeSlots.pop() ?? (nextSlot < slotCount ? nextSlot++ : undefined)
  }

  /** Writes a piece. It stays in flight until then, so that readers need not wait for the disk. */
  const store = async (name: string, key: string, piece: Promise<Uint8Array>): Promise<void> => {
    const bytes = await piece
    // Dropped meanwhile, or fetched by another reader too.
    if (inFlight.get(name) !== piece || entries.has(name)) return
    const slot = takeSlot()
    if (slot === undefined) return
    const entry = { key, slot, length: bytes.length, checksum: crc32(bytes), users: 1, isDropped: false }
    entries.set(name, entry)
    try {
      await file.write(bytes, 0, bytes.length, slot * cachePieceBytes)
    } catch {
      // A full or failing disk: the piece is not cached.
      dropEntry(name, entry)
    } finally {
      entry.users--
      release(entry)
    }
  }

  /** Reads a piece from the disk; undefined if it is missing or damaged. */
  const readEntry = async (name: string): Promise<Uint8Array | undefined> => {
    const entry = touch(name)
    if (entry === undefined) return undefined
    entry.users++
    try {
      const bytes = Buffer.allocUnsafeSlow(entry.length)
      const { bytesRead } = await file.read(bytes, 0, entry.length, entry.slot * cachePieceBytes)
      if (bytesRead === entry.length && crc32(bytes) === entry.checksum) return bytes
    } catch {
      // As a piece that changed.
    } finally {
      entry.users--
      release(entry)
    }
    onResult('damaged')
    dropEntry(name, entry)
    return undefined
  }

  /** Returns a piece that is here; undefined when it must be fetched. */
  const find = (name: string): Promise<Uint8Array | undefined> => {
    const fetching = inFlight.get(name)
    if (fetching === undefined) return readEntry(name)
    touch(name)
    return fetching
  }

  const sizeOf = async (key: string): Promise<number> => {
    const known = sizes.get(key)
    if (known !== undefined) return known
    const size = await objects.size(key)
    if (size === undefined) throw missing(key)
    const [oldest] = sizes.keys()
    if (sizes.size >= maxSizes && oldest !== undefined) sizes.delete(oldest)
    sizes.set(key, size)
    return size
  }

  /** Fetches neighbouring pieces with one read. Each is available to other readers from now on. */
  const fetchRun = (key: string, first: number, count: number, size: number): Promise<Uint8Array>[] => {
    const start = first * cachePieceBytes
    const length = Math.min((first + count) * cachePieceBytes, size) - start
    const run = objects.read(key, start, length)
    return Array.from({ length: count }, (_, at) => {
      const name = nameOf(key, first + at)
      const piece = run.then((bytes) => bytes.subarray(at * cachePieceBytes, (at + 1) * cachePieceBytes))
      inFlight.set(name, piece)
      // Each reader handles the failure of a read.
      const stored = store(name, key, piece)
        .catch(() => undefined)
        .finally(() => {
          if (inFlight.get(name) === piece) inFlight.delete(name)
          writes.delete(stored)
        })
      writes.add(stored)
      return piece
    })
  }

  return {
    async read(key, offset, length, into) {
      const target = into === undefined ? Buffer.allocUnsafeSlow(length) : into.subarray(0, length)
      if (length === 0) return objects.read(key, offset, length, into)
      const first = Math.floor(offset / cachePieceBytes)
      const last = Math.floor((offset + length - 1) / cachePieceBytes)
      const names = Array.from({ length: last - first + 1 }, (_, at) => nameOf(key, first + at))
      const pieces = await Promise.all(names.map(find))
      for (let at = 0; at < pieces.length; at++) {
        if (pieces[at] !== undefined) {
          onResult('hit')
          continue
        }
        let end = at + 1
        while (end < pieces.length && pieces[end] === undefined) end++
        const size = await sizeOf(key)
        if (offset + length > size) throw endsEarly(key, size)
        // Another reader may have begun meanwhile.
        const known = inFlight.get(names[at] ?? '')
        const fetched = known === undefined ? fetchRun(key, first + at, end - at, size) : [known]
        for (const [index, piece] of (await Promise.all(fetched)).entries()) {
          pieces[at + index] = piece
          onResult('miss')
        }
        at += fetched.length - 1
      }
      for (const [at, piece] of pieces.entries()) {
        const start = (first + at) * cachePieceBytes
        const from = Math.max(offset, start)
        const to = Math.min(offset + length, start + cachePieceBytes)
        if (piece === undefined || to > start + piece.length) throw endsEarly(key, start + (piece?.length ?? 0))
        target.set(piece.subarray(from - start, to - start), from - offset)
      }
      return target
    },
    drop(key) {
      let dropped = false
      for (const name of inFlight.keys()) if (name.startsWith(`${key} `)) dropped = inFlight.delete(name)
      for (const [name, entry] of entries) {
        if (entry.key !== key) continue
        dropEntry(name, entry)
        dropped = true
      }
      sizes.delete(key)
      return dropped
    },
    get usedBytes() {
      return (nextSlot - freeSlots.length) * cachePieceBytes
    },
    async close() {
      await Promise.all(writes)
      await file.close()
    },
  }
}

const nameOf = (key: string, piece: number): string => `${key} ${piece}`

/** Opens a file without a name: its space is freed when it is closed, also by a crash. */
async function openUnlinked(folder: string): Promise<FileHandle> {
  try {
    makeFolder(folder)
    const path = join(folder, randomUUID())
    const file = await open(path, 'wx+', 0o600)
    await unlink(path)
    return file
  } catch (error) {
    throw describeWriteError(error)
  }
}
