import { CairnError } from '@cairn/protocol'
import { loadDirectoryTree } from '@cairn/unixfs'
import { hashSha256 } from '#platform/native-crypto'
import { type IndexedFile, indexName, writeFolderIndex } from '../encryption/folder-index.ts'
import type { LocalFile } from '../local-source.ts'
import { type EncryptedPart, type EncryptPartOptions, encryptPart } from './encrypt-part.ts'
import { partHead } from './multipart.ts'
import { discard, profileOf } from './write-body.ts'

/**
 * Encrypts a folder as one: yields the parts of a multipart body, all under one key, with their names in an encrypted
 * index at the end.
 * @returns the name of the folder, the bytes of its files, and its root
 * @throws CairnError NO_FILE, INVALID_PATH (files of several folders)
 */
export async function* encryptFolder(
  files: AsyncIterable<LocalFile> | Iterable<LocalFile>,
  boundary: string | undefined,
  masterKey: string,
  given: EncryptPartOptions,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array, EncryptedPart & { name: string }, undefined> {
  const options: EncryptPartOptions = { ...given, format: 'v2' }
  const createDirectoryTree = await loadDirectoryTree()
  const tree = createDirectoryTree({ profile: profileOf(options), hash: hashSha256, sink: discard })
  const indexed: IndexedFile[] = []
  let top: string | undefined
  let total = 0
  const folders: string[] = []
  for await (const file of files) {
    const slash = file.name.indexOf('/')
    // An empty folder is its only entry.
    if (slash === -1 && file.kind === 'folder') {
      top = file.name
      continue
    }
    const own = file.name.slice(0, Math.max(0, slash))
    top ??= own
    if (file.kind === 'folder') {
      folders.push(file.name.slice(slash + 1))
      continue
    }
    if (slash < 1 || own !== top)
      throw new CairnError('INVALID_PATH', { message: `Not a file of the folder ${top}: ${file.name}` })
    const entry = String(indexed.length)
    yield partHead(boundary, { name: `${top}/${entry}` }, indexed.length === 0)
    const { node, sizeBytes } = yield* encryptPart(file, masterKey, options, count)
    tree.addFile(entry, node)
    indexed.push({ path: file.name.slice(slash + 1), entry, sizeBytes })
    total += sizeBytes
  }
  if (top === undefined) throw new CairnError('NO_FILE', { message: 'No file to upload' })
  const bytes = writeFolderIndex(indexed, folders)
  const index: LocalFile = { name: indexName, sizeBytes: bytes.length, canReopen: true, open: () => [bytes] }
  yield partHead(boundary, { name: `${top}/${indexName}` }, indexed.length === 0)
  const { node } = yield* encryptPart(index, masterKey, options, () => undefined)
  tree.addFile(indexName, node)
  return { name: top, sizeBytes: total, node: (await tree.finish()).root }
}
