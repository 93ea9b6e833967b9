import type { FileHandle } from 'node:fs/promises'
import { createEarlySync, KIB, MIB, writeAll } from '@cairn/protocol'

/** Bytes gathered for one write, while another one is under way. More would have left the processor's cache by then. */
const gatheredBytes = 256 * KIB
/** Bytes between two syncs of a file that still arrives. */
const syncStepBytes = 16 * MIB

/** Writes a file while the bytes that follow arrive. */
export type WriteBehind = {
  /**
   * Copies the bytes, and waits only while two writes are full. Settled does not mean written.
   * @throws the error of an earlier write or sync
   */
  write(bytes: Uint8Array, position: number): Promise<void>
  /** Writes what is gathered. @throws the error of this or an earlier write or sync */
  flush(): Promise<void>
}

/** Opens a writer for one file. One call of it at a time. */
export function createWriteBehind(file: FileHandle): WriteBehind {
  const syncs = createEarlySync(file, syncStepBytes)
  let gathered = new Uint8Array(gatheredBytes)
  let other = new Uint8Array(gatheredBytes)
  let filled = 0
  /** Where the gathered bytes begin in the file. */
  let start = 0
  let writing: Promise<void> = Promise.resolve()
  let failure: { error: unknown } | undefined

  const store = async (bytes: Uint8Array, position: number): Promise<void> => {
    try {
      syncs.wrote(await writeAll(file, [bytes], position))
    } catch (error) {
      failure ??= { error }
    }
  }

  /** Waits for the write under way, and begins that of what is gathered. */
  const writeNext = async (): Promise<void> => {
    await writing
    if (failure !== undefined) throw failure.error
    syncs.requireSuccess()
    writing = store(gathered.subarray(0, filled), start)
    ;[gathered, other] = [other, gathered]
    start += filled
    filled = 0
  }

  return {
    async write(bytes, position) {
      if (position !== start + filled) {
        await writeNext()
        start = position
      }
      for (let at = 0; at < bytes.length; ) {
        const piece = bytes.subarray(at, at + gatheredBytes - filled)
        gathered.set(piece, filled)
        filled += piece.length
        at += piece.length
        if (filled === gatheredBytes) await writeNext()
      }
    },
    async flush() {
      await writeNext()
      await writing
      if (failure !== undefined) throw failure.error
      await syncs.settle()
    },
  }
}
