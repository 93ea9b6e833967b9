import type { Target } from '../cipher/open-target.ts'

/** A write takes the browser about a millisecond, and a small file of a ZIP has four. */
const joinedBytes = 1024 * 1024

/** Writes to a file in large pieces. The bytes of a write may be used again when it returns. */
export function joinWrites(file: Target): Target {
  const joined = new Uint8Array(joinedBytes)
  let length = 0
  const flush = async () => {
    const whole = joined.subarray(0, length)
    length = 0
    if (whole.length > 0) await file.write(whole)
  }
  return {
    write: async (bytes) => {
      if (length + bytes.length > joinedBytes) await flush()
      if (bytes.length > joinedBytes) return file.write(bytes)
      joined.set(bytes, length)
      length += bytes.length
    },
    close: async () => {
      await flush()
      await file.close()
    },
    abort: file.abort,
  }
}
