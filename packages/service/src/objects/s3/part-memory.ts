/** Memory that several writers share. */
export type PartMemory = {
  /** Reserves memory, if there is so much. @returns what to call when it is free again */
  reserve(sizeBytes: number): (() => void) | undefined
}

/** Creates the shared memory. */
export function createPartMemory(maxBytes: number): PartMemory {
  let usedBytes = 0
  return {
    reserve(sizeBytes) {
      if (usedBytes + sizeBytes > maxBytes) return undefined
      usedBytes += sizeBytes
      return () => {
        usedBytes -= sizeBytes
      }
    },
  }
}
