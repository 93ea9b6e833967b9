import { constants } from 'node:fs'
import { KIB, MIB } from '@cairn/protocol'
import { alignmentBytes, blocksAround } from './aligned-bytes.ts'
import { createAlignedPool } from './aligned-pool.ts'
import { directFromBytes, isRefusedDirectly } from './direct-file.ts'
import { createOpenFiles } from './open-files.ts'

/** Shorter reads are parts of an object that are soon read again. */
const minBytes = 256 * KIB
/** Bytes per call: those of a run of blocks, and the rest of the first and last block. */
const stepBytes = MIB + 32 * KIB
const maxOpenFiles = 16
const maxSpareBytes = 4 * stepBytes
/** Times that bytes are read directly. What is read more often belongs in the cache. */
const readsBeforeCache = 2
/** Size of the areas whose reads are counted, and the most counters that are kept. */
const areaBytes = MIB
const maxCounters = MIB

/** How often bytes will be read: `once` by work that passes over everything, such as a hash of all of it. */
export type ReadUse = 'often' | 'once'

/** Reads past the page cache. */
export type DirectReads = {
  /**
   * Reads into `into`, and whole blocks around it if it is a region of {@link regionFor}. Returns false if the caller has to read
   * through the page cache, because it contains the bytes or direct reads are not possible.
   */
  read(path: string, position: number, into: Uint8Array, use: ReadUse): Promise<boolean>
  drop(path: string): void
  dropAll(): void
  close(): Promise<void>
}

/**
 * Reads large objects that were written past the page cache directly from the disk. Filling the cache would cost several times
 * the read on virtual machines that give unused memory back, and evict bytes that are read often. From the third read on, bytes
 * are read through the cache.
 */
export function createDirectReads(): DirectReads {
  const { O_DIRECT, O_RDONLY } = constants
  // Undefined on systems that have no such flag.
  let isOffered = O_DIRECT !== undefined
  const files = createOpenFiles(maxOpenFiles, O_RDONLY | (O_DIRECT ?? 0))
  const pool = createAlignedPool(maxSpareBytes)
  const readBefore = createCounters()

  const fillBlocks = (path: string, position: number, { length, byteOffset }: Uint8Array, blocks: Uint8Array) =>
    files.with(path, async (file) => {
      const { bytesRead } = await file.read(blocks, 0, blocks.length, position - byteOffset)
      return bytesRead >= byteOffset + length
    })

  const fill = (path: string, position: number, into: Uint8Array): Promise<boolean> =>
    files.with(path, async (file) => {
      const lead = position % alignmentBytes
      const wantedBytes = Math.ceil((lead + into.length) / alignmentBytes) * alignmentBytes
      const buffer = pool.acquire(stepBytes, 0)
      try {
        const { bytesRead } = await file.read(buffer, 0, wantedBytes, position - lead)
        if (bytesRead < lead + into.length) return false
        into.set(buffer.subarray(lead, lead + into.length))
        return true
      } finally {
        pool.release(buffer)
      }
    })

  return {
    async read(path, position, into, use) {
      if (!isOffered || position < directFromBytes || into.length < minBytes) return false
      if (use === 'often' && readBefore.add(path, Math.floor(position / areaBytes)) > readsBeforeCache) return false
      try {
        const blocks = blocksAround(into, position)
        if (blocks !== undefined) return await fillBlocks(path, position, into, blocks)
        const pieceBytes = stepBytes - alignmentBytes
        for (let at = 0; at < into.length; at += pieceBytes) {
          if (!(await fill(path, position + at, into.subarray(at, at + pieceBytes)))) return false
        }
        return true
      } catch (error) {
        if (!isRefusedDirectly(error)) throw error
        isOffered = false
        return false
      }
    },
    drop(path) {
      files.drop(path)
      readBefore.drop(path)
    },
    dropAll: () => files.dropAll(),
    close: () => files.close(),
  }
}

/** Counts the reads of areas of files, up to 255 each. Those of the file counted first are dropped for more. */
function createCounters() {
  const counters = new Map<string, Uint8Array>()
  let size = 0

  const drop = (path: string): void => {
    size -= counters.get(path)?.length ?? 0
    counters.delete(path)
  }

  return {
    /** Returns the number of reads with this one. */
    add(path: string, area: number): number {
      let counts = counters.get(path)
      if (counts === undefined || area >= counts.length) {
        const more = new Uint8Array(Math.max(64, 2 ** Math.ceil(Math.log2(area + 1))))
        more.set(counts ?? [])
        drop(path)
        counters.set(path, more)
        size += more.length
        counts = more
        for (const oldest of counters.keys()) {
          if (size <= maxCounters || oldest === path) break
          drop(oldest)
        }
      }
      const count = Math.min((counts[area] ?? 0) + 1, 255)
      counts[area] = count
      return count
    },
    drop,
  }
}
