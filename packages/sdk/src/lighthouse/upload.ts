import { CairnError } from '@cairn/protocol'
import { openPath } from '#platform/local-files'
import type { OnProgress } from '../progress.ts'
import type { UploadOptions as SdkOptions, UploadResult } from '../upload/send-files.ts'
import { uploadCar } from '../upload/upload-car.ts'
import { uploadBytes, uploadFile } from '../upload/upload-file.ts'
import { uploadFolder } from '../upload/upload-folder.ts'
import { clientOf } from './client.ts'
import { withPeerText } from './peer-text.ts'

/** Receives progress in percent, 0 to 100. */
export type ProgressCallback = (progress: { progress: number }) => void

export type UploadOptions = { cidVersion?: number; onProgress?: ProgressCallback; headers?: { storageType?: string } }

type Uploaded = { data: { Name: string; Hash: string; Size: string } }

/** Maximum bytes between two calls of a {@link ProgressCallback}. */
const progressStepBytes = 64 * 1024

/**
 * Uploads a file or folder: a path in Node, files in a browser. Several files form a folder.
 * @throws CairnError UNAUTHENTICATED, FILE_UNREADABLE, DUPLICATE_NAME, INVALID_CID_VERSION, NOT_SUPPORTED, …
 */
export async function upload(
  pathOrFiles: string | ArrayLike<File>,
  apiKey: string,
  cidVersionOrOptions: number | UploadOptions = 1,
  uploadProgressCallback?: ProgressCallback,
): Promise<Uploaded> {
  const given = typeof cidVersionOrOptions === 'number' ? { cidVersion: cidVersionOrOptions } : cidVersionOrOptions
  const options = readOptions(given, uploadProgressCallback ?? ('onProgress' in given ? given.onProgress : undefined))
  const client = clientOf(apiKey)
  if (typeof pathOrFiles === 'string') {
    const path = await openPath(pathOrFiles)
    const sending =
      path.kind === 'file' ? uploadFile(client, pathOrFiles, options) : uploadFolder(client, pathOrFiles, options)
    return answer(await withPeerText('upload', sending))
  }
  const [first] = Array.from(pathOrFiles)
  if (first === undefined) throw new CairnError('NO_FILE')
  const isFolder = pathOrFiles.length > 1 || first.webkitRelativePath !== ''
  const sending = isFolder ? uploadFolder(client, pathOrFiles, options) : uploadFile(client, first, options)
  return answer(await withPeerText('upload', sending))
}

/** Uploads a text. */
export async function uploadText(
  text: string,
  apiKey: string,
  name = 'text',
  options: UploadOptions = {},
): Promise<Uploaded> {
  return answer(
    await uploadBytes(clientOf(apiKey), new TextEncoder().encode(text), {
      ...readOptions(options, options.onProgress),
      name,
    }),
  )
}

/** Uploads bytes. */
export async function uploadBuffer(
  buffer: Uint8Array | ArrayBuffer | Blob,
  apiKey: string,
  options: UploadOptions = {},
): Promise<Uploaded> {
  const settings = { ...readOptions(options, options.onProgress), name: 'blob' }
  if (buffer instanceof Blob) return answer(await uploadFile(clientOf(apiKey), buffer, settings))
  return answer(
    await uploadBytes(clientOf(apiKey), buffer instanceof Uint8Array ? buffer : new Uint8Array(buffer), settings),
  )
}

/**
 * Uploads a CAR (`.car`) and keeps its root.
 * @throws CairnError INVALID_CAR, BLOCK_HASH_MISMATCH, INCOMPLETE_DAG
 */
export async function uploadCAR(
  pathOrFile: string | File,
  apiKey: string,
  options: UploadOptions = {},
): Promise<Uploaded> {
  const name = typeof pathOrFile === 'string' ? pathOrFile : pathOrFile.name
  if (!/\.car$/i.test(name)) throw new CairnError('INVALID_CAR', { message: 'File must have a .car extension' })
  const { onProgress } = readOptions(options, options.onProgress)
  const sending = uploadCar(clientOf(apiKey), pathOrFile, onProgress === undefined ? {} : { onProgress })
  return answer(await withPeerText('upload', sending))
}

/**
 * Parses the options of any upload.
 * @throws CairnError INVALID_CID_VERSION, NOT_SUPPORTED
 */
export function readOptions(
  { cidVersion = 1, headers }: UploadOptions,
  onProgress: ProgressCallback | undefined,
): SdkOptions {
  if (cidVersion !== 0 && cidVersion !== 1) throw new CairnError('INVALID_CID_VERSION')
  if (headers?.storageType === 'walrus') {
    throw new CairnError('NOT_SUPPORTED', { message: 'There is no walrus backend', hint: 'Omit storageType.' })
  }
  if (onProgress === undefined) return { cidVersion }
  return { cidVersion, onProgress: inSteps(onProgress) }
}

/**
 * Programs draw a progress bar from these calls: one per 64 KiB, as in the published module, although reads are larger.
 */
function inSteps(notify: ProgressCallback): OnProgress {
  let [lastPhase, notifiedBytes] = ['', 0]
  return ({ phase, bytes, total }) => {
    if (phase !== lastPhase) [lastPhase, notifiedBytes] = [phase, 0]
    if (total === undefined || total === 0) {
      notify({ progress: 0 })
      return
    }
    while (bytes - notifiedBytes > progressStepBytes) {
      notifiedBytes += progressStepBytes
      notify({ progress: Math.min(100, (notifiedBytes / total) * 100) })
    }
    notifiedBytes = bytes
    notify({ progress: Math.min(100, (bytes / total) * 100) })
  }
}

function answer({ name, cid, dagSizeBytes }: UploadResult): Uploaded {
  return { data: { Name: name, Hash: cid, Size: String(dagSizeBytes) } }
}
