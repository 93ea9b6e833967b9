import { CairnError } from '@cairn/protocol'
import { joinPath, makeFolder } from '#platform'
import type { Client } from '../client.ts'
import { indexBytesMost, indexName, readFolderIndex } from '../encryption/folder-index.ts'
import { getKey } from '../keys/get-key.ts'
import { createProgress } from '../progress.ts'
import { type DecryptOptions, decryptFile, openDecrypted } from './decrypt-file.ts'
import type { DownloadResult, DownloadToDiskOptions } from './download-file.ts'
import { listDirectory } from './list-directory.ts'

/** One file of an encrypted folder. */
export type EncryptedFolderFile = {
  /** Below the folder, names parted by `/`. */
  path: string
  /** Bytes, decrypted. */
  sizeBytes: number
  /** Where it is, for `openDecrypted` and its like, together with the folder's key. */
  cidPath: string
}

/** An encrypted folder that was opened. */
export type EncryptedFolder = { masterKey: string; files: EncryptedFolderFile[] }

/** Whether a CID is a folder. What it is, is asked of the gateway and verified. */
export async function isFolder(client: Client, cid: string, options: { signal?: AbortSignal } = {}): Promise<boolean> {
  try {
    for await (const _name of listDirectory(client, cid, options)) break
    return true
  } catch (error) {
    if (CairnError.is(error, 'NOT_A_DIRECTORY')) return false
    throw error
  }
}

/**
 * Opens a folder that was encrypted as one: its key comes from the key nodes, its names from its encrypted index.
 *
 * @example
 * const { masterKey, files } = await openEncryptedFolder(client, cid)
 * const bytes = await decryptBytes(client, files[0].cidPath, { masterKey })
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, NOT_ENCRYPTED, DECRYPTION_FAILED, INVALID_PATH, DUPLICATE_NAME
 */
export async function openEncryptedFolder(
  client: Client,
  cid: string,
  { signal, ...options }: DecryptOptions & { signal?: AbortSignal } = {},
): Promise<EncryptedFolder> {
  const stop = signal === undefined ? {} : { signal }
  const { dynamicData } = options
  const keyOptions = { ...stop, ...(dynamicData === undefined ? {} : { dynamicData }) }
  const masterKey = options.masterKey ?? (await getKey(client, cid, { ...keyOptions, lateMs: 0 })).masterKey
  const index = await openDecrypted(client, `${cid}/${indexName}`, { masterKey, ...stop })
  const files = readFolderIndex(await gather(index))
  return { masterKey, files: files.map(({ entry, ...file }) => ({ ...file, cidPath: `${cid}/${entry}` })) }
}

/**
 * Decrypts a folder that was encrypted as one to a path (Node), each file as `decryptFile` does.
 * @throws CairnError FILE_EXISTS, and those of openEncryptedFolder and decryptFile
 */
export async function decryptFolder(
  client: Client,
  cid: string,
  target: string,
  { overwrite = false, signal, onProgress, ...options }: DecryptOptions & DownloadToDiskOptions = {},
): Promise<DownloadResult> {
  const stop = signal === undefined ? {} : { signal }
  const { masterKey, files } = await openEncryptedFolder(client, cid, { ...options, ...stop })
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0)
  const progress = createProgress('receive', sizeBytes, onProgress)
  await makeFolder(target, overwrite)
  const made = new Set<string>()
  const taken = new Set<string>()
  // `a` grows as `a.part`: it has to be done before a file that really has that name, which is always the longer one.
  for (const { path, cidPath, sizeBytes: expected } of files.toSorted(
    (one, other) => one.path.length - other.path.length,
  )) {
    // Some file systems take two names for one.
    const folded = path.normalize('NFC').toLowerCase()
    if (taken.has(folded)) throw new CairnError('DUPLICATE_NAME', { message: `Duplicate file name found: ${path}` })
    taken.add(folded)
    const names = path.split('/')
    for (let i = 1; i < names.length; i++) {
      const above = names.slice(0, i).join('/')
      if (made.has(above)) continue
      made.add(above)
      await makeFolder(joinPath(target, above), true)
    }
    await decryptFile(client, cidPath, joinPath(target, path), { masterKey, overwrite, ...stop })
    progress.add(expected)
  }
  progress.done()
  return { path: target, sizeBytes, files: files.length }
}

async function gather(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let total = 0
  for await (const piece of pieces) {
    total += piece.length
    if (total > indexBytesMost) throw new CairnError('FILE_TOO_LARGE', { details: { bytesMost: indexBytesMost } })
    parts.push(new Uint8Array(piece))
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}
