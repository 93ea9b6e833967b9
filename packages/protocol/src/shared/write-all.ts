import { maxWriteBytes } from '../limits.ts'

/** The part of `FileHandle` that is used. */
type VectorFile = { writev(parts: Uint8Array[], position: number): Promise<{ bytesWritten: number }> }

/** How a write is divided. */
export type WriteOptions = {
  /**
   * Maximum number of concurrent calls. With more than one, a process that is killed may leave a hole before the end of the file,
   * so its length no longer shows how much was written. Defaults to 1.
   */
  callsAtOnce?: number
  /** Defaults to `maxWriteBytes`. */
  maxBytesPerCall?: number
}

/**
 * Writes all parts at `position`, however few bytes the system accepts per call. When it settles, no call is under way.
 *
 * @returns the number of bytes written
 * @throws Error with the code ENOSPC, as the system does, if it accepts none; the system's own errors
 */
export async function writeAll(
  file: VectorFile,
  parts: readonly Uint8Array[],
  position: number,
  { callsAtOnce = 1, maxBytesPerCall = maxWriteBytes }: WriteOptions = {},
): Promise<number> {
  let rest = parts.filter((part) => part.length > 0)
  let at = position
  let failure: { error: unknown } | undefined
  const writeNext = async (): Promise<void> => {
    while (rest.length > 0 && failure === undefined) {
      const call = firstBytes(rest, maxBytesPerCall)
      const from = at
      rest = skipBytes(rest, maxBytesPerCall)
      at += countBytes(call)
      try {
        await writeCall(file, call, from)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  const lanes: Promise<void>[] = []
  while (rest.length > 0 && lanes.length < callsAtOnce) lanes.push(writeNext())
  await Promise.all(lanes)
  if (failure !== undefined) throw failure.error
  return at - position
}

/** Writes the bytes of one call, in several if the system accepts fewer. */
async function writeCall(file: VectorFile, parts: Uint8Array[], position: number): Promise<void> {
  let rest = parts
  let at = position
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest, at)
    if (bytesWritten === 0) throw Object.assign(new Error('ENOSPC: a write of zero bytes'), { code: 'ENOSPC' })
    at += bytesWritten
    rest = skipBytes(rest, bytesWritten)
  }
}

function countBytes(parts: readonly Uint8Array[]): number {
  let bytes = 0
  for (const part of parts) bytes += part.length
  return bytes
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
