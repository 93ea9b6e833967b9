import { CairnError } from '@cairn/protocol'
import type { ImportedNode } from '@cairn/unixfs'
import { openPath } from '#platform/local-files'
import type { LocalFile } from '../local-source.ts'
import type { UploadOptions } from './send-files.ts'
import { type FolderSource, openFolder, refuseDuplicates } from './upload-folder.ts'

/** A new file, and its node once it is known. */
export type NewFile = { readonly file: LocalFile; readonly path: string; node?: ImportedNode }
/** A new file, or the new entries of a folder by name. */
export type NewEntry = NewFile | NewFolder
export type NewFolder = Map<string, NewEntry>
/** What is removed by name; `undefined` is all of it. */
export type Removals = Map<string, Removals | undefined>

/**
 * Lists the files to put, in memory, by their paths in the folder.
 * @param at where they are put
 * @throws CairnError INVALID_PATH, DUPLICATE_NAME, FILE_UNREADABLE
 */
export async function listFiles(
  put: FolderSource,
  at: string | undefined,
  onLeftOut: UploadOptions['onLeftOut'],
): Promise<LocalFile[]> {
  const above = at === undefined ? [] : splitPath(at)
  const path = typeof put === 'string' ? await openPath(put) : undefined
  if (path?.kind === 'file') {
    const names = above.length === 0 || at?.endsWith('/') === true ? [...above, path.file.name] : above
    return [{ ...path.file, name: names.join('/') }]
  }
  const batch = refuseDuplicates(
    await openFolder(put, { name: 'put', ...(onLeftOut === undefined ? {} : { onLeftOut }) }, 'all'),
  )
  const files: LocalFile[] = []
  for await (const file of batch.files()) {
    const [_top, ...names] = file.name.split('/')
    // The folder on disk itself, if it is empty.
    if (names.length > 0 || above.length > 0) files.push({ ...file, name: [...above, ...names].join('/') })
  }
  return files
}

/** @throws CairnError INVALID_PATH */
function splitPath(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  if (!names.includes('..')) return names
  throw new CairnError('INVALID_PATH', { message: `Invalid path: ${path}` })
}

/** The files by the names of their folders. @throws CairnError DUPLICATE_NAME */
export function toFolder(files: readonly LocalFile[]): NewFolder {
  const top: NewFolder = new Map()
  for (const file of files) {
    const path = file.name
    const names = path.split('/')
    const isFolder = file.kind === 'folder'
    let folder = top
    for (const name of isFolder ? names : names.slice(0, -1)) {
      const inside = folder.get(name) ?? new Map<string, NewEntry>()
      if (!(inside instanceof Map)) throw new CairnError('DUPLICATE_NAME', { details: { fileName: path } })
      folder.set(name, inside)
      folder = inside
    }
    if (isFolder) continue
    const last = names.at(-1) ?? ''
    if (folder.has(last)) throw new CairnError('DUPLICATE_NAME', { details: { fileName: path } })
    folder.set(last, { file, path })
  }
  return top
}

/** Yields the files with bytes. */
export function* newFiles(folder: NewFolder): Generator<Exclude<NewEntry, NewFolder>> {
  for (const entry of folder.values()) {
    if (entry instanceof Map) yield* newFiles(entry)
    else if (entry.file.place === undefined) yield entry
  }
}

/** The paths to remove by the names of their folders. @throws CairnError INVALID_PATH */
export function toRemovals(paths: readonly string[]): Removals {
  const top: Removals = new Map()
  for (const path of paths) {
    const names = splitPath(path)
    if (names.length === 0) throw new CairnError('INVALID_PATH', { message: 'The top of a folder cannot be removed' })
    let inside: Removals | undefined = top
    for (const [at, name] of names.entries()) {
      if (at === names.length - 1) inside.set(name, undefined)
      else if (inside.has(name) && inside.get(name) === undefined) break
      else inside = enter(inside, name)
    }
  }
  return top
}

function enter(removals: Removals, name: string): Removals {
  const inside = removals.get(name) ?? new Map<string, Removals | undefined>()
  removals.set(name, inside)
  return inside
}

export function notFound(names: readonly string[]): CairnError {
  return new CairnError('PATH_NOT_FOUND', { message: `The folder contains no ${names.join('/')}` })
}
