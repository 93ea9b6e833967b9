import { CairnError, duplicateName } from '@cairn/protocol'
import { openPath } from '#platform/local-files'
import type { Client } from '../client.ts'
import { blobFile } from '../local/blob-file.ts'
import { refuseContent, requireIterable } from '../local/check-content.ts'
import { emptyFolder, isEmptyFolder } from '../local/empty-folder.ts'
import { isBytes } from '../local/is-bytes.ts'
import { isHidden, type LocalFile, type OnLeftOut } from '../local-source.ts'
import { sendFiles, type UploadOptions, type UploadResult } from './send-files.ts'
import { type Batch, mapEach } from './write-body.ts'

/** A file of a folder that is assembled by the program; an empty Blob of type `application/x-directory` is an empty folder. */
export type FolderEntry = { path: string; content: Blob | Uint8Array | string }

/** Source of a folder: a path (Node), the files of a directory input of a browser, or single entries. */
export type FolderSource = string | ArrayLike<File> | AsyncIterable<FolderEntry> | Iterable<FolderEntry>

/**
 * Uploads a folder in one request; the CID is that of its root, as of `ipfs add -r --hidden`. A symbolic link on disk stays a
 * link, and empty folders are kept, even if the uploaded folder is empty. Browsers do not list empty folders: use an empty File
 * or Blob of type `application/x-directory` for each.
 * @throws CairnError DUPLICATE_NAME ('Duplicate file name found: …'), NO_FILE for no entries at all, and those of uploadFile
 */
export async function uploadFolder(
  client: Client,
  source: FolderSource,
  options: UploadOptions = {},
): Promise<UploadResult> {
  return sendFiles(client, refuseDuplicates(await openFolder(source, options, 'all')), options)
}

/**
 * Opens the files of a folder from any source.
 * @param keeps what else is included: empty folders, or also symbolic links of a folder on disk. Defaults to nothing.
 */
export async function openFolder(
  source: FolderSource,
  { name, onLeftOut, hidden = true }: Pick<UploadOptions, 'name' | 'onLeftOut' | 'hidden'>,
  keeps: Keeps = 'files',
): Promise<Batch> {
  if (typeof source === 'string') {
    const path = await openPath(source)
    if (path.kind === 'file') {
      throw new CairnError('FILE_UNREADABLE', { message: `${source} is a file`, hint: 'Use uploadFile or computeCid.' })
    }
    const rename = name === undefined ? (file: LocalFile) => file : renameTop(name)
    const rest = { isFolder: true, canRepeat: true, totalBytes: undefined }
    const files = () => mapEach(path.files({ onLeftOut, hidden, keepsFolders: keeps === 'folders' }), rename)
    if (keeps !== 'all') return { files, ...rest }
    const groups = () => mapEach(path.entries({ onLeftOut, hidden }), (group) => group.map(rename))
    return { files: () => flatten(groups()), groups, ...rest }
  }
  if (isFileList(source)) {
    const rename = name === undefined ? undefined : renameTop(name)
    const files = Array.from(source)
      .flatMap((file) => blobEntry(file, browserPath(file), keeps, onLeftOut))
      .map((file) => rename?.(file) ?? file)
      .filter((file) => hidden || !isBelowHidden(file.name))
    const totalBytes = files.reduce((sum, file) => sum + (file.sizeBytes ?? 0), 0)
    return { files: () => files, isFolder: true, canRepeat: true, totalBytes }
  }
  requireIterable(source)
  const top = name ?? 'folder'
  const entries = checkEntries(source)
  const wanted = hidden ? entries : leaveOutHidden(entries)
  return {
    files: () => entryFiles(wanted, top, keeps, onLeftOut),
    isFolder: true,
    canRepeat: false,
    totalBytes: undefined,
  }
}

/** Whether an entry of a folder, or a folder between, is hidden. The name of the folder itself does not count. */
function isBelowHidden(path: string): boolean {
  return path.split('/').slice(1).some(isHidden)
}

/** Programs without types may pass names instead of entries. @throws CairnError INVALID_REQUEST */
async function* checkEntries(entries: AsyncIterable<FolderEntry> | Iterable<FolderEntry>): AsyncGenerator<FolderEntry> {
  for await (const entry of entries) {
    if (typeof entry?.path !== 'string') {
      throw new CairnError('INVALID_REQUEST', {
        message: 'Each entry of a folder must have a path and content',
        hint: 'Pass objects such as { path: "a.txt", content: bytes }, or the path of a folder.',
      })
    }
    yield entry
  }
}

async function* leaveOutHidden(entries: AsyncIterable<FolderEntry>): AsyncGenerator<FolderEntry> {
  for await (const entry of entries) if (!entry.path.split('/').some(isHidden)) yield entry
}

/** Replaces the name of the folder. */
function renameTop(name: string): (file: LocalFile) => LocalFile {
  if (name === '' || name === '.' || name === '..' || name.includes('/'))
    throw new CairnError('INVALID_PATH', { message: `Invalid folder name: ${name}` })
  return (file) => {
    const slash = file.name.indexOf('/')
    return { ...file, name: slash === -1 ? name : `${name}${file.name.slice(slash)}` }
  }
}

async function* flatten(groups: AsyncIterable<readonly LocalFile[]>): AsyncGenerator<LocalFile> {
  for await (const group of groups) yield* group
}

/** Arrays of files and of entries differ only in their items. */
function isFileList(source: Exclude<FolderSource, string>): source is ArrayLike<File> {
  return (
    typeof source === 'object' &&
    source !== null &&
    'length' in source &&
    (source.length === 0 || source[0] instanceof Blob)
  )
}

/** A directory input reports paths below the chosen folder; files picked individually have none and get a folder. */
function browserPath(file: File): string {
  const relative = 'webkitRelativePath' in file ? file.webkitRelativePath : ''
  return relative === '' ? `folder/${file.name}` : relative
}

type Keeps = 'files' | 'folders' | 'all'

/** Opens a Blob with its path in the folder; none for an empty folder that is left out. */
function blobEntry(blob: Blob, path: string, keeps: Keeps, onLeftOut: OnLeftOut): LocalFile[] {
  if (!isEmptyFolder(blob)) return [blobFile(blob, path)]
  if (keeps !== 'files') return [{ ...emptyFolder(path), blob }]
  onLeftOut?.(path)
  return []
}

async function* entryFiles(
  entries: AsyncIterable<FolderEntry>,
  top: string,
  keeps: Keeps,
  onLeftOut: OnLeftOut,
): AsyncGenerator<LocalFile> {
  for await (const { path, content } of entries) {
    const clean = path.split('/').filter((segment) => segment !== '' && segment !== '.')
    if (clean.length === 0 || clean.includes('..'))
      throw new CairnError('INVALID_PATH', { message: `Invalid path: ${path}` })
    yield* blobEntry(toBlob(content, path), `${top}/${clean.join('/')}`, keeps, onLeftOut)
  }
}

/** @throws CairnError INVALID_REQUEST */
function toBlob(content: FolderEntry['content'], path: string): Blob {
  if (content instanceof Blob) return content
  if (typeof content === 'string') return new Blob([content])
  if (isBytes(content)) return new Blob([new Uint8Array(content)])
  return refuseContent(content, `The content of ${path}`, 'bytes, a Blob or a text')
}

/** Two files of one name would become one file: rejected before either is sent. */
export function refuseDuplicates(batch: Batch): Batch {
  const { files, groups } = batch
  const openCheck = () => {
    const names = new Set<string>()
    return (file: LocalFile) => {
      if (names.has(file.name)) throw duplicateName(file.name)
      names.add(file.name)
      return file
    }
  }
  const checked: Batch = { ...batch, files: () => mapEach(files(), openCheck()) }
  if (groups === undefined) return checked
  const checkGroups = () => {
    const check = openCheck()
    return mapEach(groups(), (group) => group.map(check))
  }
  return { ...checked, groups: checkGroups }
}
