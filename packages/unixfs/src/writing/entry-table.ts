import { CID } from 'multiformats/cid'
import type { LinkToEncode } from '../formats/dag-pb.ts'
import { UnixfsError } from '../unixfs-error.ts'
import type { ImportedNode } from './block-sink.ts'

/** Maximum length of a name in bytes: 256 of them still fit into one block. */
const maxNameBytes = 4096
const utf8 = new TextEncoder()
const text = new TextDecoder('utf-8', { ignoreBOM: true })

/** The top folder of every table. */
export const topEntry = 0
const none = -1
/** Kinds of entries; a folder's node is written from its children, the others come with theirs. */
const kinds = ['folder', 'file', 'directory', 'symlink'] as const
const folderKind = 0
const fileKind = 1
/** Integers of one entry, by their column in its row. */
const column = {
  kind: 0,
  isUnnamed: 1,
  parent: 2,
  firstChild: 3,
  lastChild: 4,
  sibling: 5,
  nameStart: 6,
  nameLength: 7,
  cidStart: 8,
  cidLength: 9,
} as const
const columns = Object.keys(column).length
/** Length of the names of unnamed files: CIDs. */
const unnamedCharacters = 64
const firstEntries = 4
const firstBytes = 256

/**
 * Upper bound of the memory of an entry in bytes, plus three times its name: its row, its key in the map of names, and
 * what writing its folder allocates for it.
 */
export const entryMemoryBytes = 320

/**
 * Names and nodes of folders and files in a few buffers, so that hundreds of thousands of entries use little memory.
 */
export type EntryTable = {
  /** Number of entries, numbered in insertion order; 0 is the top folder. */
  readonly size: number
  /**
   * Adds a file (or link) at `path`, segments separated by `/`; creates the folders on the way. `setNode` sets its node
   * later.
   * @throws UnixfsError DUPLICATE_NAME with the existing path, BAD_NAME, TOO_DEEP
   */
  addFile(path: string): number
  /**
   * Creates the folder `path` if it does not exist.
   * @throws UnixfsError as `addFile`
   */
  addFolder(path: string): number
  /** Adds a file without a folder. */
  addUnnamed(): number
  /**
   * Names an unnamed file in the top folder; false if another unnamed one has the name.
   * @throws UnixfsError DUPLICATE_NAME
   */
  place(entry: number, name: string): boolean
  /** @param contentBytes of the file, or of all files in a folder */
  setNode(entry: number, node: ImportedNode, contentBytes: number): void
  nodeOf(entry: number): ImportedNode
  contentBytesOf(entry: number): number
  /** Returns the link to an entry; its bytes, like those of `nameOf`, are valid until the next entry is added. */
  linkOf(entry: number): LinkToEncode
  nameOf(entry: number): Uint8Array
  /** Returns the sizes of the link without creating it. */
  linkSizesOf(entry: number): { cidBytes: number; nameBytes: number; sizeBytes: number }
  /** Returns the folder of an entry; -1 for the top and for unnamed files. */
  parentOf(entry: number): number
  /** Returns the path from the top; empty for the top and for unnamed files. */
  pathOf(entry: number): string
  isFolder(entry: number): boolean
  /** Returns whether the file was added without a name; it may have been placed since. */
  isUnnamed(entry: number): boolean
  /** Yields the entries of a folder, in insertion order. */
  childrenOf(entry: number): Generator<number, void, undefined>
}

/** Options of a table. */
export type EntryTableOptions = {
  /** Maximum depth of folders. @defaultValue 128 */
  maxDepth?: number | undefined
  /** Called before memory is allocated; may throw. */
  acquireMemory?: ((bytes: number) => void) | undefined
}

/** Creates a table with only its top folder. */
export function createEntryTable({
  maxDepth = 128,
  acquireMemory = () => undefined,
}: EntryTableOptions = {}): EntryTable {
  let size = 0
  let rows = new Int32Array(firstEntries * columns)
  /** Per entry: the bytes of its content, and those of its blocks. */
  let sizes = new Float64Array(firstEntries * 2)
  /** Names and CIDs, one after the other. */
  let bytes = new Uint8Array(firstBytes)
  let bytesEnd = 0
  /** Entries by parent and name. */
  const places = new Map<string, number>()

  /** Folder of the last file, because files arrive folder by folder. */
  let lastPath: string | undefined
  let lastFolder = topEntry

  const get = (entry: number, of: keyof typeof column): number => rows[entry * columns + column[of]] ?? none
  const set = (entry: number, of: keyof typeof column, value: number): void => {
    rows[entry * columns + column[of]] = value
  }

  const addRow = (kind: number): number => {
    const entry = size++
    if (rows.length < size * columns) {
      rows = copyTo(new Int32Array(rows.length * 2), rows)
      sizes = copyTo(new Float64Array(sizes.length * 2), sizes)
    }
    set(entry, 'kind', kind)
    rows.fill(none, entry * columns + column.parent, entry * columns + column.sibling + 1)
    return entry
  }

  const reserve = (length: number): number => {
    const start = bytesEnd
    bytesEnd += length
    if (bytes.length < bytesEnd) bytes = copyTo(new Uint8Array(Math.max(bytesEnd, bytes.length * 2)), bytes)
    return start
  }

  const append = (added: Uint8Array): number => {
    const start = reserve(added.length)
    bytes.set(added, start)
    return start
  }

  /** Appends a name and returns its length in bytes. */
  const appendName = (name: string): number => {
    const start = reserve(name.length)
    for (let at = 0; at < name.length; at++) {
      const code = name.charCodeAt(at)
      if (code > 0x7f) {
        bytesEnd = start
        const encoded = utf8.encode(name)
        append(encoded)
        return encoded.length
      }
      bytes[start + at] = code
    }
    return name.length
  }

  const keyOf = (parent: number, name: string): string => `${parent}/${name}`

  const attach = (entry: number, parent: number, name: string, key: string): void => {
    set(entry, 'nameStart', bytesEnd)
    set(entry, 'nameLength', appendName(name))
    set(entry, 'parent', parent)
    const last = get(parent, 'lastChild')
    if (last === none) set(parent, 'firstChild', entry)
    else set(last, 'sibling', entry)
    set(parent, 'lastChild', entry)
    places.set(key, entry)
  }

  const add = (parent: number, name: string, key: string, kind: number): number => {
    acquireMemory(entryMemoryBytes + 3 * name.length)
    const entry = addRow(kind)
    attach(entry, parent, name, key)
    return entry
  }

  /** Returns the folder of the segments, and creates missing ones. */
  const openFolder = (segments: readonly string[]): number => {
    let folder = topEntry
    for (const [depth, name] of segments.entries()) {
      const key = keyOf(folder, name)
      const found = places.get(key)
      if (found !== undefined && get(found, 'kind') !== folderKind) {
        throw duplicate(segments.slice(0, depth + 1).join('/'))
      }
      folder = found ?? add(folder, name, key, folderKind)
    }
    return folder
  }

  /** Returns the folder of the file at `path`, whose name has `nameLength` characters, and creates missing ones. */
  const folderOf = (path: string, nameLength: number): number => {
    const folderPath = path.slice(0, path.length - nameLength)
    if (folderPath !== lastPath) {
      lastFolder = openFolder(splitPath(path, maxDepth).slice(0, -1))
      lastPath = folderPath
    }
    return lastFolder
  }

  const nameOf = (entry: number): Uint8Array => {
    const start = get(entry, 'nameStart')
    return bytes.subarray(start, start + get(entry, 'nameLength'))
  }
  const cidOf = (entry: number): Uint8Array => {
    const start = get(entry, 'cidStart')
    return bytes.subarray(start, start + get(entry, 'cidLength'))
  }
  const contentBytesOf = (entry: number): number => sizes[entry * 2] ?? 0
  const dagSizeOf = (entry: number): number => sizes[entry * 2 + 1] ?? 0

  addRow(folderKind)
  return {
    get size() {
      return size
    },
    addFile(path) {
      const name = path.slice(path.lastIndexOf('/') + 1)
      requirePlain(name, path)
      const folder = folderOf(path, name.length)
      const key = keyOf(folder, name)
      if (places.has(key)) throw duplicate(path)
      return add(folder, name, key, fileKind)
    },
    addFolder: (path) => openFolder(splitPath(path, maxDepth)),
    addUnnamed() {
      acquireMemory(entryMemoryBytes + 3 * unnamedCharacters)
      const entry = addRow(fileKind)
      set(entry, 'isUnnamed', 1)
      return entry
    },
    place(entry, name) {
      const key = keyOf(topEntry, name)
      const taken = places.get(key)
      if (taken === undefined) attach(entry, topEntry, name, key)
      else if (get(taken, 'isUnnamed') === 0) throw duplicate(name)
      return taken === undefined
    },
    setNode(entry, { cid, dagSizeBytes, kind }, contentBytes) {
      // A folder stays a folder, whatever its node.
      if (get(entry, 'kind') !== folderKind) set(entry, 'kind', kinds.indexOf(kind))
      set(entry, 'cidStart', append(cid.bytes))
      set(entry, 'cidLength', cid.bytes.length)
      sizes[entry * 2] = contentBytes
      sizes[entry * 2 + 1] = dagSizeBytes
    },
    nodeOf(entry) {
      const kind = kinds[get(entry, 'kind')] ?? 'folder'
      return {
        // A copy: it outlives the buffer, which grows.
        cid: CID.decode(cidOf(entry).slice()),
        fileSizeBytes: kind === 'file' ? contentBytesOf(entry) : 0,
        dagSizeBytes: dagSizeOf(entry),
        kind: kind === 'folder' ? 'directory' : kind,
      }
    },
    contentBytesOf,
    nameOf,
    linkOf: (entry) => ({ cid: cidOf(entry), name: nameOf(entry), sizeBytes: dagSizeOf(entry) }),
    linkSizesOf: (entry) => ({
      cidBytes: get(entry, 'cidLength'),
      nameBytes: get(entry, 'nameLength'),
      sizeBytes: dagSizeOf(entry),
    }),
    parentOf: (entry) => get(entry, 'parent'),
    pathOf(entry) {
      const names: string[] = []
      for (let at = entry; at > topEntry; at = get(at, 'parent')) names.push(text.decode(nameOf(at)))
      return names.reverse().join('/')
    },
    isFolder: (entry) => get(entry, 'kind') === folderKind,
    isUnnamed: (entry) => get(entry, 'isUnnamed') === 1,
    *childrenOf(entry) {
      for (let at = get(entry, 'firstChild'); at !== none; at = get(at, 'sibling')) yield at
    },
  }
}

/** @throws UnixfsError BAD_NAME, TOO_DEEP */
function splitPath(path: string, maxDepth: number): string[] {
  const segments = path.split('/')
  if (segments.length > maxDepth) throw new UnixfsError('TOO_DEEP', `The path has more than ${maxDepth} segments`)
  for (const name of segments) requirePlain(name, path)
  return segments
}

/** @throws UnixfsError BAD_NAME */
function requirePlain(name: string, path: string): void {
  const isPlain = name !== '' && name !== '.' && name !== '..' && !name.includes('\0') && name.isWellFormed()
  if (!isPlain || (name.length * 3 > maxNameBytes && utf8.encode(name).length > maxNameBytes)) {
    throw new UnixfsError('BAD_NAME', 'The path contains a name that is not valid in a folder', {
      path: path.slice(0, 300),
    })
  }
}

function duplicate(path: string): UnixfsError {
  return new UnixfsError('DUPLICATE_NAME', 'Two entries have the same name', { path })
}

function copyTo<Numbers extends Int32Array | Float64Array | Uint8Array>(to: Numbers, from: Numbers): Numbers {
  to.set(from)
  return to
}
