import { splitUploadPath } from '@cairn/protocol'
import { CairnError } from '@cairn/sdk'
import { words } from '../words/words.ts'

/** A file with its path below the folder that was dropped or chosen. */
export type PathFile = {
  path: string
  file: File
  /** Of what was dropped, where the browser gives it: the file, or the folder around all of them. */
  handle?: FileSystemHandle
}

/** What one line of the upload sheet stands for: a file, or a folder with all that is in it. */
export type UploadItem =
  | { id: string; kind: 'file'; name: string; sizeBytes: number; file: File; handle?: FileSystemHandle }
  | {
      id: string
      kind: 'folder'
      name: string
      sizeBytes: number
      files: readonly PathFile[]
      handle?: FileSystemHandle
    }

let lines = 0
const nextId = () => `line-${lines++}`

/**
 * Makes lines out of files however they came: those with a path belong to a folder, by its first part; the others are lines
 * of their own.
 */
export function toUploadItems(files: readonly PathFile[]): UploadItem[] {
  const items: UploadItem[] = []
  const folders = Map.groupBy(
    files.filter(({ path }) => path.includes('/')),
    ({ path }) => path.slice(0, path.indexOf('/')),
  )
  for (const { path, file, handle } of files) {
    if (path.includes('/')) continue
    const kept = handle === undefined ? {} : { handle }
    items.push({ id: nextId(), kind: 'file', name: path, sizeBytes: file.size, file, ...kept })
  }
  for (const [name, inside] of folders) {
    const sizeBytes = inside.reduce((sum, { file }) => sum + file.size, 0)
    const handle = inside[0]?.handle
    const kept = handle === undefined ? {} : { handle }
    items.push({ id: nextId(), kind: 'folder', name, sizeBytes, files: inside, ...kept })
  }
  return items
}

/** The files of a folder as lines of their own, named by their path below it. */
export function splitFolders(items: readonly UploadItem[]): UploadItem[] {
  return items.flatMap((item) =>
    item.kind === 'file'
      ? [item]
      : item.files.map(({ path, file }, i): UploadItem => {
          const name = path.slice(path.indexOf('/') + 1)
          return { id: `${item.id}.${i}`, kind: 'file', name: `${item.name}/${name}`, sizeBytes: file.size, file }
        }),
  )
}

/** What is wrong with the names, by the line's id: said before anything is sent. */
export function findNameFaults(items: readonly UploadItem[]): ReadonlyMap<string, string> {
  const faults = new Map<string, string>()
  const seen = new Set<string>()
  for (const { id, name, kind } of items) {
    const trimmed = name.trim()
    const fault = findPathFault(trimmed, kind)
    if (fault !== undefined) faults.set(id, fault)
    else if (seen.has(trimmed)) faults.set(id, `${words.upload.duplicate(trimmed)}. ${words.upload.duplicateHint}`)
    seen.add(trimmed)
  }
  return faults
}

/** The rule of the service, so that a name it refuses can still be changed. */
function findPathFault(name: string, kind: UploadItem['kind']): string | undefined {
  try {
    if (splitUploadPath(name).length === 0) return words.upload.nameEmpty
    return kind === 'folder' && name.includes('/') ? words.upload.nameSlash : undefined
  } catch (error) {
    if (!CairnError.is(error, 'INVALID_PATH')) throw error
    return `${error.message}.`
  }
}

/** Bytes of all lines. */
export function totalBytes(items: readonly UploadItem[]): number {
  return items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

/** Files of all lines, those in folders included. */
export function countFiles(items: readonly UploadItem[]): number {
  return items.reduce((sum, item) => sum + (item.kind === 'file' ? 1 : item.files.length), 0)
}

/** Two files of one path in one folder would be one file. @throws CairnError DUPLICATE_NAME */
export function refuseDuplicatePaths(files: readonly PathFile[]): void {
  const seen = new Set<string>()
  for (const { path } of files) {
    if (seen.has(path)) throw new CairnError('DUPLICATE_NAME', { message: words.upload.duplicate(path) })
    seen.add(path)
  }
}
