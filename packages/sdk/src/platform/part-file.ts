import { hash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { CairnError, forEachOf, writeAll } from '@cairn/protocol'
import { copyStart, moveStart } from '../local/copy-start.ts'
import { codeOf, moveIntoPlace, removeIfThere, requireFree, takenOver, uniquePathBeside } from '../local/into-place.ts'
import { unreadable, unwritable } from '../local/unreadable.ts'
import { createWriteBehind, type WriteBehind } from '../local/write-behind.ts'

/** Bytes that an earlier download left. */
export type EarlierBytes = {
  readonly sizeBytes: number
  read(position: number, length: number): Promise<Uint8Array>
  close(): Promise<void>
}

/** A download in progress: the existing bytes, and the target of the next ones. */
export type PartFile = EarlierBytes & {
  /**
   * Keeps the first `sizeBytes` bytes. Bytes of an earlier attempt are only read before this call, which is needed if there
   * are any.
   * @throws CairnError ABORTED, FILE_CHANGED
   */
  truncate(sizeBytes: number, signal?: AbortSignal): Promise<void>
  /** Takes a copy of bytes, which are written while the next ones arrive. An error can be that of an earlier call. */
  write(bytes: Uint8Array, position: number): Promise<void>
  /** Writes what was taken. */
  flush(): Promise<void>
  /**
   * Makes the file durable and moves it to its place.
   * @throws CairnError FILE_EXISTS, FILE_CHANGED if another download to the same target began in the meantime
   */
  finish(overwrite: boolean): Promise<void>
  /** Closes and removes the file, if it is one of this attempt. */
  discard(): Promise<void>
}

const { O_RDWR, O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
/** Steps of the file system at a time. Node runs four. */
const stepsAtOnce = 8
/** Maximum length of a name on common file systems, in bytes. */
const maxNameBytes = 255

/**
 * Opens `{target}.part`. The file is always a new one: bytes of an earlier attempt are copied into it once they are verified, so
 * that a program that still writes the earlier file, such as a second download to the same target, cannot change them. Of two
 * such downloads the later one is completed, and the earlier one fails. The earlier file keeps its name until all of its bytes
 * that are kept are in the new one, so that a process that is killed at any moment loses none.
 * @throws CairnError FILE_EXISTS if the target exists and `overwrite` is false, or is no regular file; FILE_UNREADABLE
 */
export async function openPart(target: string, overwrite: boolean): Promise<PartFile> {
  const full = resolve(target)
  await requireFree(full, target, overwrite)
  const path = partPathOf(full)
  let earlier = await openEarlier(path)
  let file = earlier === undefined ? await createPart(path, target) : undefined
  let behind: WriteBehind | undefined
  const requireOwn = (): FileHandle => {
    if (file === undefined) throw new Error('The bytes of the earlier attempt are undecided')
    return file
  }
  const part: PartFile = {
    sizeBytes: earlier?.sizeBytes ?? 0,
    async read(position, length) {
      await part.flush()
      return readAt(earlier?.file ?? requireOwn(), position, length)
    },
    async truncate(sizeBytes, signal) {
      await part.flush()
      if (earlier === undefined) return requireOwn().truncate(sizeBytes)
      file = await replaceEarlier(earlier.file, path, sizeBytes, target, signal)
      await earlier.file.close()
      earlier = undefined
    },
    async write(bytes, position) {
      behind ??= createWriteBehind(requireOwn())
      await behind.write(bytes, position)
    },
    async flush() {
      await behind?.flush()
    },
    async finish(replace) {
      const written = requireOwn()
      try {
        await part.flush()
        await written.sync()
      } catch (error) {
        await part.close()
        throw error
      }
      const own = await takeOwn(path, written)
      await written.close()
      if (own === undefined) throw takenOver(target)
      try {
        await moveIntoPlace(own, full, target, replace)
      } catch (error) {
        await rename(own, path)
        throw error
      }
    },
    async close() {
      // What has arrived is kept for a later attempt, which verifies it. The caller has an error of its own to report.
      await part.flush().catch(() => undefined)
      await file?.close()
      await earlier?.file.close()
    },
    async discard() {
      const own = file === undefined ? undefined : await takeOwn(path, file)
      await part.close()
      if (own !== undefined) await unlink(own)
    },
  }
  try {
    if (earlier?.sizeBytes === 0) await part.truncate(0)
    return part
  } catch (error) {
    await part.close()
    throw error
  }
}

/**
 * Writes a file that a later attempt does not resume, in fewer steps than a part file needs. The steps are asynchronous, unlike
 * reads of small files, because creating a file waits for the syncs of others.
 * @returns its size in bytes
 * @throws CairnError FILE_EXISTS, FILE_UNREADABLE; and errors of the pieces
 */
export async function writeWhole(
  target: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  overwrite: boolean,
): Promise<number> {
  const full = resolve(target)
  await requireFree(full, target, overwrite)
  const part = uniquePathBeside(full)
  const file = await openNew(part, full)
  try {
    let sizeBytes = 0
    try {
      for await (const piece of pieces) sizeBytes += await writeAll(file, [piece], sizeBytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await moveIntoPlace(part, full, target, overwrite)
    return sizeBytes
  } catch (error) {
    await removeIfThere(part)
    throw error
  }
}

/**
 * Writes a file that a later attempt resumes, from its start.
 * @returns its size in bytes
 * @throws CairnError as openPart and `finish`; and errors of the pieces
 */
export async function writePart(
  target: string,
  pieces: AsyncIterable<Uint8Array>,
  overwrite: boolean,
): Promise<number> {
  const part = await openPart(target, overwrite)
  let isOpen = true
  try {
    await part.truncate(0)
    let sizeBytes = 0
    for await (const piece of pieces) {
      await part.write(piece, sizeBytes)
      sizeBytes += piece.length
    }
    isOpen = false
    await part.finish(overwrite)
    return sizeBytes
  } finally {
    if (isOpen) await part.close()
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** Opens a target that may be complete; undefined if there is no regular file. */
export async function openComplete(target: string): Promise<EarlierBytes | undefined> {
  const full = resolve(target)
  // A target that cannot be read is reported by the download that replaces it.
  const found = await lstat(full).catch(() => undefined)
  if (found?.isFile() !== true) return undefined
  const file = await open(full, O_RDONLY | O_NOFOLLOW).catch(() => undefined)
  if (file === undefined) return undefined
  const { size: sizeBytes } = found
  return { sizeBytes, read: (position, length) => readAt(file, position, length), close: () => file.close() }
}

/** A file for `writeTogether`. */
export type NewFile = { readonly target: string; readonly bytes: Uint8Array }

/**
 * Writes many small files: all are written, then all are synced, then each is moved to its place. File systems with a journal
 * commit all of them with the first sync, while a sync after each file is a commit each.
 * @throws CairnError FILE_EXISTS, FILE_UNREADABLE; files that are in their place by then remain
 */
export async function writeTogether(files: readonly NewFile[], overwrite: boolean): Promise<void> {
  type Written = NewFile & { readonly full: string; readonly part: string; readonly file: FileHandle }
  const opened = new Set<Written>()
  const unfinished = new Set<Written>()
  try {
    await forEachOf(files, stepsAtOnce, async ({ target, bytes }) => {
      const full = resolve(target)
      // Otherwise the move refuses what exists, which saves a step for each of many small files.
      if (overwrite) await requireFree(full, target, overwrite)
      const part = uniquePathBeside(full)
      const written = { target, bytes, full, part, file: await openNew(part, full) }
      opened.add(written)
      unfinished.add(written)
      await writeAll(written.file, [bytes], 0)
    })
    await forEachOf(unfinished, stepsAtOnce, async (one) => {
      await one.file.sync()
      opened.delete(one)
      await one.file.close()
    })
    await forEachOf(unfinished, stepsAtOnce, async (one) => {
      await moveIntoPlace(one.part, one.full, one.target, overwrite)
      unfinished.delete(one)
    })
  } catch (error) {
    for (const { file } of opened) await file.close()
    for (const { part } of unfinished) await removeIfThere(part)
    throw error
  }
}

/**
 * Creates the partial file of `full`.
 * @throws CairnError FILE_UNREADABLE
 */
async function openNew(part: string, full: string): Promise<FileHandle> {
  return open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644).catch((cause: unknown) => {
    throw unwritable(full, cause)
  })
}

/** Opens the part of an earlier attempt to be read. @throws CairnError FILE_UNREADABLE */
async function openEarlier(path: string): Promise<{ file: FileHandle; sizeBytes: number } | undefined> {
  const found = await lstat(path).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw unreadable(path, cause)
  })
  if (found === undefined) return undefined
  // Opening a pipe would wait for its other end.
  if (!found.isFile()) throw new CairnError('FILE_UNREADABLE', { message: `${path} is not a regular file` })
  const file = await open(path, O_RDONLY | O_NOFOLLOW).catch((cause: unknown) => {
    // Another download completed it.
    if (codeOf(cause) === 'ENOENT') return undefined
    throw unreadable(path, cause)
  })
  return file === undefined ? undefined : { file, sizeBytes: (await file.stat()).size }
}

async function createPart(path: string, target: string): Promise<FileHandle> {
  return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644).catch((cause: unknown) => {
    throw codeOf(cause) === 'EEXIST' ? takenOver(target, cause) : unwritable(target, cause)
  })
}

/**
 * Puts a new file with the first bytes of a part in its place. The name of the copy is always the same, so that what a killed
 * process left is found and removed.
 */
async function replaceEarlier(
  earlier: FileHandle,
  path: string,
  sizeBytes: number,
  target: string,
  signal: AbortSignal | undefined,
): Promise<FileHandle> {
  const copyPath = partPathOf(path)
  await removeIfThere(copyPath)
  const copy = await createPart(copyPath, target)
  try {
    await copyStart(earlier, copy, sizeBytes, signal).catch(async (error: unknown) => {
      if (codeOf(error) !== 'ENOSPC') throw error
      await moveStart(path, earlier, copy, sizeBytes, signal)
    })
    const own = await takeOwn(copyPath, copy)
    if (own === undefined) throw takenOver(target)
    await rename(own, path)
    return copy
  } catch (error) {
    const own = await takeOwn(copyPath, copy)
    await copy.close()
    if (own !== undefined) await unlink(own)
    throw error
  }
}

/**
 * Gives the file of this attempt a name that only this attempt knows; undefined if another file has its name now, which keeps it.
 */
async function takeOwn(path: string, file: FileHandle): Promise<string | undefined> {
  const taken = uniquePathBeside(path)
  try {
    await rename(path, taken)
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw cause
  }
  const [own, named] = await Promise.all([file.stat({ bigint: true }), lstat(taken, { bigint: true })])
  if (own.ino === named.ino && own.dev === named.dev) return taken
  await rename(taken, path)
  return undefined
}

/** The longest names have no space for `.part`. */
function partPathOf(full: string): string {
  const path = `${full}.part`
  if (Buffer.byteLength(basename(path)) <= maxNameBytes) return path
  return join(dirname(full), `.cairn-${hash('sha256', basename(full)).slice(0, 32)}.part`)
}
