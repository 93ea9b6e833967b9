/** Buffer for one part of an object. Grows on demand, so that a small object takes little memory. */
export type PartBuffer = {
  /** Copies as much as fits and returns the number of bytes copied. */
  add(bytes: Uint8Array): number
  /** Overwrites the first bytes. */
  setHead(bytes: Uint8Array): void
  readonly length: number
  readonly isFull: boolean
  /** View of the added bytes; valid until the next call. */
  bytes(): Uint8Array
}

/**
 * @param maxBytes capacity in bytes
 * @param firstBytes initial allocation in bytes
 */
export function createPartBuffer(maxBytes: number, firstBytes: number): PartBuffer {
  let memory = new Uint8Array(0)
  let length = 0

  const reserve = (needed: number): void => {
    if (needed <= memory.length) return
    const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(needed, firstBytes, 2 * memory.length)))
    larger.set(memory.subarray(0, length))
    memory = larger
  }

  return {
    add(bytes) {
      const fitting = bytes.subarray(0, maxBytes - length)
      reserve(length + fitting.length)
      memory.set(fitting, length)
      length += fitting.length
      return fitting.length
    },
    setHead: (bytes) => memory.set(bytes),
    get length() {
      return length
    },
    get isFull() {
      return length === maxBytes
    },
    bytes: () => memory.subarray(0, length),
  }
}
