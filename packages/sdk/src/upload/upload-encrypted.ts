import { CairnError } from '@cairn/protocol'
import { openPath } from '#platform/local-files'
import type { Client } from '../client.ts'
import { sessionOf } from '../keys/call-with-session.ts'
import { checkConditions } from '../keys/check-conditions.ts'
import { saveKey } from '../keys/save-key.ts'
import { encodeText, readPieces, refuseText, requireIterable } from '../local/check-content.ts'
import type { LocalFile } from '../local-source.ts'
import { openSource } from './open-source.ts'
import {
  type EncryptedFolderOptions,
  type EncryptedUploadOptions,
  type EncryptedUploadResult,
  type SaveOneKey,
  sendEncrypted,
} from './send-encrypted.ts'
import { type FolderSource, openFolder, refuseDuplicates } from './upload-folder.ts'

/**
 * Encrypts a file on this machine and uploads it: a path (Node), or a File or Blob (both). Splits its key over the five
 * key nodes before the file becomes visible.
 * @example
 * client = createClient({ network, apiKey, keySession: await openKeySession(client, { privateKey }) })
 * const { cid } = await uploadEncrypted(client, 'diary.txt', { shareTo: ['0x…'] })
 * @throws CairnError KEY_SAVE_FAILED, NO_SESSION, FILE_UNREADABLE, CID_MISMATCH, QUOTA_EXCEEDED, …
 */
export async function uploadEncrypted(
  client: Client,
  source: string | Blob,
  options: EncryptedUploadOptions = {},
): Promise<EncryptedUploadResult> {
  if (typeof source !== 'string') return uploadOne(client, await openSource(source, options.name), options)
  const path = await openPath(source)
  if (path.kind === 'directory') {
    throw new CairnError('FILE_UNREADABLE', { message: `${source} is a folder`, hint: 'Use uploadEncryptedFolder.' })
  }
  return uploadOne(client, { ...path.file, name: options.name ?? path.file.name }, options)
}

/** Encrypts and uploads bytes. @throws CairnError as uploadBytes and {@link uploadEncrypted} do */
export async function uploadEncryptedBytes(
  client: Client,
  bytes: Uint8Array,
  options: EncryptedUploadOptions = {},
): Promise<EncryptedUploadResult> {
  refuseText(bytes)
  return uploadOne(client, await openSource(bytes, options.name), options)
}

/** Encrypts and uploads a text as UTF-8. @throws CairnError as uploadText and {@link uploadEncrypted} do */
export async function uploadEncryptedText(
  client: Client,
  text: string,
  options: EncryptedUploadOptions = {},
): Promise<EncryptedUploadResult> {
  return uploadEncryptedBytes(client, encodeText(text), {
    name: 'text',
    mimeType: 'text/plain',
    ...options,
  })
}

/**
 * Encrypts and uploads a stream. Reads it once, so never retries.
 * @throws CairnError as uploadStream and {@link uploadEncrypted} do
 */
export async function uploadEncryptedStream(
  client: Client,
  stream: AsyncIterable<Uint8Array>,
  options: EncryptedUploadOptions = {},
): Promise<EncryptedUploadResult> {
  refuseText(stream)
  requireIterable(stream)
  const name = options.name ?? 'blob'
  return uploadOne(client, { name, sizeBytes: undefined, canReopen: false, open: () => readPieces(stream) }, options)
}

/**
 * Encrypts and uploads the files of a folder in one request, each under its own key and CID, so that single files can
 * be shared; their names contain the path below the folder. With `asOne` the result is the folder: it has one CID and
 * one key, its names are hidden, its empty folders are kept, and `openEncryptedFolder` reads it.
 * @throws CairnError DUPLICATE_NAME, NO_FILE, and those of uploadEncrypted
 */
export async function uploadEncryptedFolder(
  client: Client,
  source: FolderSource,
  options: EncryptedFolderOptions = {},
): Promise<EncryptedUploadResult[]> {
  const batch = await openFolder(source, options, options.asOne ? 'folders' : 'files')
  return sendEncrypted(client, refuseDuplicates(batch), options, await saving(client, options))
}

async function uploadOne(
  client: Client,
  file: LocalFile,
  options: EncryptedUploadOptions,
): Promise<EncryptedUploadResult> {
  const batch = { files: () => [file], isFolder: false, canRepeat: file.canReopen, totalBytes: file.sizeBytes }
  const named = { ...options, name: file.name }
  const [result] = await sendEncrypted(client, batch, named, await saving(client, options))
  if (result === undefined) throw new CairnError('UNEXPECTED_RESPONSE')
  return result
}

/**
 * Saves keys with the session of the client.
 * @throws CairnError NO_SESSION before any request
 */
async function saving(client: Client, { shareTo, conditions, pauseMs }: EncryptedUploadOptions): Promise<SaveOneKey> {
  sessionOf(client)
  if (conditions !== undefined) await checkConditions(conditions)
  return (cid, key, signal) => saveKey(client, cid, key, { shareTo, conditions, pauseMs, signal })
}
