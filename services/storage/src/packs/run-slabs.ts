/** A slab of memory that runs of blocks are read into, one after the other. */
export type RunSlab = {
  /** Replaced by what the thread that hashes gives back. */
  memory: ArrayBuffer
  /** Blocks of it that are not consumed yet, and pending reads into it. */
  waiting: number
  /** The newest run when a block of it was last consumed. */
  lastRun: number
}

export type RunSlabs = {
  /** Returns a slab for the next run: one that is free, or a new one; undefined while there is no memory for it. */
  next(): RunSlab | undefined
  /** Notes that a block was consumed or skipped, or that its read has ended. */
  release(slab: RunSlab): void
  /** Drops all slabs, when the reader has requested all that was announced. */
  drop(): void
}

/** Memory of the slabs of all readers. */
export type SlabMemory = {
  /** Counts the bytes of new slabs. Returns false, and counts none, if all slabs would exceed the maximum. */
  reserve(slabs: readonly RunSlab[], slabBytes: number): boolean
  /** Counts them no longer: the collector has to find their memory. */
  drop(slabs: readonly RunSlab[], slabBytes: number): void
}

/** Runs that must start after the last block of a slab was consumed, before the slab is reused. */
const runsBetween = 2
/** Slabs with which a reader gets along: one that is consumed, one that is read, and those between. */
const fewestSlabs = runsBetween + 2

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
    reserve(slabs, slabBytes) {
      if (usedBytes + slabs.length * slabBytes > maxBytes) return false
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
 * Slabs of one reader. Fresh memory for each MiB would run the garbage collector every 20 MiB, which costs more than
 * hashing; rotating a few slabs costs nothing. The first are reserved together: of fewer, none
 * would ever be free again.
 */
export function createRunSlabs(slabBytes: number, memory: SlabMemory): RunSlabs {
  const slabs: RunSlab[] = []
  let runs = 0

  const add = (): RunSlab | undefined => {
    const count = slabs.length === 0 ? fewestSlabs : 1
    const added = Array.from({ length: count }, () => ({
      memory: new ArrayBuffer(0),
      waiting: 0,
      lastRun: -runsBetween,
    }))
    if (!memory.reserve(added, slabBytes)) return undefined
    slabs.push(...added)
    return added[0]
  }

  return {
    next() {
      const slab = slabs.find((one) => one.waiting === 0 && runs + 1 - one.lastRun > runsBetween) ?? add()
      if (slab === undefined) return undefined
      if (slab.memory.byteLength === 0) slab.memory = new ArrayBuffer(slabBytes)
      runs++
      slab.lastRun = runs
      return slab
    },
    release(slab) {
      slab.waiting--
      slab.lastRun = runs
    },
    drop() {
      memory.drop(slabs, slabBytes)
      slabs.length = 0
    },
  }
}
