import { CairnError } from '@cairn/protocol'
import { openPath } from '#platform/local-files'
import type { Client } from '../client.ts'
import { blobFile } from '../local/blob-file.ts'
import type { LocalFile } from '../local-source.ts'
import { sendFiles, type UploadOptions, type UploadResult } from './send-files.ts'

/**
 * Uploads one file: a path (Node), or a File or Blob (both).
 *
 * @example
 * const { cid } = await uploadFile(client, 'photo.jpg', { onProgress: (step) => console.log(step.bytes) })
 * @throws CairnError INVALID_PATH, FILE_UNREADABLE, FILE_CHANGED, CID_MISMATCH, QUOTA_EXCEEDED, NETWORK_ERROR, TIMEOUT, ABORTED, …
 */
export async function uploadFile(
  client: Client,
  source: string | Blob,
  options: UploadOptions = {},
): Promise<UploadResult> {
  if (typeof source !== 'string') return uploadOne(client, blobFile(source, options.name), options)
  const path = await openPath(source)
  if (path.kind === 'directory') {
    throw new CairnError('FILE_UNREADABLE', { message: `${source} is a folder`, hint: 'Use uploadFolder.' })
  }
  return uploadOne(client, { ...path.file, name: options.name ?? path.file.name }, options)
}

/** Uploads bytes. */
export function uploadBytes(client: Client, bytes: Uint8Array, options: UploadOptions = {}): Promise<UploadResult> {
  return uploadOne(
    client,
    { name: options.name ?? 'blob', sizeBytes: bytes.length, canReopen: true, open: () => [bytes] },
    options,
  )
}

/** Uploads a text as UTF-8. */
export function uploadText(client: Client, text: string, options: UploadOptions = {}): Promise<UploadResult> {
  return uploadBytes(client, new TextEncoder().encode(text), { name: 'text', ...options })
}

/** Uploads a stream: a web stream, a Node stream, any iterable of bytes. Reads it once, so never retries. */
export function uploadStream(
  client: Client,
  stream: AsyncIterable<Uint8Array>,
  options: Omit<UploadOptions, 'skipStored'> = {},
): Promise<UploadResult> {
  return uploadOne(
    client,
    { name: options.name ?? 'blob', sizeBytes: undefined, canReopen: false, open: () => stream },
    options,
  )
}

/** Whether the service makes folders of a name: as in the paths of a folder, empty and `.` segments do not count. */
function hasFolders(name: string): boolean {
  return name.split('/').filter((part) => part !== '' && part !== '.').length > 1
}

async function uploadOne(client: Client, file: LocalFile, options: UploadOptions): Promise<UploadResult> {
  // The service makes folders of such a name, whose CID is another one than that of the file.
  if (options.wrapWithDirectory !== true && hasFolders(file.name)) {
    throw new CairnError('INVALID_PATH', {
      message: `The name of a file must not contain "/": ${file.name}`,
      details: { fileName: file.name },
      hint: 'Use uploadFolder, or set wrapWithDirectory.',
    })
  }
  return sendFiles(
    client,
    { files: () => [file], isFolder: false, canRepeat: file.canReopen, totalBytes: file.sizeBytes },
    options,
  )
}
