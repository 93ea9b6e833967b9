import type { Uploaded } from '@cairn/protocol'
import {
  type Annotator,
  type EntryTable,
  type ImportedNode,
  type ImportOptions,
  topEntry,
  writeFolder,
} from '@cairn/unixfs'
import type { ImportedParts } from './import-parts.ts'

/** One result of an upload, listed, counted and deleted as a whole. */
export type UploadRoot = {
  /** Empty for a folder that only wraps the uploaded entries. */
  name: string
  node: ImportedNode
  /** Total bytes of its files. */
  sizeBytes: number
}

/** One entry of an answer, with the size of its file; undefined for a folder. */
export type UploadEntry = Uploaded & { fileSizeBytes: number | undefined }

/** The roots and entries of an upload. Both are created on iteration, which may be repeated. */
export type UploadRoots = {
  readonly rootCount: number
  roots(): Generator<UploadRoot, void, undefined>
  /** Every entry in Kubo's order: files, then folders after their children. */
  entries(): Generator<UploadEntry, void, undefined>
}

/** How parts become roots. */
export type RootShape =
  /** One root per file. */
  | 'files'
  /** One root per top-level name: a file, or a folder with all its content. */
  | 'tops'
  /** One folder around everything. */
  | 'wrapped'

/**
 * Selects the shape that a request asks for. Published clients read one object, so several top-level names need a
 * folder around them. Their encrypted uploads have one entry per file and never request a folder; ours do for a
 * folder encrypted as a whole. Kubo's clients read one line per entry; its Go client sends a folder as a part without a
 * name, followed by its content.
 */
export function chooseShape(
  { table, hasUnnamedFolder }: Pick<ImportedParts, 'table' | 'hasUnnamedFolder'>,
  options: { wrap: boolean; encryption: boolean; isKubo: boolean },
): RootShape {
  if (options.encryption) return options.wrap ? 'tops' : 'files'
  if (options.wrap || hasUnnamedFolder) return 'wrapped'
  return options.isKubo || !hasSeveralTops(table) ? 'tops' : 'wrapped'
}

/**
 * Writes the folders that the parts need.
 * @param annotate adds the modes and times of folders
 * @throws UnixfsError DUPLICATE_NAME
 */
export async function buildRoots(
  { table, sentNames, folderMetadata }: ImportedParts,
  shape: RootShape,
  options: ImportOptions,
  annotate?: Annotator['annotate'],
): Promise<UploadRoots> {
  const written: number[] = []
  const write = (folder: number) =>
    writeFolder(table, folder, options, (one) => {
      written.push(one)
      const metadata = folderMetadata.size === 0 ? undefined : folderMetadata.get(table.pathOf(one))
      if (metadata !== undefined && annotate !== undefined) {
        table.setNode(one, annotate(table.nodeOf(one), metadata), table.contentBytesOf(one))
      }
    })
  const tops = shape === 'tops' ? [...table.childrenOf(topEntry)].filter(table.isFolder) : []
  for (const top of tops) await write(top)
  if (shape === 'wrapped') {
    // Unnamed parts are named by their CID, so the same bytes sent twice become one entry.
    for (const file of filesOf(table)) if (table.isUnnamed(file)) table.place(file, nameOf(table, file))
    await write(topEntry)
  }

  function* rootEntries(): Generator<number, void, undefined> {
    if (shape === 'wrapped') {
      yield topEntry
      return
    }
    for (const file of filesOf(table)) {
      if (shape === 'files' || table.isUnnamed(file) || table.parentOf(file) === topEntry) yield file
    }
    yield* tops
  }
  const rootOf = (entry: number): UploadRoot => {
    const node = table.nodeOf(entry)
    const sentName = shape === 'files' ? sentNames.get(entry) : undefined
    return { name: sentName ?? nameOf(table, entry, node), node, sizeBytes: table.contentBytesOf(entry) }
  }
  let rootCount = 0
  for (const _entry of rootEntries()) rootCount++
  // Most uploads have one root, which is asked for several times; many would need memory.
  const only = rootCount === 1 ? Array.from(rootEntries(), rootOf) : undefined
  return {
    rootCount,
    *roots() {
      if (only !== undefined) yield* only
      else for (const entry of rootEntries()) yield rootOf(entry)
    },
    *entries() {
      for (const file of filesOf(table)) yield describe(nameOf(table, file), table.nodeOf(file))
      for (const folder of written) yield describe(table.pathOf(folder), table.nodeOf(folder))
    },
  }
}

function* filesOf(table: EntryTable): Generator<number, void, undefined> {
  for (let entry = topEntry + 1; entry < table.size; entry++) if (!table.isFolder(entry)) yield entry
}

function hasSeveralTops(table: EntryTable): boolean {
  // The top folder and one file.
  if (table.size <= 2) return false
  const tops = new Set<string>()
  const count = (name: string): boolean => tops.add(name).size > 1
  for (const top of table.childrenOf(topEntry)) if (count(table.pathOf(top))) return true
  for (const file of filesOf(table)) if (table.isUnnamed(file) && count(nameOf(table, file))) return true
  return false
}

/** Returns the name of an entry; an unnamed file is named by its CID. */
function nameOf(table: EntryTable, entry: number, node?: ImportedNode): string {
  return table.isUnnamed(entry) ? (node ?? table.nodeOf(entry)).cid.toString() : table.pathOf(entry)
}

function describe(name: string, node: ImportedNode): UploadEntry {
  const fileSizeBytes = node.kind === 'file' ? node.fileSizeBytes : undefined
  return { Name: name, Hash: node.cid.toString(), Size: String(node.dagSizeBytes), fileSizeBytes }
}
