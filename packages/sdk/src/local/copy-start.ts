import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { CairnError, MIB, writeAll } from '@cairn/protocol'
import { throwIfAborted } from '../throw-if-aborted.ts'

const { O_RDWR, O_NOFOLLOW } = constants
const copiedBytes = MIB

/** Copies the first bytes of a part to a new file. @throws CairnError ABORTED, FILE_CHANGED */
export async function copyStart(
  from: FileHandle,
  to: FileHandle,
  sizeBytes: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(copiedBytes, sizeBytes))
  for (let at = 0; at < sizeBytes; ) {
    throwIfAborted(signal)
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, sizeBytes - at), at)
    if (bytesRead === 0) throw new CairnError('FILE_CHANGED', { message: 'The unfinished download became shorter' })
    await writeAll(to, [buffer.subarray(0, bytesRead)], at)
    at += bytesRead
  }
}

/**
 * Moves the first bytes of a part if the disk has no space for a copy. Starts at their end, so that each piece is freed once it
 * is copied. A process that is killed in between loses what it moved.
 */
export async function moveStart(
  path: string,
  from: FileHandle,
  to: FileHandle,
  sizeBytes: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  await to.truncate(0)
  const shrinking = await open(path, O_RDWR | O_NOFOLLOW)
  try {
    const [read, written] = await Promise.all([from.stat({ bigint: true }), shrinking.stat({ bigint: true })])
    if (read.ino !== written.ino || read.dev !== written.dev) throw new CairnError('FILE_CHANGED')
    const buffer = Buffer.allocUnsafe(copiedBytes)
    for (let end = sizeBytes; end > 0; ) {
      throwIfAborted(signal)
      const start = Math.max(0, end - buffer.length)
      const { bytesRead } = await from.read(buffer, 0, end - start, start)
      if (bytesRead < end - start)
        throw new CairnError('FILE_CHANGED', { message: 'The unfinished download became shorter' })
      await shrinking.truncate(start)
      await writeAll(to, [buffer.subarray(0, bytesRead)], start)
      end = start
    }
  } finally {
    await shrinking.close()
  }
}
