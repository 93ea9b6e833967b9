import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { CairnError } from '@cairn/protocol'
import { unreadable } from './unreadable.ts'

/** Files up to this size are read at once. */
export const smallFileBytes = 256 * 1024

/**
 * Reads a small file in one call; undefined for a large one. Reading is synchronous: four thread hops for each of ten
 * thousand files take ten times as long as the reading, and one file blocks the event loop for microseconds.
 * @param allocate returns the memory for the file
 * @throws CairnError FILE_UNREADABLE, FILE_CHANGED
 */
export function readSmall(
  path: string,
  expectedBytes: number | undefined,
  allocate: (length: number) => Uint8Array,
): Uint8Array | undefined {
  if (expectedBytes !== undefined && expectedBytes > smallFileBytes) return undefined
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (cause) {
    throw unreadable(path, cause)
  }
  try {
    const sizeBytes = expectedBytes ?? fstatSync(file).size
    if (sizeBytes > smallFileBytes) return undefined
    // A byte more, which a file that grows fills.
    const buffer = allocate(sizeBytes + 1)
    let total = 0
    let read: number
    do {
      read = readSync(file, buffer, total, buffer.length - total, null)
      total += read
    } while (read > 0 && total < sizeBytes)
    if (total !== sizeBytes) throw changed(path)
    return buffer.subarray(0, total)
  } finally {
    closeSync(file)
  }
}

/** The error for a file whose size has changed. */
export function changed(path: string): CairnError {
  return new CairnError('FILE_CHANGED', {
    message: `${path} changed while it was read`,
    // Files of /proc contain more than their size says, too.
    hint: 'Upload it again when no other program is writing to it, or as a stream: uploadStream, or a pipe to `cairn upload -`.',
  })
}
