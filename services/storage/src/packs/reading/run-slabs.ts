import { allocateAligned } from '@cairn/service/objects'

/** A slab of memory that runs of blocks are read into, one after the other. */
export type RunSlab = {
  /** Memory for direct reads. Replaced by the buffer that the thread returns after hashing. */
  memory: ArrayBuffer
  /** Blocks of it that are not consumed yet, and pending reads into it. */
  waiting: number
  /** Bytes that had been passed on when a block of it was last consumed, or its read ended. */
  usedAtByte: number
}

export type RunSlabs = {
  /** Returns a slab for the next run: one that is free, or a new one; undefined while there is no memory for it. */
  next(): RunSlab | undefined
  /** Notes that blocks of this size were passed on, because the reader requested another. */
  advance(sizeBytes: number): void
  /** Notes that a block was consumed or skipped, or that its read has ended. */
  release(slab: RunSlab): void
  /** Drops all slabs, when the reader has ended. Frees those without reads at once if all that was passed on is sent. */
  drop(isSent?: boolean): void
}

/** Memory of the slabs of all readers. */
export type SlabMemory = {
  /**
   * Counts the bytes of new slabs. Returns false, and counts none, if all slabs would exceed the maximum; or half of it, if the
   * reader can do without them.
   */
  reserve(slabs: readonly RunSlab[], slabBytes: number, areNeeded: boolean): boolean
  /** Stops counting them: the collector has yet to free their memory. */
  drop(slabs: readonly RunSlab[], slabBytes: number): void
}

/** Slabs that a reader cannot do without: one that is read, one that is ahead, one that is consumed, and the one before. */
const fewestSlabs = 4

/**
 * Limits the memory of all slabs, so that readers with slow clients cannot take all memory of the machine. Slabs of a
 * reader that is dropped before its end count until they are collected.
 */
export function createSlabMemory(maxBytes: number): SlabMemory {
  let usedBytes = 0
  const collected = new FinalizationRegistry<number>((bytes) => {
    usedBytes -= bytes
  })
  return {
    reserve(slabs, slabBytes, areNeeded) {
      if (usedBytes + slabs.length * slabBytes > (areNeeded ? maxBytes : maxBytes / 2)) return false
      for (const slab of slabs) {
        usedBytes += slabBytes
        collected.register(slab, slabBytes, slab)
      }
      return true
    },
    drop(slabs, slabBytes) {
      for (const slab of slabs) if (collected.unregister(slab)) usedBytes -= slabBytes
    },
  }
}

/**
 * Slabs of one reader. Allocating memory for each MiB would run the garbage collector every 20 MiB, which costs more than
 * hashing; rotating a few slabs costs nothing. A slab is reused once all of it is consumed and the reader has passed on the same
 * number of bytes since, because bytes that it passed on may not be sent yet. The first slabs are reserved together: with fewer,
 * none would ever become free.
 */
export function createRunSlabs(slabBytes: number, memory: SlabMemory): RunSlabs {
  const slabs: RunSlab[] = []
  let passedOnBytes = 0

  const add = (): RunSlab | undefined => {
    const isFirst = slabs.length === 0
    const count = isFirst ? fewestSlabs : 1
    const added = Array.from({ length: count }, () => ({
      memory: new ArrayBuffer(0),
      waiting: 0,
      usedAtByte: -slabBytes,
    }))
    if (!memory.reserve(added, slabBytes, isFirst)) return undefined
    slabs.push(...added)
    return added[0]
  }

  return {
    next() {
      const slab = slabs.find((one) => one.waiting === 0 && passedOnBytes - one.usedAtByte >= slabBytes) ?? add()
      if (slab === undefined) return undefined
      if (slab.memory.byteLength === 0) slab.memory = allocateAligned(slabBytes).buffer
      return slab
    },
    advance(sizeBytes) {
      passedOnBytes += sizeBytes
    },
    release(slab) {
      slab.waiting--
      slab.usedAtByte = passedOnBytes
    },
    drop(isSent = false) {
      memory.drop(slabs, slabBytes)
      // The collector counts such memory, but does not run for it before there are 64 MiB.
      if (isSent) for (const slab of slabs) if (slab.waiting === 0) slab.memory.transfer(0)
      slabs.length = 0
    },
  }
}
