import { existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createEarlySync, type EarlySync, MIB, writeAll } from '@cairn/protocol'
import { type DirectFile, directFromBytes, openDirectFile } from './direct-file.ts'
import { syncFolder } from './durable-folders.ts'
import { describeWriteError } from './file-errors.ts'
import { headTooLong, keyInUse, writerEnded } from './object-errors.ts'
import type { ObjectWriter } from './objects.ts'

/**
 * Bytes between two syncs of a large file while it arrives: of what was written before direct writes began, or of everything
 * where the file system has none.
 */
const earlySyncStepBytes = 4 * MIB

/**
 * Concurrent calls of a write. The system carries them out one after the other, but between them none waits until this
 * thread has time for it. An unfinished file is never continued, so a hole in it does not matter.
 */
const callsAtOnce = 4

/** Dependencies of a writer. */
export type FileWriterPlace = {
  /** Path of the unfinished file. No other writer uses it. */
  temporaryPath: string
  target: string
  /** Requires space on the disk for further bytes. @throws CairnError STORAGE_FULL */
  requireSpace(bytes: number): Promise<void> | undefined
  /** Creates the folder of the target, durably. */
  prepare(): Promise<void>
  /** Adds or removes the note that the target is unconfirmed. */
  setUnconfirmed(isUnconfirmed: boolean): Promise<void>
  /** Called when the temporary file is gone or has become the target. */
  onEnd(): void
}

/**
 * Writes a file in a temporary folder and moves it into place once it is durable: datasync, rename, sync of the
 * folder. After a failed sync nothing is retried: the kernel may have dropped the pages it could not write.
 */
export async function createFileWriter(place: FileWriterPlace): Promise<ObjectWriter> {
  const path = place.temporaryPath
  let sizeBytes = 0
  let state: 'open' | 'failed' | 'finished' | 'aborted' = 'open'
  let isNoted = false
  let handle: FileHandle | undefined
  /** Undefined until the file is large, and null if it is written through the page cache all the same. */
  let direct: DirectFile | null | undefined
  let early: EarlySync | undefined
  try {
    handle = await open(path, 'wx+', 0o600)
  } catch (error) {
    place.onEnd()
    throw describeWriteError(error)
  }

  const guard = async <T>(step: (file: FileHandle) => Promise<T>): Promise<T> => {
    if (state !== 'open' || handle === undefined) throw writerEnded(state)
    try {
      early?.requireSuccess()
      return await step(handle)
    } catch (error) {
      state = 'failed'
      throw describeWriteError(error)
    }
  }

  const closeHandle = async (): Promise<void> => {
    const closing = [direct?.close(), handle?.close()]
    direct = null
    handle = undefined
    await Promise.all(closing)
  }

  return {
    append: (parts) =>
      guard(async (file) => {
        await place.requireSpace(parts.reduce((sum, { length }) => sum + length, 0))
        if (direct === undefined && sizeBytes >= directFromBytes) {
          direct = (await openDirectFile(path, file, sizeBytes)) ?? null
        }
        if (direct == null) {
          const writtenBytes = await writeAll(file, parts, sizeBytes, { callsAtOnce })
          sizeBytes += writtenBytes
          if (early !== undefined) return early.wrote(writtenBytes)
          if (sizeBytes < directFromBytes) return
          early = createEarlySync(file, earlySyncStepBytes)
          early.wrote(sizeBytes)
        } else {
          await direct.append(parts)
          for (const part of parts) sizeBytes += part.length
        }
      }),
    setHead: (bytes) =>
      guard(async (file) => {
        if (bytes.length > sizeBytes) throw headTooLong()
        await writeAll(file, [bytes], 0)
      }),
    finish: () =>
      guard(async (file) => {
        // The note exists before the object is visible.
        isNoted = true
        await direct?.finish()
        await Promise.all([file.datasync(), place.setUnconfirmed(true)])
        await early?.settle()
        await closeHandle()
        await place.prepare()
        // A key is never reused; rename would silently replace the existing object.
        if (existsSync(place.target)) throw keyInUse()
        await rename(path, place.target)
        try {
          await syncFolder(dirname(place.target))
        } catch (error) {
          // The object exists but may not last. No client was answered, so it is removed.
          await rm(place.target, { force: true })
          throw error
        }
        state = 'finished'
        place.onEnd()
        return { sizeBytes }
      }),
    async abort() {
      if (state === 'finished' || state === 'aborted') return
      state = 'aborted'
      try {
        await closeHandle()
      } finally {
        await rm(path, { force: true })
        // An object that is visible in spite of the failure keeps its note: the next start decides.
        if (isNoted && !existsSync(place.target)) await place.setUnconfirmed(false)
        place.onEnd()
      }
    },
  }
}
