import { CID } from 'multiformats/cid'
import type { ImportedNode } from './block-sink.ts'
import { dataFieldLength, encodeDagPb, type LinkToEncode, linkLength } from './dag-pb.ts'
import type { ImportOptions } from './file-importer.ts'
import { writeHamt } from './hamt-writer.ts'
import type { ImportProfile } from './profiles.ts'
import { directoryData } from './unixfs-data.ts'
import { UnixfsError } from './unixfs-error.ts'
import { writeNode } from './write-node.ts'

/** Gathers imported files into folders. */
export type DirectoryTree = {
  /**
   * Places a file (or an imported folder or link) at `path`, segments parted by `/`; folders on the way appear.
   * @throws UnixfsError DUPLICATE_NAME, BAD_NAME, TOO_DEEP
   */
  addFile(path: string, node: ImportedNode): void
  /** Makes sure that the folder `path` exists, if only as an empty one. @throws UnixfsError as `addFile` */
  addDirectory(path: string): void
  /**
   * Writes all folders, children before parents. `directories` lists them in that order by path; the root has the
   * empty path.
   */
  finish(): Promise<{ root: ImportedNode; directories: { path: string; node: ImportedNode }[] }>
}

/** What a tree needs. */
export type DirectoryTreeOptions = ImportOptions & {
  /**
   * Whether the root is a folder around the first segments (so unless told). With `false` a single entry at the top is
   * the root itself, as `ipfs add -r folder` answers; several entries still need the folder around them.
   */
  wrap?: boolean
  /** Most folders in one another; 128 unless told. */
  maxDepth?: number
}

type Folder = Map<string, Folder | ImportedNode>

/** Longest name in bytes: 256 of them still fit into one block. */
const maxNameBytes = 4096
const utf8 = new TextEncoder()

/** Builds folders as Kubo does: links sorted by the bytes of their names, a HAMT beyond the profile's threshold. */
export function createDirectoryTree(options: DirectoryTreeOptions): DirectoryTree {
  const { profile, hash, sink, wrap = true, maxDepth = 128 } = options
  const top: Folder = new Map()

  const openFolder = (segments: readonly string[], path: string): Folder => {
    let folder = top
    for (const name of segments) {
      let next = folder.get(name)
      if (next === undefined) {
        next = new Map()
        folder.set(name, next)
      }
      if (!(next instanceof Map)) throw duplicate(path)
      folder = next
    }
    return folder
  }

  const writeFolder = async (folder: Folder, path: string, found: Directories): Promise<ImportedNode> => {
    const links: LinkToEncode[] = []
    for (const [name, entry] of folder) {
      const node =
        entry instanceof Map ? await writeFolder(entry, path === '' ? name : `${path}/${name}`, found) : entry
      links.push({ cid: node.cid.bytes, name: utf8.encode(name), sizeBytes: node.dagSizeBytes })
    }
    const written = isLarge(links, profile)
      ? await writeHamt(links, profile, hash, sink)
      : await writeNode(encodeDagPb(links.sort(byName), directoryData), links, profile, hash, sink)
    const node: ImportedNode = {
      cid: CID.decode(written.cid),
      fileSizeBytes: 0,
      dagSizeBytes: written.sizeBytes,
      kind: 'directory',
    }
    found.push({ path, node })
    return node
  }

  return {
    addFile(path, node) {
      const segments = splitPath(path, maxDepth)
      const name = segments.pop() ?? ''
      const folder = openFolder(segments, path)
      if (folder.has(name)) throw duplicate(path)
      folder.set(name, node)
    },
    addDirectory(path) {
      openFolder(splitPath(path, maxDepth), path)
    },
    async finish() {
      const directories: Directories = []
      const [first] = top
      if (wrap || first === undefined || top.size > 1) {
        return { root: await writeFolder(top, '', directories), directories }
      }
      const [name, entry] = first
      return { root: entry instanceof Map ? await writeFolder(entry, name, directories) : entry, directories }
    },
  }
}

type Directories = { path: string; node: ImportedNode }[]

/** @throws UnixfsError BAD_NAME, TOO_DEEP */
function splitPath(path: string, maxDepth: number): string[] {
  const segments = path.split('/')
  if (segments.length > maxDepth) throw new UnixfsError('TOO_DEEP', `A path of more than ${maxDepth} segments`)
  for (const name of segments) {
    const isPlain = name !== '' && name !== '.' && name !== '..' && !name.includes('\0') && name.isWellFormed()
    if (!isPlain || (name.length * 3 > maxNameBytes && utf8.encode(name).length > maxNameBytes)) {
      throw new UnixfsError('BAD_NAME', 'A path with a name that a folder cannot hold', { path: path.slice(0, 300) })
    }
  }
  return segments
}

function duplicate(path: string): UnixfsError {
  return new UnixfsError('DUPLICATE_NAME', 'Two entries with one name', { path })
}

function isLarge(links: readonly LinkToEncode[], profile: ImportProfile): boolean {
  let measured = profile.hamtMeasure === 'block' ? dataFieldLength(directoryData.length) : 0
  for (const { cid, name, sizeBytes } of links) {
    measured +=
      profile.hamtMeasure === 'block' ? linkLength(cid.length, name.length, sizeBytes) : cid.length + name.length
  }
  return measured > profile.hamtThresholdBytes
}

function byName({ name: a }: LinkToEncode, { name: b }: LinkToEncode): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
