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
  const options = readArguments(cidVersionOrOptions, uploadProgressCallback)
  const client = clientOf(apiKey)
  if (typeof pathOrFiles === 'string') {
    const path = await openPath(pathOrFiles)
    const sending =
      path.kind === 'file' ? uploadFile(client, pathOrFiles, options) : uploadFolder(client, pathOrFiles, options)
    return answer(await withPeerText('upload', sending))
  }
  const files = filesOf(pathOrFiles)
  const [first] = files
  // A File of Node has no such path.
  const isFile = files.length === 1 && first instanceof Blob && (first.webkitRelativePath ?? '') === ''
  const sending = isFile ? uploadFile(client, first, options) : uploadFolder(client, files, options)
  return answer(await withPeerText('upload', sending))
}

/** Returns the files of a list. @throws CairnError NO_FILE, also without a list, which programs without types pass */
export function filesOf<T extends { size: number }>(list: ArrayLike<T> | null | undefined): [T, ...T[]] {
  const [first, ...rest] = Array.from(list ?? [])
  if (first === undefined) throw new CairnError('NO_FILE')
  return [first, ...rest]
}

/** Uploads a text. @throws CairnError INVALID_REQUEST for what has no bytes */
export async function uploadText(
  text: string,
  apiKey: string,
  name = 'text',
  options: UploadOptions = {},
): Promise<Uploaded> {
  return sendContent(text, apiKey, { ...readArguments(options, undefined), name })
}

/** Uploads bytes, or a text as UTF-8. @throws CairnError INVALID_REQUEST for what has no bytes */
export async function uploadBuffer(
  buffer: Uint8Array | ArrayBuffer | ArrayBufferView | Blob | string,
  apiKey: string,
  options: UploadOptions = {},
): Promise<Uploaded> {
  return sendContent(buffer, apiKey, { ...readArguments(options, undefined), name: 'blob' })
}

async function sendContent(value: unknown, apiKey: string, options: SdkOptions): Promise<Uploaded> {
  if (typeof (options.name ?? '') !== 'string') throw new CairnError('INVALID_PATH')
  const content = readContent(value)
  const client = clientOf(apiKey)
  const sending = content instanceof Blob ? uploadFile(client, content, options) : uploadBytes(client, content, options)
  return answer(await sending)
}

/**
 * Returns content as bytes or a Blob. Programs without types pass a text for bytes and bytes for a text, as the published module
 * allows.
 * @throws CairnError INVALID_REQUEST for what has no bytes: an object would become the text "[object Object]"
 */
export function readContent(value: unknown): Uint8Array | Blob {
  if (value instanceof Uint8Array || value instanceof Blob) return value
  if (typeof value === 'string') return new TextEncoder().encode(value)
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  throw new CairnError('INVALID_REQUEST', {
    message: 'The content must be a text, bytes or a Blob',
    hint: 'Convert an object with JSON.stringify, and read a stream to its end first.',
  })
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
  const { onProgress } = readArguments(options, undefined)
  const sending = uploadCar(clientOf(apiKey), pathOrFile, onProgress === undefined ? {} : { onProgress })
  return answer(await withPeerText('upload', sending))
}

/**
 * Parses the last two arguments of an upload. Programs written for older versions pass `false`, `null`, the parameters of
 * a deal or a callback there: as in the published module, what is neither a number nor options means the defaults.
 * @throws CairnError INVALID_CID_VERSION, NOT_SUPPORTED
 */
export function readArguments(versionOrOptions: unknown, callback: unknown): SdkOptions {
  if (typeof versionOrOptions === 'number') return readOptions({ cidVersion: versionOrOptions }, callback)
  if (typeof versionOrOptions === 'function') return readOptions({}, versionOrOptions)
  const given = isOptions(versionOrOptions) ? versionOrOptions : {}
  return readOptions(given, isCallback(callback) ? callback : given.onProgress)
}

function isOptions(value: unknown): value is UploadOptions {
  return typeof value === 'object' && value !== null
}

function isCallback(value: unknown): value is ProgressCallback {
  return typeof value === 'function'
}

/**
 * Parses the options of any upload.
 * @throws CairnError INVALID_CID_VERSION, NOT_SUPPORTED
 */
function readOptions({ cidVersion = 1, headers }: UploadOptions, onProgress: unknown): SdkOptions {
  if (cidVersion !== 0 && cidVersion !== 1) throw new CairnError('INVALID_CID_VERSION')
  if (headers?.storageType === 'walrus') {
    throw new CairnError('NOT_SUPPORTED', { message: 'There is no walrus backend', hint: 'Omit storageType.' })
  }
  return isCallback(onProgress) ? { cidVersion, onProgress: inSteps(onProgress) } : { cidVersion }
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
