import { maxWriteBytes } from '@cairn/protocol'

/** The part of `FileHandle` that is used. */
type WritableFile = {
  write(bytes: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesWritten: number }>
}

/**
 * Writes all bytes at `position`, however few the system accepts per call, in calls of at most `maxWriteBytes` (Node).
 */
export async function writeAll(file: WritableFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, Math.min(maxWriteBytes, bytes.length - at), position + at)
    at += bytesWritten
  }
}
