import type { Target } from '../cipher/open-target.ts'

/** A write takes browsers about a millisecond, and each small file of a ZIP requires four. */
const joinedBytes = 1024 * 1024

/** Collects writes to a file into large ones. The caller may reuse the bytes of a write once it returns. */
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
