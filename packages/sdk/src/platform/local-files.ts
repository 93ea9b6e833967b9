import { isUtf8 } from 'node:buffer'
import type { Dirent } from 'node:fs'
import { open, readdir, readlink, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { CairnError, partTypes } from '@cairn/protocol'
import { importSymlink, sortAsWalked } from '@cairn/unixfs'
import { lookup } from 'mrmime'
import { emptyFolder } from '../local/empty-folder.ts'
import { changed, readSmall, smallFileBytes } from '../local/read-small.ts'
import { unreadable } from '../local/unreadable.ts'
import { isHidden, type LocalFile, type LocalPath, type WalkOptions } from '../local-source.ts'

const pieceBytes = 1024 * 1024
/** Files that are passed on together. */
const groupFiles = 256
/** Node gives it for bytes of a name that are not UTF-8. */
const replacement = '\ufffd'

/**
 * Opens a file or folder on disk.
 * @throws CairnError FILE_UNREADABLE, also for names that are not UTF-8
 */
export async function openPath(path: string): Promise<LocalPath> {
  // An empty one would be the current folder.
  if (!path) throw new CairnError('FILE_UNREADABLE', { message: 'The path is empty' })
  const full = resolve(path)
  for (let at = full; at.includes(replacement); at = dirname(at)) await requireUtf8(dirname(at), basename(at))
  const found = await stat(full).catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
  if (found.isFile()) return { kind: 'file', file: diskFile(full, basename(full), found.size) }
  if (!found.isDirectory())
    throw new CairnError('FILE_UNREADABLE', {
      message: `${path} is neither a file nor a folder`,
      hint: 'Upload its output as a stream: uploadStream, or a pipe to `cairn upload -`.',
    })
  const name = basename(full)
  return {
    kind: 'directory',
    name,
    files: ({ keepsFolders = false, ...options } = {}) => walkFiles(full, name, options, keepsFolders),
    entries: (options = {}) => walk(full, name, options, sortAsWalked),
  }
}

async function* walkFiles(
  folder: string,
  name: string,
  options: WalkOptions,
  keepsFolders: boolean,
): AsyncGenerator<LocalFile> {
  for await (const group of walk(folder, name, options, byName)) {
    for (const entry of group) {
      if (entry.kind === undefined || (keepsFolders && entry.kind === 'folder')) yield entry
      else options.onLeftOut?.(entry.name)
    }
  }
}

/** Returns the entries of a folder in the order in which they are passed on. */
type Order = (entries: readonly Dirent[]) => Dirent[]

const byName: Order = (entries) => entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))

/**
 * Yields the files, links and empty folders below a folder in groups, or the folder itself if it is empty. Does not follow links:
 * they could leave the folder or form a cycle.
 */
async function* walk(
  folder: string,
  name: string,
  options: WalkOptions,
  order: Order,
): AsyncGenerator<readonly LocalFile[]> {
  const { onLeftOut, hidden = true } = options
  const found = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw unreadable(folder, cause)
  })
  const entries = hidden ? found : found.filter((entry) => !isHidden(entry.name))
  if (entries.length === 0) yield [emptyFolder(name)]
  if (entries.some((entry) => entry.name.includes(replacement))) await requireUtf8(folder)
  const start = folder.endsWith(sep) ? folder : `${folder}${sep}`
  let group: LocalFile[] = []
  for (const entry of order(entries)) {
    const path = `${start}${entry.name}`
    const ownName = `${name}/${entry.name}`
    if (entry.isDirectory()) {
      yield group
      group = []
      yield* walk(path, ownName, options, order)
    } else if (entry.isFile()) group.push(diskFile(path, ownName, undefined))
    else if (entry.isSymbolicLink()) group.push(await diskLink(path, ownName))
    else onLeftOut?.(ownName)
    if (group.length < groupFiles) continue
    yield group
    group = []
  }
  yield group
}

async function diskLink(path: string, name: string): Promise<LocalFile> {
  const target = await readlink(path, 'buffer').catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
  if (!isUtf8(target)) throw new CairnError('FILE_UNREADABLE', { message: `The target of ${path} is not valid UTF-8` })
  return {
    kind: 'link',
    name,
    sizeBytes: target.length,
    mimeType: partTypes.symbolicLink,
    canReopen: true,
    open: () => [target],
    place: async (tree, placed, importing) => tree.addFile(placed, await importSymlink(target.toString(), importing)),
  }
}

/**
 * Refuses a name that is not UTF-8: under the one that Node gives for it, there is no file, or another one.
 * @param name as Node gives it; all names of the folder by default
 */
async function requireUtf8(folder: string, name?: string): Promise<void> {
  // A folder that cannot be read is reported by its reader.
  const found = await readdir(folder, { encoding: 'buffer' }).catch(() => [])
  const wrong = found.find((bytes) => !isUtf8(bytes) && (name === undefined || bytes.toString() === name))
  if (wrong === undefined) return
  const shown = wrong.toString('latin1').replace(/[^ -~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`)
  throw new CairnError('FILE_UNREADABLE', {
    message: `The name of ${join(folder, shown)} is not valid UTF-8`,
    hint: 'Rename it: upload names must be UTF-8.',
  })
}

function diskFile(path: string, name: string, sizeBytes: number | undefined): LocalFile {
  return { name, path, sizeBytes, canReopen: true, open: () => readDisk(path, sizeBytes) }
}

async function* readDisk(path: string, sizeBytes: number | undefined): AsyncGenerator<Uint8Array> {
  const small = readSmall(path, sizeBytes, Buffer.allocUnsafe)
  if (small === undefined) yield* readPieces(path, sizeBytes)
  else if (small.length > 0) yield small
}

async function* readPieces(path: string, expectedBytes: number | undefined): AsyncGenerator<Uint8Array> {
  const file = await open(path).catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
  try {
    const sizeBytes = expectedBytes ?? (await file.stat()).size
    // Three buffers: one is filled while one is hashed and one is sent.
    const buffers = Array.from({ length: sizeBytes > smallFileBytes ? 3 : 1 }, () =>
      Buffer.allocUnsafe(Math.min(pieceBytes, sizeBytes + 1)),
    )
    let total = 0
    for (let turn = 0; ; turn++) {
      const buffer = buffers[turn % buffers.length] ?? Buffer.alloc(0)
      const { bytesRead } = await file.read(buffer, 0, buffer.length, total)
      if (bytesRead === 0) break
      total += bytesRead
      if (total > sizeBytes) break
      yield buffer.subarray(0, bytesRead)
    }
    if (total !== sizeBytes) throw changed(path)
  } finally {
    await file.close()
  }
}

/**
 * Returns the size in bytes of a file on disk.
 * @throws CairnError FILE_UNREADABLE
 */
export async function measure(file: LocalFile): Promise<number> {
  const path = file.path ?? ''
  const { size } = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
  return size
}

/** Returns the MIME type for the extension of a name, or false. */
export function mimeTypeOf(name: string): string | false {
  return lookup(name) ?? false
}
