import { CairnError } from '@cairn/protocol'
import {
  type BlockSink,
  createFileImporter,
  type DirectoryEntry,
  encodeCarFrame,
  encodeCarHeader,
  type ImportedNode,
  type ImportOptions,
  listDirectory,
  loadDirectoryTree,
  profileFor,
  resolvePath,
} from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { hashSha256 } from '#platform/native-crypto'
import type { Client } from '../client.ts'
import { describeDamage, rawCodec } from '../download/car-source.ts'
import { parseContentPath } from '../download/content-path.ts'
import { openOwnSource } from '../download/open-own-source.ts'
import { isPrivateRoot } from '../download/private-roots.ts'
import type { LocalFile } from '../local-source.ts'
import { createProgress } from '../progress.ts'
import { listFiles, type NewFolder, newFiles, notFound, type Removals, toFolder, toRemovals } from './folder-changes.ts'
import { discard, type UploadOptions, type UploadResult } from './send-files.ts'
import { uploadCar } from './upload-car.ts'
import type { FolderSource } from './upload-folder.ts'

/** What {@link changeFolder} changes. */
export type FolderChanges = {
  /**
   * Files to put, as for `uploadFolder`, or the path of one file (Node): their folders are merged with those of the stored folder, and files of the same path are
   * replaced. They are read twice: for their CIDs, and to be sent.
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
 * Uploads a changed copy of a stored folder and returns its CID; the folder itself stays. Only new files and the blocks of the
 * folders above a change are sent.
 * @param cidPath a public folder, by `cid` or `cid/path/below`
 * @throws CairnError NOT_A_DIRECTORY, PATH_NOT_FOUND for a path to remove, NO_FILE without a change,
 *   FILE_EXISTS if a file would replace a folder or the reverse, which takes a removal, NOT_SUPPORTED for a private
 *   folder, FILE_CHANGED, CID_MISMATCH, and those of uploadFolder
 */
export async function changeFolder(
  client: Client,
  cidPath: string,
  { put, at, remove = [] }: FolderChanges,
  options: Pick<UploadOptions, 'name' | 'announce' | 'onLeftOut' | 'signal' | 'onProgress'> = {},
): Promise<UploadResult> {
  const { name = 'folder', signal, onProgress, onLeftOut, announce } = options
  const root = parseContentPath(cidPath)
  const files = put === undefined ? [] : await listFiles(put, at, onLeftOut)
  if (files.length === 0 && remove.length === 0) {
    throw new CairnError('NO_FILE', { message: 'Nothing to put or remove' })
  }
  const read = (path: readonly string[], scope: 'entity' | 'block' = 'entity') =>
    listStored(client, [cidPath, ...path].join('/'), scope, signal)
  const stored = await read([])
  if (stored === undefined) throw new CairnError('NOT_A_DIRECTORY')
  if (isPrivateRoot(client, root)) {
    throw new CairnError('NOT_SUPPORTED', {
      message: 'A private folder cannot be changed',
      hint: 'Upload the whole folder again: stored blocks do not count for private uploads.',
    })
  }

  const blocks: { cid: CID; bytes: Uint8Array }[] = []
  const sink: BlockSink = { put: (cid, bytes) => void blocks.push({ cid, bytes: bytes.slice() }) }
  const importing = { profile: profileFor(root.root.version), hash: hashSha256, sink }
  const reading = createProgress('prepare', undefined, onProgress)
  const tree = (await loadDirectoryTree())(importing)

  const merge = async (
    path: readonly string[],
    before: readonly DirectoryEntry[],
    added: NewFolder,
    removed: Removals,
  ): Promise<void> => {
    if (path.length > 0) tree.addDirectory(path.join('/'))
    const known = new Map(before.map((entry) => [entry.name, entry]))
    for (const one of removed.keys()) {
      if (!known.has(one)) throw notFound([...path, one])
    }
    for (const entry of before) {
      const below = [...path, entry.name]
      const newer = added.get(entry.name)
      const gone = removed.get(entry.name)
      if (removed.has(entry.name) && gone === undefined) continue
      if (newer !== undefined && !(newer instanceof Map)) {
        if (entry.cid.code !== rawCodec && (await read(below, 'block')) !== undefined) throw exists(below, 'folder')
        continue
      }
      if (newer === undefined && gone === undefined) {
        // Links do not tell files from folders, and do not have to.
        tree.addFile(below.join('/'), { ...unknownKind, cid: entry.cid, dagSizeBytes: entry.sizeBytes ?? 0 })
        continue
      }
      const inside = await read(below)
      if (inside === undefined && gone !== undefined) throw notFound([...below, ...gone.keys()])
      if (inside === undefined) throw exists(below, 'file')
      await merge(below, inside, newer ?? new Map(), gone ?? new Map())
    }
    for (const [one, newer] of added) {
      const below = [...path, one]
      if (newer instanceof Map) {
        if (!known.has(one) || (removed.has(one) && removed.get(one) === undefined)) {
          await merge(below, [], newer, new Map())
        }
        continue
      }
      const { file } = newer
      if (file.place !== undefined) {
        await file.place(tree, below.join('/'), importing)
        continue
      }
      newer.node = await importFile(file, { ...importing, sink: discard }, reading.add, signal)
      tree.addFile(below.join('/'), newer.node)
    }
  }
  const added = toFolder(files)
  await merge([], stored, added, toRemovals(remove))
  const node = (await tree.finish()).root

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
    ...(signal === undefined ? {} : { signal }),
  })
  const cid = node.cid.toString()
  if (result.cid !== cid) throw new CairnError('CID_MISMATCH', { details: { computed: cid, answered: [result.cid] } })
  sending.done()
  return { ...result, sizeBytes: totalBytes, dagSizeBytes: node.dagSizeBytes }
}

/** An entry that is linked as it is. */
const unknownKind = { kind: 'file', fileSizeBytes: 0 } as const

function exists(names: readonly string[], kind: string): CairnError {
  return new CairnError('FILE_EXISTS', {
    message: `${names.join('/')} is a ${kind}`,
    hint: 'Remove it in the same change, or use another path.',
  })
}

function* frame(cid: CID, bytes: Uint8Array): Generator<Uint8Array> {
  yield encodeCarFrame(cid, bytes.length)
  yield bytes
}

/** Lists a stored folder, verified; undefined if the path is no folder. Lists nothing of the scope `block`. */
async function listStored(
  client: Client,
  cidPath: string,
  scope: 'entity' | 'block',
  signal: AbortSignal | undefined,
): Promise<DirectoryEntry[] | undefined> {
  const path = parseContentPath(cidPath)
  const source = await openOwnSource(client, path, { scope }, signal)
  try {
    const { cid, kind } = await resolvePath(source, path.root, path.segments)
    if (kind !== 'directory' && kind !== 'hamt') return undefined
    const entries: DirectoryEntry[] = []
    if (scope === 'block') return entries
    source.repeatLast(cid)
    for await (const entry of listDirectory(source, cid)) entries.push(entry)
    return entries
  } catch (error) {
    throw describeDamage(error, signal)
  } finally {
    await source.close()
  }
}

async function importFile(
  file: LocalFile,
  importing: ImportOptions,
  count: (bytes: number) => void,
  signal: AbortSignal | undefined,
): Promise<ImportedNode> {
  const importer = createFileImporter(importing)
  for await (const piece of file.open()) {
    if (signal?.aborted === true) throw new CairnError('ABORTED', { cause: signal.reason })
    await importer.write(piece)
    count(piece.length)
  }
  return importer.finish()
}
