import { CairnError } from '@cairn/protocol'
import { clearUnfinished, joinPath, makeFolder, makeFolderInside } from '#platform/folder-entries'
import type { Client } from '../client.ts'
import type { DownloadResult, DownloadToDiskOptions } from '../download/disk-options.ts'
import { createDistinctNames, type DistinctNames } from '../download/distinct-names.ts'
import { forEachFile } from '../download/for-each-file.ts'
import { type EncryptedFolderFile, openEncryptedTree } from '../download/open-encrypted-tree.ts'
import { complete, fitsOneResponse, openFolderDownload, reach, saveTree } from '../download/save-tree.ts'
import { indexName, maxIndexBytes, readFolderIndex } from '../encryption/folder-index.ts'
import { getKey } from '../keys/get-key.ts'
import { createProgress, type Progress } from '../progress.ts'
import { type DecryptOptions, decryptFile, openDecrypted } from './decrypt-file.ts'

/** An open encrypted folder. */
export type EncryptedFolder = {
  masterKey: string
  files: EncryptedFolderFile[]
  /** Paths of the empty folders below it. */
  folders: string[]
}

/**
 * Opens a folder encrypted as one. Its key comes from the key nodes, its names from its encrypted index.
 * @example
 * const { masterKey, files } = await openEncryptedFolder(client, cid)
 * const bytes = await decryptBytes(client, files[0].cidPath, { masterKey })
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, NOT_ENCRYPTED, DECRYPTION_FAILED, INVALID_PATH, DUPLICATE_NAME
 */
export async function openEncryptedFolder(
  client: Client,
  cid: string,
  options: DecryptOptions & { signal?: AbortSignal } = {},
): Promise<EncryptedFolder> {
  const { signal, dynamicData, masterKey: known } = options
  const stop = signal === undefined ? {} : { signal }
  const keyOptions = { ...stop, ...(dynamicData === undefined ? {} : { dynamicData }) }
  const masterKey = known ?? (await getKey(client, cid, { ...keyOptions, lateMs: 0 })).masterKey
  const index = await openDecrypted(client, `${cid}/${indexName}`, { masterKey, ...stop })
  const { files, folders } = readFolderIndex(await gather(index))
  return { masterKey, files: files.map(({ entry, ...file }) => ({ ...file, cidPath: `${cid}/${entry}` })), folders }
}

/**
 * Decrypts a folder encrypted as one to a path (Node), each file like `decryptFile`.
 * @throws CairnError FILE_EXISTS, and those of openEncryptedFolder and decryptFile
 */
export async function decryptFolder(
  client: Client,
  cid: string,
  target: string,
  { overwrite = false, signal, onProgress, ...options }: DecryptOptions & DownloadToDiskOptions = {},
): Promise<DownloadResult> {
  const stop = signal === undefined ? {} : { signal }
  const { masterKey, files, folders } = await openEncryptedFolder(client, cid, { ...options, ...stop })
  const expectedBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0)
  const progress = createProgress('receive', expectedBytes, onProgress)
  const download = openFolderDownload({ client, target, overwrite, signal, progress })
  const isNew = await makeFolder(target, overwrite)
  const paths = [...files.map(({ path }) => path), ...folders.map((path) => `${path}/`)]
  await makeFolders(paths, target, { overwrite, isNew })
  const sizes = files.map(({ sizeBytes }) => sizeBytes)
  const openFiles = () => openEncryptedTree(client, cid, { files, masterKey }, { signal })
  if (fitsOneResponse(sizes, isNew)) await saveTree(download, openFiles, [])
  // The files that the response did not contain.
  const missing = files.flatMap(({ path, ...file }) => {
    const place = path.split('/').reduce(joinPath, target)
    return download.done.has(place) ? [] : [{ ...file, name: path, place }]
  })
  await forEachFile(missing, signal, async ({ cidPath, place, sizeBytes: expected }, ended) => {
    // Encrypted files are slightly larger than their content.
    const onProgress = ({ bytes }: Progress) => reach(download, place, Math.min(bytes, expected))
    const options = { masterKey, overwrite, signal: ended, onProgress }
    complete(download, place, (await decryptFile(client, cidPath, place, options)).sizeBytes)
  })
  progress.done()
  return { path: target, sizeBytes: download.sizeBytes, files: files.length }
}

/**
 * Creates the folders of the paths below a target, each only once, so that no two paths lead to the same folder. Clears existing
 * folders of what an interrupted download left. The path of a folder ends with `/`.
 * @throws CairnError FILE_EXISTS, INVALID_PATH, DUPLICATE_NAME
 */
async function makeFolders(
  paths: readonly string[],
  target: string,
  { overwrite, isNew }: { overwrite: boolean; isNew: boolean },
): Promise<void> {
  const seen = new Set<string>()
  const earlier = new Set(isNew ? [] : [target])
  const namesByFolder = new Map<string, DistinctNames>()
  try {
    for (const path of paths) {
      const names = path.split('/')
      for (const [at, name] of names.entries()) {
        if (name === '') continue
        const place = names.slice(0, at + 1).join('/')
        if (seen.has(place)) continue
        seen.add(place)
        const folder = names.slice(0, at).reduce(joinPath, target)
        const inFolder = namesByFolder.get(folder) ?? createDistinctNames(folder)
        namesByFolder.set(folder, inFolder)
        await inFolder.add(name)
        const below = joinPath(folder, name)
        if (at < names.length - 1 && !(await makeFolderInside(below, overwrite))) earlier.add(below)
      }
    }
    for (const folder of earlier) await clearUnfinished(folder, (name) => namesByFolder.get(folder)?.has(name) === true)
  } finally {
    for (const inFolder of namesByFolder.values()) await inFolder.close()
  }
}

async function gather(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let total = 0
  for await (const piece of pieces) {
    total += piece.length
    if (total > maxIndexBytes) throw new CairnError('FILE_TOO_LARGE', { details: { limitBytes: maxIndexBytes } })
    parts.push(new Uint8Array(piece))
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}
