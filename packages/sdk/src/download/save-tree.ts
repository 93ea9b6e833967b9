import { CairnError, forEachOf } from '@cairn/protocol'
import { clearUnfinished, joinPath, makeFolderInside } from '#platform/folder-entries'
import { type NewFile, writePart, writeTogether, writeWhole } from '#platform/part-file'
import type { Client } from '../client.ts'
import type { ProgressMeter } from '../progress.ts'
import { createDistinctNames, type DistinctNames } from './distinct-names.ts'
import { readAll } from './open-file.ts'
import type { OpenTree } from './open-tree.ts'
import { smallFileBytes } from './save-file.ts'

/** Files that are written, synced and moved together. */
const batchFiles = 128
const batchBytes = 8 * 1024 * 1024
/** Two batches are written while the next one arrives. */
const batchesAtOnce = 3
/** A folder of at most this size arrives in one response, and a larger one if its entries are small on average. */
const oneResponseBytes = 256 * 1024 * 1024
const smallEntryBytes = 1024 * 1024
/** As above, for a folder that an earlier call left unfinished: smaller, because the response repeats what was saved. */
const continuedResponseBytes = 8 * 1024 * 1024
const continuedEntryBytes = 64 * 1024
/** Files above this size keep what was received of them. */
const maxLostBytes = 8 * 1024 * 1024

/** A symbolic link, with its names from the top. */
type Link = { readonly names: readonly string[]; readonly target: string }

/** What a download of a folder has done, and how. */
export type FolderDownload = {
  readonly client: Client
  readonly target: string
  readonly overwrite: boolean
  readonly signal: AbortSignal | undefined
  readonly progress: ProgressMeter
  /** Bytes of the files in progress that were reported, by path. */
  readonly reported: Map<string, number>
  /** Paths of completed files. */
  readonly done: Set<string>
  /** Links by their paths, made last, so that no file is written through one. */
  readonly links: Map<string, Link>
  /** Paths of folders below the target that this download has made. */
  readonly made: Set<string>
  /** Bytes of completed files. */
  sizeBytes: number
}

/** Starts a download of a folder. */
export function openFolderDownload(
  settings: Pick<FolderDownload, 'client' | 'target' | 'overwrite' | 'signal' | 'progress'>,
): FolderDownload {
  return { ...settings, reported: new Map(), done: new Set(), links: new Map(), made: new Set(), sizeBytes: 0 }
}

/**
 * Whether files are fetched in one response, by their sizes. These are claims of the folder: a wrong one makes the download
 * slower, not wrong.
 */
export function fitsOneResponse(sizes: readonly number[], isNew: boolean): boolean {
  const totalBytes = sizes.reduce((sum, sizeBytes) => sum + sizeBytes, 0)
  const [leastBytes, entryBytes] = isNew
    ? [oneResponseBytes, smallEntryBytes]
    : [continuedResponseBytes, continuedEntryBytes]
  return totalBytes <= Math.max(leastBytes, sizes.length * entryBytes)
}

/**
 * Creates a folder below the target. A folder that this download created is used again, because no other name of the content
 * leads to it. Returns false if an earlier download left it.
 */
export async function makeFolderOnce({ made, overwrite }: FolderDownload, path: string): Promise<boolean> {
  const isOwn = made.has(path)
  const isNew = await makeFolderInside(path, overwrite || isOwn)
  if (isNew) made.add(path)
  return isNew || isOwn
}

/**
 * Saves the contents of a folder from one response. Returns false if that failed: the caller then fetches the missing files one
 * by one, and reports their errors.
 * @param open opens the response
 */
export async function saveTree(
  download: FolderDownload,
  open: () => Promise<OpenTree>,
  above: readonly string[],
): Promise<boolean> {
  const { signal, overwrite } = download
  const tree = await open().catch((error: unknown) => {
    if (signal?.aborted === true) throw error
  })
  if (tree === undefined) return false
  await forEachOf(readBatches(download, tree, above), batchesAtOnce, async (files) => {
    await writeTogether(files, overwrite)
    for (const { target: path, bytes } of files) complete(download, path, bytes.length)
  })
  return tree.failure === undefined
}

/**
 * Creates the folders of a tree, saves its large files, notes its links, and returns the small files in batches, also those
 * before a failure.
 */
async function* readBatches(
  download: FolderDownload,
  tree: OpenTree,
  above: readonly string[],
): AsyncGenerator<NewFile[], void, undefined> {
  const { signal, overwrite, target, done, links } = download
  /** Names by their folders. */
  const taken = new Map<string, DistinctNames>()
  let batch: NewFile[] = []
  let batchedBytes = 0
  try {
    for await (const item of tree.items) {
      // Otherwise everything received so far would still be written.
      if (signal?.aborted === true) throw new CairnError('ABORTED', { cause: signal.reason })
      const names = [...above, ...item.names]
      const path = await pathOf(names, target, taken)
      // Its contents follow, and are written again.
      if (item.kind === 'folder' && !(await makeFolderOnce(download, path))) await clearUnfinished(path, () => false)
      if (item.kind === 'link') links.set(path, { names, target: item.target })
      if (item.kind !== 'file') continue
      const { sizeBytes, bytes } = item
      if (done.has(path)) {
        // The next item follows its bytes.
        for await (const _ of bytes);
        continue
      }
      if (sizeBytes > smallFileBytes) {
        // Another file may have the name of its part file.
        const keeps =
          sizeBytes > maxLostBytes && taken.get(folderOf(names, target))?.has(`${names.at(-1)}.part`) === false
        complete(
          download,
          path,
          await (keeps ? writePart : writeWhole)(path, reporting(download, path, bytes), overwrite),
        )
        continue
      }
      const content = await readAll({ rangeBytes: sizeBytes, bytes })
      batch.push({ target: path, bytes: content })
      batchedBytes += content.length
      if (batch.length < batchFiles && batchedBytes < batchBytes) continue
      yield batch
      batch = []
      batchedBytes = 0
    }
  } catch (error) {
    // Other errors are those of names, of the disk or of the caller.
    if (error !== tree.failure || signal?.aborted === true) throw error
  } finally {
    await tree.close()
    for (const inFolder of taken.values()) await inFolder.close()
  }
  if (batch.length > 0) yield batch
}

/** Notes a file as complete. */
export function complete(download: FolderDownload, path: string, sizeBytes: number): void {
  const { done, progress, reported } = download
  done.add(path)
  download.sizeBytes += sizeBytes
  progress.add(Math.max(0, sizeBytes - (reported.get(path) ?? 0)))
  reported.delete(path)
}

/** Reports how much of a file has arrived. Bytes that a later response repeats do not count again. */
export function reach({ progress, reported }: FolderDownload, path: string, sizeBytes: number): void {
  const before = reported.get(path) ?? 0
  if (sizeBytes <= before) return
  progress.add(sizeBytes - before)
  reported.set(path, sizeBytes)
}

/** Yields the same bytes, and reports them. */
async function* reporting(
  download: FolderDownload,
  path: string,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let arrivedBytes = 0
  for await (const piece of pieces) {
    arrivedBytes += piece.length
    reach(download, path, arrivedBytes)
    yield piece
  }
}

function folderOf(names: readonly string[], target: string): string {
  return names.slice(0, -1).reduce(joinPath, target)
}

/** The place of an item below `target`. Its folder came before it, so only the last name is new. */
async function pathOf(names: readonly string[], target: string, taken: Map<string, DistinctNames>): Promise<string> {
  const folder = folderOf(names, target)
  const name = names.at(-1) ?? ''
  const inFolder = taken.get(folder) ?? createDistinctNames(folder)
  taken.set(folder, inFolder)
  await inFolder.add(name)
  return joinPath(folder, name)
}
