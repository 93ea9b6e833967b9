import { getHeapStatistics } from 'node:v8'
import { CairnError, MIB } from '@cairn/protocol'

/** Memory budget for the parts of uploads until they are stored: names, nodes and their metadata. */
export type PartMemory = {
  /** Opens the account of one upload. @param tooLarge code of the error for an upload that exceeds its own limit */
  open(tooLarge: 'TOO_MANY_PARTS' | 'DAG_TOO_DEEP'): UploadMemory
}

/** The memory of one upload. */
export type UploadMemory = {
  /**
   * Counts memory before it is allocated.
   * @throws CairnError TOO_MANY_PARTS or DAG_TOO_DEEP beyond the limit per upload, OVERLOADED beyond that of all
   * uploads
   */
  acquire(bytes: number): void
  /** Releases all of it. Idempotent. */
  release(): void
}

/** Share of the heap for the parts of all uploads. */
const heapShare = 1 / 2
/** Share of that budget per upload, so that one upload leaves memory for others. */
const uploadShare = 1 / 2

/** Returns the memory budget for the parts of all uploads in bytes, derived from the heap limit of this process. */
export function derivePartMemory(): number {
  return Math.floor(getHeapStatistics().heap_size_limit * heapShare)
}

/** Limits the memory of all uploads to `maxBytes`, and of each to half of it. */
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
              message: `The parts of this upload require more than ${Math.floor(maxUploadBytes / MIB)} MiB of memory`,
              hint: 'Split the upload into requests with fewer files or blocks, or use shorter names.',
              details: { limitBytes: maxUploadBytes },
            })
          }
          if (acquiredBytes + bytes > maxBytes) {
            throw new CairnError('OVERLOADED', {
              message: 'Other uploads use the memory for parts',
              hint: 'Try again in a few seconds.',
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
