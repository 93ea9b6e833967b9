import { randomBytes } from 'node:crypto'
import { link, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CairnError } from '@cairn/protocol'

/** @throws CairnError FILE_EXISTS, also for a folder or device that may be overwritten: a file does not replace it */
export async function requireFree(full: string, target: string, overwrite: boolean): Promise<void> {
  const found = await stat(full).catch(() => undefined)
  if (found === undefined) return
  if (!overwrite) throw exists(target)
  if (found.isFile()) return
  throw new CairnError('FILE_EXISTS', {
    message: `${target} is ${found.isDirectory() ? 'a folder' : 'not a regular file'}`,
    hint: 'Choose another target: a file cannot replace it.',
  })
}

/** The names under which files are written before they are moved to their places. */
export const unfinishedName = /^\.cairn-[0-9a-f]{16}\.part$/

/** Returns a new name in the folder of a path. */
export function uniquePathBeside(path: string): string {
  return join(dirname(path), `.cairn-${randomBytes(8).toString('hex')}.part`)
}

/** Gives a finished file its name. @throws CairnError FILE_EXISTS, FILE_CHANGED if it is gone */
export async function moveIntoPlace(part: string, full: string, target: string, overwrite: boolean): Promise<void> {
  if (!overwrite) {
    // A link fails on an existing name, which a rename would silently replace.
    if (await linkNew(part, full, target)) return unlink(part)
    await requireFree(full, target, false)
  }
  await rename(part, full).catch((cause: unknown) => {
    throw codeOf(cause) === 'ENOENT' ? takenOver(target, cause) : cause
  })
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

/** Another download may have removed it. */
export async function removeIfThere(path: string): Promise<void> {
  await unlink(path).catch((cause: unknown) => {
    if (codeOf(cause) !== 'ENOENT') throw cause
  })
}

export function exists(target: string, cause?: unknown): CairnError {
  return new CairnError('FILE_EXISTS', { message: `${target} already exists`, cause })
}

export function takenOver(target: string, cause?: unknown): CairnError {
  return new CairnError('FILE_CHANGED', {
    message: `Another download to ${target} began in the meantime`,
    hint: 'Download to another target, or wait for the other download.',
    cause,
  })
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
