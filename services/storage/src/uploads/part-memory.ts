import { getHeapStatistics } from 'node:v8'
import { CairnError, MIB } from '@cairn/protocol'

/** Memory for the parts of uploads until they are stored: names, nodes, and what is known of each. */
export type PartMemory = {
  /** Starts to count one upload. @param tooLarge code of the error for an upload that exceeds its own limit */
  open(tooLarge: 'TOO_MANY_PARTS' | 'DAG_TOO_DEEP'): UploadMemory
}

/** The memory of one upload. */
export type UploadMemory = {
  /**
   * Counts memory before it is allocated.
   * @throws CairnError TOO_MANY_PARTS or DAG_TOO_DEEP beyond the limit of one upload, OVERLOADED beyond that of all
   */
  acquire(bytes: number): void
  /** Releases all of it; safe to call more than once. */
  release(): void
}

/** The share of the heap for the parts of all uploads. */
const heapShare = 1 / 2
/** The share of that for one upload, so that one leaves memory for others. */
const uploadShare = 1 / 2

/** Returns the memory for the parts of all uploads in bytes, by the heap that this process may have. */
export function derivePartMemory(): number {
  return Math.floor(getHeapStatistics().heap_size_limit * heapShare)
}

/** Counts memory against `maxBytes` for all uploads together, and half of it for each. */
export function createPartMemory(maxBytes: number): PartMemory {
  const maxUploadBytes = Math.floor(maxBytes * uploadShare)
  let acquiredBytes = 0
  return {
    open(tooLarge) {
      let ownBytes = 0
      return {
        acquire(bytes) {
          if (ownBytes + bytes > maxUploadBytes) {
            throw new CairnError(tooLarge, {
              message: `The parts of this upload need more than ${Math.floor(maxUploadBytes / MIB)} MiB of memory`,
              hint: 'Split the upload: fewer files or blocks in one request, or shorter names.',
              details: { limitBytes: maxUploadBytes },
            })
          }
          if (acquiredBytes + bytes > maxBytes) {
            throw new CairnError('OVERLOADED', {
              message: 'Other uploads of many parts use the memory for parts',
              hint: 'Try again in some seconds.',
              retryAfterSeconds: 5,
            })
          }
          ownBytes += bytes
          acquiredBytes += bytes
        },
        release() {
          acquiredBytes -= ownBytes
          ownBytes = 0
        },
      }
    },
  }
}
