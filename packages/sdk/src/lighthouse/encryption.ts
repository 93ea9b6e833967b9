import { CairnError, getConditions, isCid, keyShardThreshold, normalizeIdentity } from '@cairn/protocol'
import { openPath } from '#platform/local-files'
import { openFile } from '../download/open-file.ts'
import { decryptStream } from '../encryption/decrypt-stream.ts'
import { iterateStream } from '../iterate-stream.ts'
import { blobFile } from '../local/blob-file.ts'
import type { LocalFile } from '../local-source.ts'
import { type SaveOneKey, sendEncrypted } from '../upload/send-encrypted.ts'
import type { UploadOptions as SdkOptions, UploadResult } from '../upload/send-files.ts'
import { openFolder, refuseDuplicates } from '../upload/upload-folder.ts'
import type { Batch } from '../upload/write-body.ts'
import { clientOf } from './client.ts'
import * as kavach from './kavach.ts'
import type { ChangeAnswer } from './key-router.ts'
import { callRouter } from './key-router.ts'
import { withPeerText } from './peer-text.ts'
import { filesOf, type ProgressCallback, readArguments, readContent, type UploadOptions } from './upload.ts'

type Uploaded = { data: { Name: string; Hash: string; Size: string }[] }

/** Saves keys like published clients: five calls with a signature or JWT. */
function savingWith(publicKey: string, authToken: string): SaveOneKey {
  return async (cid, key) => {
    unwrap(await kavach.saveShards(publicKey, cid, authToken, key.keyShards))
    return { done: [1, 2, 3, 4, 5], pending: [], isEffective: true, withstands: 2 }
  }
}

/** @throws the error of a failed change */
function unwrap({ isSuccess, error }: ChangeAnswer): void {
  if (!isSuccess) throw CairnError.from(error)
}

/**
 * Encrypts a file, or the files of a folder, each under its own key, and uploads them: a path in Node, files in a
 * browser.
 * @param authToken a signature (one file), or a JWT
 * @throws CairnError JWT_REQUIRED ('auth_token must be a JWT'), KEY_SAVE_FAILED ('Error encrypting file'),
 *   DUPLICATE_NAME
 */
export async function uploadEncrypted(
  sourcePath: string | ArrayLike<File>,
  apiKey: string,
  publicKey: string,
  authToken: string,
  cidVersionOrOptions: number | UploadOptions = 1,
  uploadProgressCallback?: ProgressCallback,
): Promise<Uploaded> {
  const options = readArguments(cidVersionOrOptions, uploadProgressCallback)
  const batch = await openBatch(sourcePath)
  // A signature is valid for one operation, which is one file.
  const checked = /^0x/i.test(authToken) ? { ...batch, files: () => onlyOne(batch.files()) } : batch
  return send(apiKey, checked, options, savingWith(publicKey, authToken))
}

/**
 * Encrypts and uploads a text.
 * @throws CairnError KEY_SAVE_FAILED, INVALID_REQUEST for what has no bytes
 */
export async function textUploadEncrypted(
  text: string,
  apiKey: string,
  publicKey: string,
  authToken: string,
  name = 'text',
  options: UploadOptions = {},
): Promise<Uploaded> {
  const content = readContent(text)
  const file: LocalFile =
    content instanceof Blob
      ? blobFile(content, name)
      : { name, sizeBytes: content.length, canReopen: true, open: () => [content] }
  const settings = { ...readArguments(options, undefined), mimeType: 'text/plain' }
  return send(apiKey, batchOf(file), settings, savingWith(publicKey, authToken))
}

async function send(apiKey: string, batch: Batch, options: SdkOptions, save: SaveOneKey): Promise<Uploaded> {
  const { wrapWithDirectory: _wrap, ...rest } = options
  const sent: UploadResult[] = await sendEncrypted(clientOf(apiKey), batch, rest, save)
  return { data: sent.map(({ name, cid, dagSizeBytes }) => ({ Name: name, Hash: cid, Size: String(dagSizeBytes) })) }
}

async function openBatch(source: string | ArrayLike<File>): Promise<Batch> {
  if (typeof source === 'string') {
    const path = await openPath(source)
    return path.kind === 'file' ? batchOf(path.file) : refuseDuplicates(await openFolder(source, {}))
  }
  const files = filesOf(source)
  const isFile = files.length === 1 && files[0] instanceof Blob
  return isFile ? batchOf(blobFile(files[0])) : refuseDuplicates(await openFolder(files, {}))
}

function batchOf(file: LocalFile): Batch {
  return { files: () => [file], isFolder: false, canRepeat: false, totalBytes: file.sizeBytes }
}

async function* onlyOne(files: AsyncIterable<LocalFile> | Iterable<LocalFile>): AsyncGenerator<LocalFile> {
  let count = 0
  for await (const file of files) {
    if (++count > 1) throw new CairnError('JWT_REQUIRED')
    yield file
  }
}

/**
 * Decrypts a file with its key.
 * @returns an ArrayBuffer in Node, a Blob in a browser if `mimeType` is set
 * @throws CairnError DECRYPTION_FAILED, BLOCK_NOT_FOUND
 */
export async function decryptFile(
  cid: string,
  fileEncryptionKey: string,
  mimeType = 'null',
  gatewayUrl?: string,
): Promise<ArrayBuffer | Blob> {
  const client = clientOf()
  const at = gatewayUrl === undefined ? client : { ...client, network: { ...client.network, gateway: gatewayUrl } }
  const { stream } = await withPeerText('http', openFile(at, cid))
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of decryptStream(iterateStream(stream), fileEncryptionKey)) pieces.push(new Uint8Array(piece))
  const isBrowser = 'document' in globalThis
  const blob = new Blob(pieces, mimeType === 'null' ? {} : { type: mimeType })
  return isBrowser ? blob : blob.arrayBuffer()
}

/**
 * Returns the message that a wallet signs for one operation with the key nodes.
 * @throws CairnError INVALID_ADDRESS ('Invalid public Key')
 */
export async function getAuthMessage(publicKey: string): Promise<{ data: { message: string } }> {
  if (normalizeIdentity(publicKey) === '') throw new CairnError('INVALID_ADDRESS')
  const { message, error } = await kavach.getAuthMessage(publicKey)
  if (message === null) throw error
  return { data: { message } }
}

/**
 * Fetches the key of a file, for addresses with read access.
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND ('cid not found')
 */
export async function fetchEncryptionKey(
  cid: string,
  publicKey: string,
  signedMessage: string,
  dynamicData: Record<string, unknown> = {},
  shardCount = keyShardThreshold,
): Promise<{ data: { key: string | null } }> {
  const { shards, error } = await kavach.recoverShards(publicKey, cid, signedMessage, shardCount, dynamicData)
  if (error === 'cid not found') throw new CairnError('KEY_NOT_FOUND')
  if (error !== null) throw CairnError.from(error)
  const { masterKey, error: failed } = await kavach.recoverKey(shards)
  if (failed !== null) throw new CairnError('KEY_NOT_RECOVERED', { message: failed })
  return { data: { key: masterKey } }
}

/**
 * Shares a file with addresses.
 * @throws CairnError ACCESS_DENIED, INVALID_SIGNATURE
 */
export async function shareFile(
  publicKey: string,
  shareTo: string[],
  cid: string,
  signedMessage: string,
): Promise<{ data: { cid: string; shareTo: string[]; status: 'Success' } }> {
  unwrap(await kavach.shareToAddress(publicKey, cid, signedMessage, shareTo))
  return { data: { cid, shareTo, status: 'Success' } }
}

/**
 * Revokes the read access of one or several addresses.
 * @throws CairnError ACCESS_DENIED, INVALID_SIGNATURE
 */
export async function revokeFileAccess(
  publicKey: string,
  revokeTo: string | string[],
  cid: string,
  signedMessage: string,
): Promise<{ data: { cid: string; revokeTo: string | string[]; status: 'Success' } }> {
  const addresses = typeof revokeTo === 'string' ? [revokeTo] : revokeTo
  unwrap(await kavach.revokeAccess(publicKey, cid, signedMessage, addresses))
  return { data: { cid, revokeTo, status: 'Success' } }
}

/**
 * Sets the conditions under which anyone may read.
 * @throws CairnError INVALID_CONDITION ('Condition validation error: …'), ACCESS_DENIED
 */
export async function applyAccessCondition(
  publicKey: string,
  cid: string,
  signedMessage: string,
  conditions: readonly unknown[],
  aggregator?: string,
  chainType = 'evm',
): Promise<{ data: { cid: string; status: 'Success' } }> {
  unwrap(await kavach.accessControl(publicKey, cid, signedMessage, conditions, aggregator, chainType))
  return { data: { cid, status: 'Success' } }
}

/**
 * Returns the conditions and owner of a file.
 * @throws CairnError KEY_NOT_FOUND, INVALID_CID
 */
export async function getAccessConditions(cid: string) {
  if (!isCid(cid)) throw new CairnError('INVALID_CID')
  return { data: await withPeerText('http', callRouter(getConditions, { params: { cid } })) }
}
