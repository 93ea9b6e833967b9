import type { FileHandle } from 'node:fs/promises'

/** Fills `into` from a file, however few bytes the system gives per call. Returns fewer bytes only at the end of the file. */
export async function readWhole(file: FileHandle, into: Uint8Array, position: number): Promise<number> {
  for (let filled = 0; filled < into.length; ) {
    const { bytesRead } = await file.read(into, filled, into.length - filled, position + filled)
    if (bytesRead === 0) return filled
    filled += bytesRead
  }
  return into.length
}
