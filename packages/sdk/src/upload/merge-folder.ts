import { CairnError } from '@cairn/protocol'
import { createFileImporter, type DirectoryTree, type ImportedNode, type ImportOptions } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { rawCodec } from '../download/car-source.ts'
import { requireSafe } from '../download/distinct-names.ts'
import type { FolderItem } from '../download/list-directory.ts'
import type { LocalFile } from '../local-source.ts'
import { throwIfAborted } from '../throw-if-aborted.ts'
import { type NewFolder, notFound, type Removals } from './folder-changes.ts'
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
  const { tree, importing, list, isFolder, count, signal } = merging
  if (path.length > 0) tree.addDirectory(path.join('/'))
  const known = new Map(before.map((entry) => [entry.name, entry]))
  for (const one of removed.keys()) {
    if (!known.has(one)) throw notFound([...path, one])
  }
  for (const entry of before) {
    requireSafe(entry.name)
    const below = [...path, entry.name]
    const newer = added.get(entry.name)
    const gone = removed.get(entry.name)
    if (removed.has(entry.name) && gone === undefined) continue
    if (newer !== undefined && !(newer instanceof Map)) {
      if (CID.parse(entry.cid).code !== rawCodec && (await isFolder(below))) throw exists(below, 'folder')
      continue
    }
    if (newer === undefined && gone === undefined) {
      // Links do not distinguish files from folders, and need not.
      tree.addFile(below.join('/'), {
        ...unknownKind,
        cid: CID.parse(entry.cid),
        dagSizeBytes: entry.dagSizeBytes ?? 0,
      })
      continue
    }
    const inside = await list(below)
    if (inside === undefined && gone !== undefined) throw notFound([...below, ...gone.keys()])
    if (inside === undefined) throw exists(below, 'file')
    await mergeFolder(merging, below, inside, newer ?? new Map(), gone ?? new Map())
  }
  for (const [one, newer] of added) {
    const below = [...path, one]
    if (newer instanceof Map) {
      if (!known.has(one) || (removed.has(one) && removed.get(one) === undefined)) {
        await mergeFolder(merging, below, [], newer, new Map())
      }
      continue
    }
    const { file } = newer
    if (file.place !== undefined) {
      await file.place(tree, below.join('/'), importing)
      continue
    }
    newer.node = await importFile(file, { ...importing, sink: discard }, count, signal)
    tree.addFile(below.join('/'), newer.node)
  }
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
