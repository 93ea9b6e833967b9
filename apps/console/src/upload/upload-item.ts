import { splitUploadPath } from '@cairn/protocol'
import { CairnError } from '@cairn/sdk'
import { describeError } from '../messages/describe-error.ts'
import { messages } from '../messages/messages.ts'
import { asWorded } from '../messages/worded.ts'
import { isEmptyFolder, type PathFile } from '../transfers/path-file.ts'

/** Who can open an upload. Private content is not encrypted: the service shows it to its owner, and through signed links. */
export type UploadAccess = 'encrypted' | 'private' | 'public'

/** One line of the upload sheet: a file, or a folder with its content. */
export type UploadItem =
  | {
      id: string
      kind: 'file'
      name: string
      sizeBytes: number
      file: File
      /** Its path in the folder that it was split from. */
      path?: string
      handle?: FileSystemHandle
    }
  | {
      id: string
      kind: 'folder'
      name: string
      sizeBytes: number
      /** Empty folders are among them. */
      files: readonly PathFile[]
      /** Whether it was chosen in a dialog, which reports no empty folders. */
      isChosen: boolean
      /** Names of its files if they are uploaded separately, by line id. In the folder, they keep their paths. */
      fileNames?: ReadonlyMap<string, string>
      handle?: FileSystemHandle
    }

/** Creates a file from a text. As in names of files, a slash in its name separates folders of the drive. */
export function toTextItem(text: string, name: string): UploadItem {
  const file = new File([text], name, { type: 'text/plain' })
  return { id: crypto.randomUUID(), kind: 'file', name, sizeBytes: file.size, file }
}

/** Splits a folder into its files, named by their path below it. Empty folders have none. */
export function splitFolders(items: readonly UploadItem[]): UploadItem[] {
  return items.flatMap((item) =>
    item.kind === 'file'
      ? [item]
      : item.files.flatMap(({ path, file }): UploadItem[] => {
          if (isEmptyFolder(file)) return []
          const id = lineIdOf(file)
          const name = item.fileNames?.get(id) ?? `${item.name}/${path.slice(path.indexOf('/') + 1)}`
          return [{ id, kind: 'file', name, sizeBytes: file.size, file, path }]
        }),
  )
}

const lineIds = new WeakMap<File, string>()

/** Returns the id of a file of a folder as a separate line, which does not change when other lines are removed. */
function lineIdOf(file: File): string {
  const id = lineIds.get(file) ?? crypto.randomUUID()
  lineIds.set(file, id)
  return id
}

/** Renames a line: an item, or a file of a split folder. The folder does not change. */
export function renameLine(items: readonly UploadItem[], id: string, name: string): UploadItem[] {
  return items.map((item) => {
    if (item.id === id) return { ...item, name }
    if (item.kind === 'file' || !item.files.some(({ file }) => lineIds.get(file) === id)) return item
    return { ...item, fileNames: new Map([...(item.fileNames ?? []), [id, name]]) }
  })
}

/** Removes a line: an item, or a file of a split folder, which is also removed from the folder. */
export function removeLine(items: readonly UploadItem[], id: string): UploadItem[] {
  return items.flatMap((item): UploadItem[] => {
    if (item.id === id) return []
    if (item.kind === 'file') return [item]
    const removed = item.files.find(({ file }) => lineIds.get(file) === id)
    if (removed === undefined) return [item]
    const files = item.files.filter((one) => one !== removed)
    // A folder without files has no line.
    return countIn(files) === 0 ? [] : [{ ...item, files, sizeBytes: item.sizeBytes - removed.file.size }]
  })
}

/** Returns the errors in names by line id, before anything is sent. */
export function findNameProblems(items: readonly UploadItem[]): ReadonlyMap<string, string> {
  const failures = new Map<string, string>()
  const seen = new Set<string>()
  for (const { id, name, kind } of items) {
    const trimmed = name.trim()
    const failure = findNameProblem(trimmed, kind)
    if (failure !== undefined) failures.set(id, failure)
    else if (seen.has(trimmed))
      failures.set(id, `${messages.uploadNames.duplicate(trimmed)}. ${messages.uploadNames.duplicateHint}`)
    seen.add(trimmed)
  }
  return failures
}

/** Returns the error in a name, by the rule of the service, so that users can correct it before the upload. */
export function findNameProblem(name: string, kind: UploadItem['kind']): string | undefined {
  try {
    if (splitUploadPath(name).length === 0) return messages.uploadNames.nameEmpty
    return kind === 'folder' && name.includes('/') ? messages.uploadNames.nameSlash : undefined
  } catch (error) {
    if (!CairnError.is(error, 'INVALID_PATH')) throw error
    return `${describeError(error).message}.`
  }
}

/** Returns the bytes of all lines. */
export function totalBytes(items: readonly UploadItem[]): number {
  return items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

/** Counts the files of all lines, including those in folders. */
export function countFiles(items: readonly UploadItem[]): number {
  return items.reduce((sum, item) => sum + (item.kind === 'file' ? 1 : countIn(item.files)), 0)
}

/** Counts the empty folders of all lines. */
export function countEmptyFolders(items: readonly UploadItem[]): number {
  return items.reduce((sum, item) => sum + (item.kind === 'file' ? 0 : item.files.length - countIn(item.files)), 0)
}

function countIn(files: readonly PathFile[]): number {
  return files.filter(({ file }) => !isEmptyFolder(file)).length
}

/**
 * Two files with one path in one folder would become one file.
 * @throws CairnError DUPLICATE_NAME
 */
export function refuseDuplicatePaths(files: readonly PathFile[]): void {
  const seen = new Set<string>()
  for (const { path } of files) {
    if (seen.has(path))
      throw asWorded(
        new CairnError('DUPLICATE_NAME', {
          message: messages.uploadNames.duplicate(path),
          details: { fileName: path },
        }),
      )
    seen.add(path)
  }
}
