import { CairnError } from '@cairn/protocol'
import { clearUnfinished, joinPath, makeFolder, makeLink } from '#platform/folder-entries'
import type { Client } from '../client.ts'
import { createProgress, type Progress } from '../progress.ts'
import { parseContentPath } from './content-path.ts'
import type { DownloadResult, DownloadToDiskOptions } from './disk-options.ts'
import { createDistinctNames, requireSafe } from './distinct-names.ts'
import { forEachFile } from './for-each-file.ts'
import { readLinkTarget, staysInside } from './link-target.ts'
import { type FolderItem, listDirectory } from './list-directory.ts'
import { maxFolderDepth, openTree } from './open-tree.ts'
import { isPrivateRoot } from './private-roots.ts'
import { saveFile } from './save-file.ts'
import {
  complete,
  type FolderDownload,
  fitsOneResponse,
  makeFolderOnce,
  openFolderDownload,
  reach,
  saveTree,
} from './save-tree.ts'

/**
 * Saves a folder with everything below it.
 * @throws CairnError as downloadFile
 */
export async function saveFolder(
  client: Client,
  cidPath: string,
  target: string,
  { overwrite = false, signal, onProgress }: DownloadToDiskOptions,
): Promise<DownloadResult> {
  const progress = createProgress('receive', undefined, onProgress)
  const download = openFolderDownload({ client, target, overwrite, signal, progress })
  await saveLevel(download, cidPath, [])
  const leftOut = await makeLinks(download)
  progress.done()
  const { sizeBytes, done } = download
  return { path: target, sizeBytes, files: done.size, ...(leftOut.length === 0 ? {} : { leftOut }) }
}

/** Makes the links that stay inside the folder, and returns the others. */
async function makeLinks({ links, overwrite }: FolderDownload): Promise<{ path: string; target: string }[]> {
  const leftOut: { path: string; target: string }[] = []
  for (const [path, { names, target }] of links) {
    if (staysInside(names, target)) await makeLink(path, target, overwrite)
    else leftOut.push({ path: names.join('/'), target })
  }
  return leftOut
}

/** Saves a folder and what is below it. `above` has its names from the top. */
async function saveLevel(download: FolderDownload, cidPath: string, above: readonly string[]): Promise<void> {
  if (above.length > maxFolderDepth) throw new CairnError('DAG_TOO_DEEP')
  const { client, signal, overwrite, target } = download
  const items: FolderItem[] = []
  for await (const item of listDirectory(client, cidPath, signal === undefined ? {} : { signal })) {
    requireSafe(item.name)
    items.push(item)
  }
  const path = above.reduce(joinPath, target)
  const isNew = above.length === 0 ? await makeFolder(path, overwrite) : await makeFolderOnce(download, path)
  const names = createDistinctNames(path)
  try {
    for (const { name } of items) await names.add(name)
    if (!isNew) await clearUnfinished(path, names.has)
  } finally {
    await names.close()
  }
  const sizes = items.map(({ dagSizeBytes = Number.POSITIVE_INFINITY }) => dagSizeBytes)
  const open = () => openTree(client, cidPath, { signal })
  if (fitsOneResponse(sizes, isNew) && (await saveTree(download, open, above))) return
  await saveItems(download, cidPath, items, above)
}

/** Saves the files of a folder one by one, and what its folders contain. */
async function saveItems(
  download: FolderDownload,
  cidPath: string,
  items: readonly FolderItem[],
  above: readonly string[],
): Promise<void> {
  const { client, signal, overwrite, target, done, links } = download
  const place = (item: FolderItem): string => joinPath(above.reduce(joinPath, target), item.name)
  // Of a private upload, only paths below its root can be read.
  const isPrivate = isPrivateRoot(client, parseContentPath(cidPath))
  const pathTo = ({ cid, name }: FolderItem): string => (isPrivate ? `${cidPath}/${name}` : cid)
  const others: FolderItem[] = []
  await forEachFile(items, signal, async (item, ended) => {
    const path = place(item)
    if (done.has(path)) return
    const onProgress = ({ bytes }: Progress) => reach(download, path, bytes)
    try {
      complete(download, path, await saveFile(client, pathTo(item), path, { overwrite, signal: ended, onProgress }))
    } catch (error) {
      if (!CairnError.is(error, 'NOT_A_FILE')) throw error
      others.push(item)
    }
  })
  for (const item of others) {
    const names = [...above, item.name]
    const linkTarget = await readLinkTarget(client, pathTo(item), signal)
    if (linkTarget === undefined) await saveLevel(download, pathTo(item), names)
    else links.set(place(item), { names, target: linkTarget })
  }
}
