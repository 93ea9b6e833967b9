import { CairnError } from '@cairn/protocol'
import {
  type BlockSink,
  createFileImporter,
  encodeCarFrame,
  encodeCarHeader,
  type ImportedNode,
  loadDirectoryTree,
  profileFor,
} from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { hashSha256 } from '#platform/native-crypto'
import type { Client } from '../client.ts'
import { isEncrypted } from '../decryption/is-encrypted.ts'
import { parseContentPath } from '../download/content-path.ts'
import { isFolder } from '../download/is-folder.ts'
import { type FolderItem, listDirectory } from '../download/list-directory.ts'
import { isPrivateRoot } from '../download/private-roots.ts'
import { mayBeEncryptedFolder } from '../encryption/folder-index.ts'
import type { LocalFile } from '../local-source.ts'
import { createProgress } from '../progress.ts'
import { listFiles, newFiles, toFolder, toRemovals } from './folder-changes.ts'
import { mergeFolder } from './merge-folder.ts'
import { rethrowUnixfs } from './post-multipart.ts'
import type { UploadOptions, UploadResult } from './send-files.ts'
import { uploadCar } from './upload-car.ts'
import type { FolderSource } from './upload-folder.ts'

/** What {@link changeFolder} changes. */
export type FolderChanges = {
  /**
   * Files to put, as for `uploadFolder`, or the path of one file (Node). Their folders are merged with those of the stored folder,
   * and files of the same path are replaced. They are read twice: for their CIDs, and to be sent.
   */
  put?: FolderSource
  /**
   * Where in the folder it is put: for one file on disk its path, or its folder with a `/` at the end; otherwise the folder that it is
   * merged with. Defaults to the top.
   */
  at?: string
  /** Paths to remove, of files and of folders with all they contain. */
  remove?: readonly string[]
}

/**
 * Uploads a changed copy of a stored folder and returns its CID; the folder itself does not change. Sends only new files and the
 * blocks of the folders above a change.
 * @param cidPath a public folder, by `cid` or `cid/path/below`
 * @throws CairnError NOT_A_DIRECTORY, PATH_NOT_FOUND for a path to remove, NO_FILE without a change, FILE_EXISTS if a file would
 *   replace a folder or the reverse (remove it in the same change), NOT_SUPPORTED for a private folder and one encrypted as one,
 *   FILE_CHANGED, CID_MISMATCH, and those of uploadFolder
 */
export async function changeFolder(
  client: Client,
  cidPath: string,
  changes: FolderChanges,
  options: Pick<UploadOptions, 'name' | 'announce' | 'onLeftOut' | 'signal' | 'onProgress'> = {},
): Promise<UploadResult> {
  // Programs without types pass nothing.
  const { put, at, remove = [] } = changes ?? {}
  const { name = 'folder', signal, onProgress, onLeftOut, announce } = options
  const root = parseContentPath(cidPath)
  const stop = signal === undefined ? {} : { signal }
  const files = put === undefined ? [] : await listFiles(put, at, onLeftOut)
  if (files.length === 0 && remove.length === 0) {
    throw new CairnError('NO_FILE', { message: 'Nothing to add or remove' })
  }
  const pathTo = (path: readonly string[]) => [cidPath, ...path].join('/')
  const stored = await listStored(client, cidPath, stop)
  if (stored === undefined) throw new CairnError('NOT_A_DIRECTORY')
  if (isPrivateRoot(client, root)) {
    throw new CairnError('NOT_SUPPORTED', {
      message: 'A private folder cannot be changed',
      hint: 'Upload the whole folder again: stored blocks do not count for private uploads.',
    })
  }
  // New files would be public, and the copy would have no key.
  if (
    mayBeEncryptedFolder(stored.map((item) => item.name)) &&
    (await isEncrypted(client, root.root.toString(), stop))
  ) {
    throw new CairnError('NOT_SUPPORTED', {
      message: 'A folder encrypted as one cannot be changed',
      hint: 'Encrypt and upload the whole folder again.',
    })
  }

  const blocks: { cid: CID; bytes: Uint8Array }[] = []
  const sink: BlockSink = { put: (cid, bytes) => void blocks.push({ cid, bytes: bytes.slice() }) }
  const importing = { profile: profileFor(root.root.version), hash: hashSha256, sink }
  const reading = createProgress('prepare', undefined, onProgress)
  const tree = (await loadDirectoryTree())(importing)

  const added = toFolder(files)
  const merging = {
    tree,
    importing,
    list: (path: readonly string[]) => listStored(client, pathTo(path), stop),
    isFolder: (path: readonly string[]) => isFolder(client, pathTo(path), stop),
    count: reading.add,
    signal,
  }
  await mergeFolder(merging, [], stored, added, toRemovals(remove)).catch(rethrowUnixfs)
  const node = (await tree.finish().catch(rethrowUnixfs)).root

  const fresh = Array.from(newFiles(added))
  const totalBytes = fresh.reduce((sum, { node: one }) => sum + (one?.fileSizeBytes ?? 0), 0)
  const sending = createProgress('send', totalBytes, onProgress)
  async function* car(): AsyncGenerator<Uint8Array> {
    yield encodeCarHeader([node.cid])
    for (const { file, path, node: expected } of fresh) yield* sendFile(file, path, expected)
    for (const { cid, bytes } of blocks) yield* frame(cid, bytes)
  }
  async function* sendFile(file: LocalFile, path: string, expected: ImportedNode | undefined) {
    let ready: Uint8Array[] = []
    const queue: BlockSink = { put: (cid, bytes) => void ready.push(...frame(cid, bytes.slice())) }
    const importer = createFileImporter({ ...importing, sink: queue })
    for await (const piece of file.open()) {
      await importer.write(piece)
      sending.add(piece.length)
      yield* ready
      ready = []
    }
    const { cid } = await importer.finish()
    if (expected?.cid.equals(cid) !== true) {
      throw new CairnError('FILE_CHANGED', { message: `${path} was changed while it was uploaded` })
    }
    yield* ready
  }
  const result = await uploadCar(client, car(), {
    name,
    ...(announce === undefined ? {} : { announce }),
    ...stop,
  })
  const cid = node.cid.toString()
  if (result.cid !== cid) throw new CairnError('CID_MISMATCH', { details: { computed: cid, answered: [result.cid] } })
  sending.done()
  return { ...result, sizeBytes: totalBytes, dagSizeBytes: node.dagSizeBytes }
}

function* frame(cid: CID, bytes: Uint8Array): Generator<Uint8Array> {
  yield encodeCarFrame(cid, bytes.length)
  yield bytes
}

/** Lists a stored folder; undefined if the path is no folder. */
async function listStored(client: Client, cidPath: string, options: { signal?: AbortSignal }) {
  const items: FolderItem[] = []
  try {
    for await (const item of listDirectory(client, cidPath, options)) items.push(item)
    return items
  } catch (error) {
    if (CairnError.is(error, 'NOT_A_DIRECTORY')) return undefined
    throw error
  }
}
