import {
  CairnError,
  callPath,
  cancelUpload as cancelUploadCall,
  createUpload,
  decodeError,
  encodeUploadMetadata,
  getUpload as getUploadCall,
  isErrorCode,
  joinUrl,
  restoreError,
  sendUploadBytes,
  tusBodyType,
  tusVersion,
  type Uploaded,
  type UploadInfo,
} from '@cairn/protocol'
import { sendStreamed } from '#platform/send-body'
import type { Client } from '../client.ts'
import {
  authorizationOf,
  type CallOptions,
  call,
  describeCall,
  describeFailure,
  limitTime,
  openResponse,
  pause,
  tryAgain,
} from '../request.ts'
import type { MultipartUpload } from './post-multipart.ts'

/** A body that can be sent from any byte on. */
export type PartsBody = { sizeBytes: number; from(offset: number): Blob | AsyncIterable<Uint8Array> }

const utf8 = new TextEncoder()
/** Pause in ms between status requests while the service stores an upload. */
const storingPauseMs = 1_000

/**
 * Starts an upload at the service and returns its id.
 * @param key random text: the service returns the same upload for a repeated call with it
 * @throws CairnError QUOTA_EXCEEDED, UPLOAD_LIMIT, …
 */
export async function beginUpload(
  client: Client,
  upload: MultipartUpload,
  sizeBytes: number,
  key: string,
): Promise<string> {
  const metadata: Record<string, string> = {
    ...(upload.boundary === undefined ? {} : { 'body-type': `multipart/form-data; boundary=${upload.boundary}` }),
    'idempotency-key': key,
    filename: upload.name ?? '',
    ...encodeUploadMetadata(upload.parameters),
  }
  const send = describeCall(
    client,
    createUpload,
    {
      headers: {
        'tus-resumable': tusVersion,
        'upload-length': String(sizeBytes),
        'upload-metadata': Object.entries(metadata)
          .flatMap(([key, value]) => (value ? [`${key} ${toBase64(value)}`] : []))
          .join(','),
      },
    },
    { signal: upload.signal },
    client.network.upload,
  )
  const response = await openResponse(client, send)
  const id = /([^/]+)\/?$/.exec(response.headers.get('location') ?? '')?.[1]
  if (id === undefined)
    throw new CairnError('UNEXPECTED_RESPONSE', { message: 'The service did not return an upload URL' })
  return id
}

/**
 * Sends the bytes of a body that the service lacks, once, and returns what it stored. After an error, the same call
 * resumes from the offset of the service.
 * @param isNew the upload was just started: the service has no byte of it
 * @throws CairnError NOT_FOUND if the service has removed it, the code of the service, NETWORK_ERROR, TIMEOUT, ABORTED;
 *   with the offset as `details.offsetBytes` if known
 */
export async function sendInParts(
  client: Client,
  id: string,
  body: PartsBody,
  { signal, onSent, isNew = false }: Pick<MultipartUpload, 'signal' | 'onSent'> & { isNew?: boolean },
): Promise<Uploaded[]> {
  const found = isNew
    ? { offsetBytes: 0, lengthBytes: body.sizeBytes, state: 'receiving' }
    : await fetchUpload(client, id, { signal })
  if (found.offsetBytes < found.lengthBytes || found.state === 'receiving') {
    const offset = found.offsetBytes
    try {
      await sendFrom(client, id, body, offset, { signal, onSent })
      // The service has all of it, whatever the browser reported of the sending.
      onSent?.(body.sizeBytes, body.sizeBytes)
    } catch (error) {
      const { code, message, hint, retryAfterSeconds, details } = CairnError.from(error)
      throw restoreError(code, {
        message,
        hint,
        details: { ...details, offsetBytes: offset },
        cause: error,
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      })
    }
  } else {
    // The CID computed on the way needs the whole body.
    await drain(body, body.sizeBytes)
    onSent?.(body.sizeBytes, body.sizeBytes)
    if (found.state === 'storing') await requestStore(client, id, signal)
  }
  for (;;) {
    const { state, result, error } = await fetchUpload(client, id, { signal })
    if (state === 'stored' && result !== undefined) return result
    if (state === 'failed' && error !== undefined) {
      const code = isErrorCode(error.code) ? error.code : 'INVALID_REQUEST'
      throw restoreError(code, { message: error.message, hint: error.hint })
    }
    if (state !== 'storing') throw new CairnError('UNEXPECTED_RESPONSE', { message: `The upload is ${state}` })
    await pause(storingPauseMs, signal)
  }
}

/** Cancels an unfinished upload: the service removes its bytes. A missing upload is not an error. */
export async function cancelUpload(client: Client, id: string, options: CallOptions = {}): Promise<void> {
  const send = describeCall(
    client,
    cancelUploadCall,
    { params: { id }, headers: { 'tus-resumable': tusVersion } },
    options,
    client.network.upload,
  )
  try {
    await tryAgain(() => openResponse(client, send), options.signal)
  } catch (error) {
    if (!CairnError.is(error, 'NOT_FOUND')) throw error
  }
}

/** Returns the progress of an upload in parts; undefined for one that the service does not know. */
export async function getUpload(
  client: Client,
  id: string,
  options: CallOptions = {},
): Promise<UploadInfo | undefined> {
  try {
    return await fetchUpload(client, id, options)
  } catch (error) {
    if (CairnError.is(error, 'NOT_FOUND')) return undefined
    throw error
  }
}

function fetchUpload(client: Client, id: string, options: CallOptions) {
  return call(client, getUploadCall, { params: { id }, headers: { 'tus-resumable': tusVersion } }, options)
}

/** An empty request at the end: the service retries to store the upload. */
async function requestStore(client: Client, id: string, signal: AbortSignal | undefined): Promise<void> {
  const { lengthBytes } = await fetchUpload(client, id, { signal })
  try {
    await sendFrom(client, id, { sizeBytes: lengthBytes, from: () => new Blob([]) }, lengthBytes, { signal })
  } catch (error) {
    // Another request is storing it now.
    if (!CairnError.is(error, 'UPLOAD_BUSY')) throw error
  }
}

async function sendFrom(
  client: Client,
  id: string,
  body: PartsBody,
  offset: number,
  { signal: stop, onSent }: Pick<MultipartUpload, 'signal' | 'onSent'>,
): Promise<void> {
  const authorization = authorizationOf(client)
  const { timeout, signal } = limitTime({ signal: stop, timeoutMs: client.transferTimeoutMs })
  try {
    signal.throwIfAborted()
    const answer = await sendStreamed({
      url: joinUrl(client.network.upload, callPath(sendUploadBytes, { id })),
      method: 'PATCH',
      headers: {
        authorization,
        'content-type': tusBodyType,
        'tus-resumable': tusVersion,
        'upload-offset': String(offset),
      },
      contentLength: body.sizeBytes - offset,
      body: body.from(offset),
      signal,
      onSent: (bytes) => onSent?.(offset + bytes, body.sizeBytes),
    })
    if (answer.status < 200 || answer.status > 299) {
      throw decodeError('upload', { status: answer.status, header: answer.header, body: answer.text })
    }
  } catch (error) {
    throw describeFailure(error, stop, timeout)
  }
}

async function drain(body: PartsBody, offset: number): Promise<void> {
  const rest = body.from(offset)
  if (rest instanceof Blob) return
  for await (const _piece of rest);
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...utf8.encode(text)))
}
