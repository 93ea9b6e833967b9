import { hash as hashOnce } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type BlockSink,
  createDirectoryTree,
  createFileImporter,
  type ImportedNode,
  type ImportProfile,
  importSymlink,
} from '@cairn/unixfs'
import fc from 'fast-check'

/** A folder by names; bytes are files, and text is the target of a symbolic link. */
export type FileTree = Map<string, FileTree | Uint8Array | string>

const discard: BlockSink = { put: () => undefined }
const hash = (bytes: Uint8Array): Uint8Array => hashOnce('sha256', bytes, 'buffer')

/** Imports one file with our importer. */
export async function importFile(
  pieces: Iterable<Uint8Array>,
  profile: ImportProfile,
  sink: BlockSink = discard,
): Promise<ImportedNode> {
  const importer = createFileImporter({ profile, hash, sink })
  for (const piece of pieces) await importer.write(piece)
  return importer.finish()
}

/** Imports a folder with our importer. */
export async function importTree(
  tree: FileTree,
  profile: ImportProfile,
  sink: BlockSink = discard,
): Promise<ImportedNode> {
  const directories = createDirectoryTree({ profile, hash, sink })
  const visit = async (folder: FileTree, path: string): Promise<void> => {
    for (const [name, entry] of folder) {
      const entryPath = `${path}${name}`
      if (entry instanceof Map) {
        directories.addDirectory(entryPath)
        await visit(entry, `${entryPath}/`)
      } else if (typeof entry === 'string') {
        directories.addFile(entryPath, await importSymlink(entry, { profile, hash, sink }))
      } else directories.addFile(entryPath, await importFile([entry], profile, sink))
    }
  }
  await visit(tree, '')
  return (await directories.finish()).root
}

/** Writes a folder to the disk; disposing removes it. */
export async function writeTree(tree: FileTree): Promise<AsyncDisposable & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-tree-'))
  const visit = async (entries: FileTree, path: string): Promise<void> => {
    for (const [name, entry] of entries) {
      const entryPath = join(path, name)
      if (entry instanceof Map) {
        await mkdir(entryPath)
        await visit(entry, entryPath)
      } else if (typeof entry === 'string') await symlink(entry, entryPath)
      else await writeFile(entryPath, entry)
    }
  }
  await visit(tree, folder)
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** Names that a disk accepts: any well-formed text of at most 255 bytes without slash and NUL, including leading dots. */
export const fileNames = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 120 }),
  )
  .filter((name) => !/[/\0]/.test(name) && name !== '.' && name !== '..' && Buffer.byteLength(name) <= 255)

/** Folders of up to `maxEntries` entries each, three levels deep, with files of up to `maxFileBytes`. */
export function fileTrees(maxEntries: number, maxFileBytes: number): fc.Arbitrary<FileTree> {
  const { tree } = fc.letrec<{ tree: FileTree; entry: FileTree | Uint8Array | string }>((tie) => ({
    tree: fc
      .uniqueArray(fc.tuple(fileNames, tie('entry')), { maxLength: maxEntries, selector: ([name]) => name })
      .map((entries) => new Map(entries)),
    entry: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'folders' },
      { weight: 6, arbitrary: fc.uint8Array({ maxLength: maxFileBytes }) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 30 }) },
      { weight: 2, arbitrary: tie('tree') },
    ),
  }))
  return tree
}

/** Folders of up to `maxEntries` small files, large ones as likely as small ones, beside a smaller tree. */
export function wideFolders(maxEntries: number): fc.Arbitrary<FileTree> {
  const wide = fc.uniqueArray(fc.tuple(fileNames, fc.uint8Array({ maxLength: 3 })), {
    maxLength: maxEntries,
    size: 'max',
    selector: ([name]) => name,
  })
  return fc
    .tuple(wide, fileTrees(8, 20))
    .map(([entries, tree]) => new Map<string, FileTree | Uint8Array | string>([...tree, ...entries, ['in', tree]]))
}

/** Bytes that look random and are the same each time: no two of their chunks are equal. */
export function* patternedBytes(lengthBytes: number, seed: number, pieceBytes = 1_048_576): Generator<Uint8Array> {
  let state = seed | 1
  for (let at = 0; at < lengthBytes; at += pieceBytes) {
    const words = new Uint32Array(Math.ceil(Math.min(pieceBytes, lengthBytes - at) / 4))
    for (let index = 0; index < words.length; index++) {
      // xorshift32
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      words[index] = state
    }
    yield new Uint8Array(words.buffer, 0, Math.min(pieceBytes, lengthBytes - at))
  }
}
