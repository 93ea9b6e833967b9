import { CairnError, isAnyCid, type Uploaded, type UploadParameters } from '@cairn/protocol'
import { identifyFiles } from '#platform/identify-files'
import { measure } from '#platform/local-files'
import { sendsWhileReading } from '#platform/send-body'
import type { Client } from '../client.ts'
import { createProgress, type OnProgress, type ProgressMeter } from '../progress.ts'
import { createBoundary, multipartEnd, partHead, randomHex } from './multipart.ts'
import { sendInOneRequest } from './post-multipart.ts'
import type { Resumable } from './resumable.ts'
import { retryUpload } from './retry-upload.ts'
import { type Batch, type Sending, startSending, writeBody } from './write-body.ts'

/** Options of every upload: those that travel with it, and those of this program. */
export type UploadOptions = Omit<UploadParameters, 'isEncrypted' | 'storageType'> & {
  /** Name in listings. Overrides the name of the source. */
  name?: string
  signal?: AbortSignal
  onProgress?: OnProgress
  /**
   * Called with the path of each entry that the upload of a folder on disk leaves out: sockets, pipes and devices, and
   * for encrypted files also symbolic links and, without `asOne`, empty folders. A retry calls it again.
   */
  onLeftOut?: (path: string) => void
  /**
   * Whether files and folders whose names begin with a dot belong to a folder, as in `ipfs add -r --hidden`. Defaults to
   * true; `ipfs add -r` alone leaves them out.
   */
  hidden?: boolean
  /**
   * Reads the content before sending it, and sends nothing if the account already stored the same CID under any name. Not for
   * streams, which cannot be read twice.
   */
  skipStored?: boolean
  /**
   * Names this upload: the service stores it once, however often it is sent with this key. 16 to 64 letters, digits, `-` or `_`, such
   * as a UUID. Set it to repeat a call whose outcome is unknown, for example in another process; a retry by the SDK needs none.
   * Not with `resumable`, which has its own.
   */
  idempotencyKey?: string
  /** Sends the upload in parts, so that it can resume after an interruption: created by `createResumable`. */
  resumable?: Resumable
}

/** A stored upload. */
export type UploadResult = {
  cid: string
  name: string
  /** Size of the file or of all files, in bytes. */
  sizeBytes: number
  /** Size of the DAG with its nodes in bytes, as Kubo counts it. */
  dagSizeBytes: number
  /** Set if nothing was sent, because the account stored it before: `name` is that of the earlier upload. */
  wasStored?: true
}

/**
 * Sends files in one request and computes their CID on the way; the response of the service must agree. Retries a whole
 * upload only if its source can be read again. If only the response was lost, the service returns what it stored.
 * @throws CairnError CID_MISMATCH, DUPLICATE_NAME, FILE_CHANGED, FILE_UNREADABLE, QUOTA_EXCEEDED and the call's other
 *   codes, NETWORK_ERROR, TIMEOUT, ABORTED
 */
export async function sendFiles(client: Client, batch: Batch, options: UploadOptions = {}): Promise<UploadResult> {
  if (options.skipStored) {
    const { findStored } = await import('./find-stored.ts')
    const stored = await findStored(client, batch, options)
    if (stored !== undefined) return stored
  }
  // One for all attempts. A network can also deliver a single one twice.
  const idempotencyKey = options.idempotencyKey ?? randomHex()
  const attempt = () => sendOnce(client, batch, options, idempotencyKey)
  if (options.resumable !== undefined) return options.resumable.retry(attempt, batch.canRepeat, options.signal)
  return batch.canRepeat ? retryUpload(client, attempt, options.signal) : attempt()
}

async function sendOnce(
  client: Client,
  batch: Batch,
  options: UploadOptions,
  idempotencyKey: string,
): Promise<UploadResult> {
  const { resumable } = options
  const boundary = await chooseBoundary(batch, resumable)
  const state = startSending(options)
  // Finishes while the service stores the files. An upload in parts needs the CID with its last byte.
  const finishesLater = sendsWhileReading && resumable === undefined
  const blob = resumable === undefined ? undefined : await wholeBlob(batch, boundary)
  const isReadAside = blob !== undefined && resumable?.readsAside === true
  const { reading, onSent, done } = createMeters(batch.totalBytes, options.onProgress, isReadAside)
  const [uploaded] = await (resumable?.send ?? sendInOneRequest)(client, {
    parameters: { cidVersion: 1, wrapWithDirectory: false, ...options },
    boundary,
    contentLength: await contentLength(batch, boundary, resumable !== undefined),
    body: writeBody(batch, boundary, state, reading.add, finishesLater),
    // Awaited below; a failure until then is not an unhandled rejection.
    onEnd: () => void state.finish?.().catch(() => undefined),
    signal: options.signal,
    onSent,
    idempotencyKey,
    name: options.name ?? (boundary === undefined ? await nameOf(batch) : undefined),
    blob,
    identify: () => identifyFiles?.(batch.files()),
    computed: () => (state.node === undefined ? [] : [state.node.cid.toString()]),
  })
  await state.finish?.()
  const result = compare(uploaded, state)
  done()
  return result
}

/**
 * Returns what separates the files in the body; undefined for a single file that is the whole body of a resumable upload:
 * the service imports it as it arrives. An upload that an earlier version of the SDK started is not such a body.
 */
async function chooseBoundary(batch: Batch, resumable: Resumable | undefined): Promise<string | undefined> {
  const boundary = resumable?.boundary ?? createBoundary()
  if (resumable === undefined || batch.isFolder) return boundary
  const sizeBytes = await contentLength(batch, boundary, true)
  return sizeBytes !== undefined && resumable.hasStarted(sizeBytes) ? boundary : undefined
}

async function nameOf(batch: Batch): Promise<string | undefined> {
  for await (const { name } of batch.files()) return name
  return undefined
}

/**
 * Progress meters of an upload: bytes read and bytes sent, which are equal if the body is sent while it is read.
 * @param isReadAside whether a complete body is read while it is sent: then only the sent bytes count
 */
export function createMeters(
  totalBytes: number | undefined,
  onProgress: OnProgress | undefined,
  isReadAside = false,
): { reading: ProgressMeter; onSent: (bytes: number, total: number) => void; done: () => void } {
  // Created when sending starts: its rate is that of the connection alone.
  let meter: ProgressMeter | undefined
  const sending = () => {
    meter ??= createProgress('send', totalBytes, onProgress)
    return meter
  }
  return {
    reading: sendsWhileReading
      ? sending()
      : createProgress('prepare', totalBytes, isReadAside ? undefined : onProgress),
    // Progress counts bytes of content; the body also contains part headers.
    onSent: (bytes, total) => sending().reach(Math.round(((totalBytes ?? total) * bytes) / Math.max(1, total))),
    done: () => sending().done(),
  }
}

/**
 * Known for a single file of known size: servers then reject a file that is too large before it is sent. The files of a
 * folder are measured if required.
 */
async function contentLength(
  batch: Batch,
  boundary: string | undefined,
  isNeeded: boolean,
): Promise<number | undefined> {
  if (batch.isFolder && !isNeeded) return undefined
  let length = 0
  let isFirst = true
  for await (const file of batch.files()) {
    const sizeBytes = file.sizeBytes ?? (file.path === undefined ? undefined : await measure(file))
    if (sizeBytes === undefined) return undefined
    length += partHead(boundary, file, isFirst).length + sizeBytes
    isFirst = false
  }
  return isFirst ? undefined : length + multipartEnd(boundary).length
}

/** The whole body as a Blob, if every file is a Blob. */
async function wholeBlob(batch: Batch, boundary: string | undefined): Promise<Blob | undefined> {
  const parts: BlobPart[] = []
  for await (const file of batch.files()) {
    if (file.blob === undefined) return undefined
    // The file itself: browsers send one without copying it through their main process.
    if (boundary === undefined) return file.blob
    parts.push(new Uint8Array(partHead(boundary, file, parts.length === 0)), file.blob)
  }
  return new Blob([...parts, new Uint8Array(multipartEnd(boundary))])
}

function compare(uploaded: Uploaded | undefined, state: Sending): UploadResult {
  if (uploaded === undefined || !isAnyCid(uploaded.Hash)) throw new CairnError('UNEXPECTED_RESPONSE')
  const { node } = state
  if (node === undefined)
    throw new CairnError('UNEXPECTED_RESPONSE', { message: 'The server responded before the upload was complete' })
  const local = node.cid.toString()
  if (local !== uploaded.Hash)
    throw new CairnError('CID_MISMATCH', { details: { computed: local, answered: [uploaded.Hash] } })
  return { cid: local, name: uploaded.Name, sizeBytes: state.sizeBytes, dagSizeBytes: node.dagSizeBytes }
}
