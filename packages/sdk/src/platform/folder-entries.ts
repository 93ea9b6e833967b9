import { constants } from 'node:fs'
import { lstat, mkdir, open, opendir, rm, symlink, unlink } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { codeOf, exists, moveIntoPlace, removeIfThere, unfinishedName, uniquePathBeside } from '../local/into-place.ts'
import { unwritable } from '../local/unreadable.ts'

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants

/**
 * Creates a folder for a download. Returns false if it exists already.
 * @throws CairnError FILE_EXISTS
 */
export async function makeFolder(target: string, mayExist: boolean): Promise<boolean> {
  const made = mkdir(resolve(target), { recursive: mayExist }).catch((cause: unknown) => {
    if (codeOf(cause) === 'EEXIST' && mayExist)
      throw new CairnError('FILE_EXISTS', {
        message: `${target} is a file`,
        hint: 'Choose another target: a folder cannot replace it.',
        cause,
      })
    if (codeOf(cause) === 'EEXIST') throw exists(target, cause)
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot make the folder ${target} (${codeOf(cause)})`, cause })
  })
  // Only a recursive call returns what it made, and it makes nothing if the folder exists.
  const first = await made
  return !mayExist || first !== undefined
}

/**
 * Creates a folder below the target of a download, in a folder that exists. Returns false if it exists already. A symbolic link of
 * its name, which an earlier download may have made, is replaced: what the folder contains would be written where the link leads.
 * @throws CairnError FILE_EXISTS, FILE_UNREADABLE
 */
export async function makeFolderInside(path: string, mayExist: boolean): Promise<boolean> {
  if (mayExist && (await lstat(resolve(path)).catch(() => undefined))?.isSymbolicLink() === true)
    await removeIfThere(path)
  return makeFolder(path, mayExist)
}

/** Probes which names the file system of a folder distinguishes. Nothing is stored under them. */
export type NameProbe = {
  /** Whether the file system distinguishes the name from the earlier ones. @throws CairnError FILE_UNREADABLE */
  add(name: string): Promise<boolean>
  close(): Promise<void>
}

/**
 * Opens a probe in a folder: a new folder inside it, because on some file systems each folder has a setting of its own, which it
 * passes on.
 * @throws CairnError FILE_UNREADABLE
 */
export async function openNameProbe(folder: string): Promise<NameProbe> {
  const probe = uniquePathBeside(join(resolve(folder), 'probe'))
  await mkdir(probe).catch((cause: unknown) => {
    throw unwritable(folder, cause)
  })
  return {
    async add(name) {
      try {
        await (await open(join(probe, name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)).close()
        return true
      } catch (cause) {
        if (codeOf(cause) === 'EEXIST') return false
        throw unwritable(join(folder, name), cause)
      }
    },
    close: () => rm(probe, { recursive: true, force: true }),
  }
}

/**
 * Removes the files that killed downloads left in a folder. A download that still runs there fails with FILE_CHANGED.
 * @param isContent whether a name is one of the content
 */
export async function clearUnfinished(folder: string, isContent: (name: string) => boolean): Promise<void> {
  const full = resolve(folder)
  for await (const entry of await opendir(full)) {
    if (!entry.isFile() || !unfinishedName.test(entry.name) || isContent(entry.name)) continue
    await removeIfThere(join(full, entry.name))
  }
}

/**
 * Makes a symbolic link for a download.
 * @throws CairnError FILE_EXISTS, also for a folder that may be overwritten; FILE_UNREADABLE
 */
export async function makeLink(path: string, target: string, overwrite: boolean): Promise<void> {
  const full = resolve(path)
  const found = await lstat(full).catch(() => undefined)
  if (found !== undefined && (!overwrite || found.isDirectory())) throw exists(path)
  const own = uniquePathBeside(full)
  try {
    await symlink(target, own)
  } catch (cause) {
    throw new CairnError('FILE_UNREADABLE', {
      message: `Cannot make the symbolic link ${path} (${codeOf(cause)})`,
      cause,
    })
  }
  try {
    await moveIntoPlace(own, full, path, overwrite)
  } catch (error) {
    await unlink(own)
    throw error
  }
}

/** Joins a folder and a name. */
export function joinPath(folder: string, name: string): string {
  return join(folder, name)
}

/** Whether a name from others cannot leave its folder. A backslash is a letter like others, except on Windows. */
export function isSafeName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !['\0', '/', sep].some((part) => name.includes(part))
}
