import type { SharedBytes } from '@cairn/service/objects'

/** A slab of memory that runs of blocks are read into, one after the other. */
export type RunSlab = {
  readonly bytes: SharedBytes
  /** Blocks of it that are not consumed yet, and pending reads into it. */
  waiting: number
  /** The newest run when a block of it was last consumed. */
  lastRun: number
}

export type RunSlabs = {
  /** Returns a slab for the next run: one that is free, or a new one. */
  next(): RunSlab
  /** Notes that a block was consumed or skipped, or that its read has ended. */
  release(slab: RunSlab): void
}

/** Runs that must start after the last block of a slab was consumed, before the slab is reused. */
const runsBetween = 2

/**
 * Slabs of one reader. Fresh memory for each MiB would run the garbage collector every 20 MiB, which costs more than
 * hashing; rotating a few slabs costs nothing. They are shared memory, so that another thread can hash in place.
 */
export function createRunSlabs(slabBytes: number): RunSlabs {
  const slabs: RunSlab[] = []
  let runs = 0
  return {
    next() {
      runs++
      let slab = slabs.find((one) => one.waiting === 0 && runs - one.lastRun > runsBetween)
      if (slab === undefined) {
        slab = { bytes: new Uint8Array(new SharedArrayBuffer(slabBytes)), waiting: 0, lastRun: runs }
        slabs.push(slab)
      }
      slab.lastRun = runs
      return slab
    },
    release(slab) {
      slab.waiting--
      slab.lastRun = runs
    },
  }
}
