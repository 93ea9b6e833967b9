import { CairnError } from '@cairn/protocol'
import { createFileImporter, type DirectoryTree, type ImportedNode, type ImportOptions } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { rawCodec } from '../download/car-source.ts'
import { requireSafe } from '../download/distinct-names.ts'
import type { FolderItem } from '../download/list-directory.ts'
import type { LocalFile } from '../local-source.ts'
import { throwIfAborted } from '../throw-if-aborted.ts'
import { type NewEntry, type NewFile, type NewFolder, notFound, type Removals } from './folder-changes.ts'
import { discard } from './write-body.ts'

/** What a merge reads, and the tree that it builds. */
export type Merging = {
  readonly tree: DirectoryTree
  /** The sink takes the blocks of links; files are only counted. */
  readonly importing: ImportOptions
  /** Lists a stored folder; undefined if the path is no folder. */
  readonly list: (path: readonly string[]) => Promise<FolderItem[] | undefined>
  readonly isFolder: (path: readonly string[]) => Promise<boolean>
  readonly count: (bytes: number) => void
  readonly signal: AbortSignal | undefined
}

/**
 * Adds to the tree what a stored folder contains after the changes, and notes the nodes of new files.
 * @param before the entries of the stored folder at `path`
 * @throws CairnError PATH_NOT_FOUND, FILE_EXISTS, INVALID_PATH (an invalid stored name), ABORTED
 */
export async function mergeFolder(
  merging: Merging,
  path: readonly string[],
  before: readonly FolderItem[],
  added: NewFolder,
  removed: Removals,
): Promise<void> {
  if (path.length > 0) merging.tree.addDirectory(path.join('/'))
  const known = new Set(before.map(({ name }) => name))
  for (const one of removed.keys()) {
    if (!known.has(one)) throw notFound([...path, one])
  }
  for (const entry of before) {
    requireSafe(entry.name)
    const gone = removed.get(entry.name)
    const isRemoved = removed.has(entry.name) && gone === undefined
    if (!isRemoved) await mergeEntry(merging, [...path, entry.name], entry, added.get(entry.name), gone)
  }
  for (const [name, newer] of added) {
    const below = [...path, name]
    if (!(newer instanceof Map)) await addFile(merging, below, newer)
    else if (!known.has(name) || (removed.has(name) && removed.get(name) === undefined))
      await mergeFolder(merging, below, [], newer, new Map())
  }
}

/** Adds an entry of the stored folder with the changes below it, unless a new file takes its place. */
async function mergeEntry(
  merging: Merging,
  path: readonly string[],
  { cid, dagSizeBytes = 0 }: FolderItem,
  newer: NewEntry | undefined,
  gone: Removals | undefined,
): Promise<void> {
  if (newer !== undefined && !(newer instanceof Map)) {
    if (CID.parse(cid).code !== rawCodec && (await merging.isFolder(path))) throw exists(path, 'folder')
    return
  }
  if (newer === undefined && gone === undefined) {
    // Links do not distinguish files from folders, and need not.
    merging.tree.addFile(path.join('/'), { ...unknownKind, cid: CID.parse(cid), dagSizeBytes })
    return
  }
  const inside = await merging.list(path)
  if (inside === undefined && gone !== undefined) throw notFound([...path, ...gone.keys()])
  if (inside === undefined) throw exists(path, 'file')
  await mergeFolder(merging, path, inside, newer ?? new Map(), gone ?? new Map())
}

/** Adds a new file, and notes its node. */
async function addFile(
  { tree, importing, count, signal }: Merging,
  path: readonly string[],
  added: NewFile,
): Promise<void> {
  const { file } = added
  if (file.place !== undefined) return file.place(tree, path.join('/'), importing)
  added.node = await importFile(file, { ...importing, sink: discard }, count, signal)
  tree.addFile(path.join('/'), added.node)
}

/** An entry that is linked as it is. */
const unknownKind = { kind: 'file', fileSizeBytes: 0 } as const

function exists(names: readonly string[], kind: string): CairnError {
  return new CairnError('FILE_EXISTS', {
    message: `${names.join('/')} is a ${kind}`,
    hint: 'Remove it in the same change, or use another path.',
  })
}

async function importFile(
  file: LocalFile,
  importing: ImportOptions,
  count: (bytes: number) => void,
  signal: AbortSignal | undefined,
): Promise<ImportedNode> {
  const importer = createFileImporter(importing)
  for await (const piece of file.open()) {
    throwIfAborted(signal)
    await importer.write(piece)
    count(piece.length)
  }
  return importer.finish()
}
