import { maxWriteBytes } from './limits.ts'

/** The part of `FileHandle` that is used. */
type VectorFile = { writev(parts: Uint8Array[], position: number): Promise<{ bytesWritten: number }> }

/**
 * Writes all parts at `position`, however few bytes the system accepts per call, in calls of at most `maxWriteBytes`.
 * @returns the number of bytes written
 * @throws Error with the code ENOSPC, as the system does, if it accepts none; the system's own errors
 */
export async function writeAll(file: VectorFile, parts: readonly Uint8Array[], position: number): Promise<number> {
  let rest = parts.filter((part) => part.length > 0)
  let written = 0
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(firstBytes(rest, maxWriteBytes), position + written)
    if (bytesWritten === 0) throw Object.assign(new Error('ENOSPC: a write of zero bytes'), { code: 'ENOSPC' })
    written += bytesWritten
    rest = skipBytes(rest, bytesWritten)
  }
  return written
}

/** Returns the first bytes of parts, without a copy. */
function firstBytes(parts: readonly Uint8Array[], count: number): Uint8Array[] {
  const taken: Uint8Array[] = []
  let left = count
  for (const part of parts) {
    if (left === 0) break
    const piece = part.subarray(0, left)
    taken.push(piece)
    left -= piece.length
  }
  return taken
}

function skipBytes(parts: readonly Uint8Array[], count: number): Uint8Array[] {
  const rest: Uint8Array[] = []
  let left = count
  for (const part of parts) {
    if (left < part.length) rest.push(left === 0 ? part : part.subarray(left))
    left = Math.max(0, left - part.length)
  }
  return rest
}
