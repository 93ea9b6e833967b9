import { CID } from 'multiformats/cid'
import { dataFieldLength, encodeDagPb, type LinkToEncode, linkLength } from '../formats/dag-pb.ts'
import { directoryData } from '../formats/unixfs-data.ts'
import type { ImportedNode } from './block-sink.ts'
import { createEntryTable, type EntryTable, topEntry } from './entry-table.ts'
import type { ImportOptions } from './file-importer.ts'
import type { ImportProfile } from './profiles.ts'
import { writeNode } from './write-node.ts'

/** Collects imported files into folders. */
export type DirectoryTree = {
  /**
   * Places a file (or an imported folder or link) at `path`, segments separated by `/`; creates the folders on the way.
   * @throws UnixfsError DUPLICATE_NAME, BAD_NAME, TOO_DEEP
   */
  addFile(path: string, node: ImportedNode): void
  /**
   * Creates the folder `path` if it does not exist.
   * @throws UnixfsError as `addFile`
   */
  addDirectory(path: string): void
  /**
   * Writes all folders, children before parents. `directories` lists them in that order by path; the root has the empty
   * path.
   */
  finish(): Promise<{ root: ImportedNode; directories: { path: string; node: ImportedNode }[] }>
}

/** Options of a tree. */
export type DirectoryTreeOptions = ImportOptions & {
  /**
   * Whether the root is a folder around the first segments. Defaults to true. With `false` a single entry at the top is
   * the root itself, as in `ipfs add -r folder`; several entries still need the folder around them.
   */
  wrap?: boolean
  /** Maximum depth of nested folders. Defaults to 128. */
  maxDepth?: number
}

/** Builds folders like Kubo: links sorted by the bytes of their names, a HAMT beyond the threshold of the profile. */
export function createDirectoryTree(options: DirectoryTreeOptions): DirectoryTree {
  const { wrap = true, maxDepth } = options
  const table = createEntryTable({ maxDepth })
  return {
    addFile: (path, node) => table.setNode(table.addFile(path), node, node.fileSizeBytes),
    addDirectory: (path) => void table.addFolder(path),
    async finish() {
      const written: number[] = []
      const [first, second] = table.childrenOf(topEntry)
      const root = wrap || first === undefined || second !== undefined ? topEntry : first
      if (table.isFolder(root)) await writeFolder(table, root, options, (folder) => written.push(folder))
      const directories = written.map((folder) => ({ path: table.pathOf(folder), node: table.nodeOf(folder) }))
      return { root: table.nodeOf(root), directories }
    },
  }
}

/**
 * Writes a folder of a table and all folders in it, children before parents.
 * @param onWritten called with each, in that order
 */
export async function writeFolder(
  table: EntryTable,
  folder: number,
  options: ImportOptions,
  onWritten: (folder: number) => void,
): Promise<void> {
  const { profile, hash, sink } = options
  let contentBytes = 0
  for (const child of table.childrenOf(folder)) {
    if (table.isFolder(child)) await writeFolder(table, child, options, onWritten)
    contentBytes += table.contentBytesOf(child)
  }
  // Few folders are large enough to be sharded, so pages load the code that writes them on demand.
  const written = isLarge(table, folder, profile)
    ? await (await import('./hamt-writer.ts')).writeHamt(table, folder, profile, hash, sink)
    : await writePlain(table, folder, options)
  const node: ImportedNode = {
    cid: CID.decode(written.cid),
    fileSizeBytes: 0,
    dagSizeBytes: written.sizeBytes,
    kind: 'directory',
  }
  table.setNode(folder, node, contentBytes)
  onWritten(folder)
}

function writePlain(
  table: EntryTable,
  folder: number,
  { profile, hash, sink }: ImportOptions,
): LinkToEncode | Promise<LinkToEncode> {
  const links = Array.from(table.childrenOf(folder), table.linkOf).sort(byName)
  return writeNode(encodeDagPb(links, directoryData), links, profile, hash, sink)
}

function isLarge(table: EntryTable, folder: number, profile: ImportProfile): boolean {
  const isBlock = profile.hamtMeasure === 'block'
  let measured = isBlock ? dataFieldLength(directoryData.length) : 0
  let links = 0
  for (const child of table.childrenOf(folder)) {
    const { cidBytes, nameBytes, sizeBytes } = table.linkSizesOf(child)
    links++
    measured += isBlock ? linkLength(cidBytes, nameBytes, sizeBytes) : cidBytes + nameBytes
  }
  return measured > profile.hamtThresholdBytes || links > (profile.maxFolderLinks ?? links)
}

function byName({ name: a }: LinkToEncode, { name: b }: LinkToEncode): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
