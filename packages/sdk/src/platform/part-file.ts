import { constants, existsSync } from 'node:fs'
import { link, mkdir, open, rename, stat, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { unreadable } from '../local/unreadable.ts'
import { writeAll } from '../write-all.ts'

/** A download in progress: the existing bytes, and the target of the next ones. */
export type PartFile = {
  /** Bytes that an earlier attempt left. */
  readonly sizeBytes: number
  read(position: number, length: number): Promise<Uint8Array>
  /** Keeps the first `sizeBytes` bytes. */
  truncate(sizeBytes: number): Promise<void>
  write(bytes: Uint8Array, position: number): Promise<void>
  /**
   * Makes the file durable and moves it to its place.
   * @throws CairnError FILE_EXISTS
   */
  finish(overwrite: boolean): Promise<void>
  close(): Promise<void>
  /** Closes and removes the file. */
  discard(): Promise<void>
}

/**
 * Opens `{target}.part`.
 * @throws CairnError FILE_EXISTS if the target exists and `overwrite` is false, FILE_UNREADABLE
 */
export async function openPart(target: string, overwrite: boolean): Promise<PartFile> {
  const full = resolve(target)
  const isThere = await stat(full).then(
    () => true,
    () => false,
  )
  if (isThere && !overwrite) throw exists(target)
  const part = `${full}.part`
  const file = await open(part, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o644).catch(
    (cause: unknown) => {
      throw unreadable(part, cause)
    },
  )
  const { size } = await file.stat()
  return {
    sizeBytes: size,
    async read(position, length) {
      const buffer = Buffer.allocUnsafe(length)
      const { bytesRead } = await file.read(buffer, 0, length, position)
      return buffer.subarray(0, bytesRead)
    },
    truncate: (sizeBytes) => file.truncate(sizeBytes),
    write: (bytes, position) => writeAll(file, bytes, position),
    async finish(replace) {
      await file.sync()
      await file.close()
      await moveIntoPlace(part, full, target, replace)
    },
    close: () => file.close(),
    async discard() {
      await file.close()
      await unlink(part)
    },
  }
}

/**
 * Writes a small file like a part that is finished at once, in fewer steps. The steps are not synchronous, as those of reading
 * small files are: making a file waits for the syncs of others.
 * @throws CairnError FILE_EXISTS, FILE_UNREADABLE
 */
export async function writeSmall(target: string, bytes: Uint8Array, overwrite: boolean): Promise<void> {
  const full = resolve(target)
  if (!overwrite && existsSync(full)) throw exists(target)
  const part = `${full}.part`
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants
  const file = await open(part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o644).catch((cause: unknown) => {
    throw unreadable(part, cause)
  })
  try {
    await writeAll(file, bytes, 0)
    await file.sync()
  } finally {
    await file.close()
  }
  await moveIntoPlace(part, full, target, overwrite)
}

function exists(target: string, cause?: unknown): CairnError {
  return new CairnError('FILE_EXISTS', { message: `${target} already exists`, cause })
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

async function moveIntoPlace(part: string, full: string, target: string, overwrite: boolean): Promise<void> {
  // A link fails on an existing name, which a rename would silently replace.
  if (!overwrite && (await linkNew(part, full, target))) await unlink(part)
  else await rename(part, full)
}

/**
 * Links a file under a second name; false on file systems without links.
 * @throws CairnError FILE_EXISTS
 */
async function linkNew(from: string, to: string, target: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') return false
    throw exists(target, cause)
  }
}

/**
 * Creates a folder for a download.
 * @throws CairnError FILE_EXISTS
 */
export async function makeFolder(target: string, mayExist: boolean): Promise<void> {
  await mkdir(resolve(target), { recursive: mayExist }).catch((cause: unknown) => {
    if (codeOf(cause) === 'EEXIST') throw exists(target, cause)
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot make the folder ${target}`, cause })
  })
}

/** Joins a folder and a name. */
export function joinPath(folder: string, name: string): string {
  return join(folder, name)
}
