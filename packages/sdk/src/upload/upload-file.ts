import type { Client } from '../client.ts'
import { encodeText, refuseText } from '../local/check-content.ts'
import { batchOfFile, type FileSource, openSource } from './open-source.ts'
import { sendFiles, type UploadOptions, type UploadResult } from './send-files.ts'

/**
 * Uploads one file: a path (Node), or a File or Blob (both).
 *
 * @example
 * const { cid } = await uploadFile(client, 'photo.jpg', { onProgress: (step) => console.log(step.bytes) })
 * @throws CairnError INVALID_PATH, FILE_UNREADABLE, FILE_CHANGED, CID_MISMATCH, QUOTA_EXCEEDED, NETWORK_ERROR, TIMEOUT, ABORTED, …
 */
export function uploadFile(client: Client, source: string | Blob, options: UploadOptions = {}): Promise<UploadResult> {
  return uploadSource(client, source, options)
}

/** Uploads bytes. @throws CairnError INVALID_REQUEST for other content, such as a text, and those of {@link uploadFile} */
export async function uploadBytes(
  client: Client,
  bytes: Uint8Array,
  options: UploadOptions = {},
): Promise<UploadResult> {
  refuseText(bytes)
  return uploadSource(client, bytes, options)
}

/** Uploads a text as UTF-8. @throws CairnError INVALID_REQUEST for anything else, and those of {@link uploadFile} */
export async function uploadText(client: Client, text: string, options: UploadOptions = {}): Promise<UploadResult> {
  return uploadBytes(client, encodeText(text), { name: 'text', ...options })
}

/**
 * Uploads a stream: a web stream, a Node stream, any iterable of bytes. Reads it once, so never retries.
 * @throws CairnError INVALID_REQUEST for a stream of text, and those of {@link uploadFile}
 */
export async function uploadStream(
  client: Client,
  stream: AsyncIterable<Uint8Array>,
  options: Omit<UploadOptions, 'skipStored'> = {},
): Promise<UploadResult> {
  refuseText(stream)
  return uploadSource(client, stream, options)
}

async function uploadSource(client: Client, source: FileSource, options: UploadOptions): Promise<UploadResult> {
  return sendFiles(client, batchOfFile(await openSource(source, options.name), options), options)
}
