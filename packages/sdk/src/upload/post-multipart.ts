import {
  CairnError,
  decodeError,
  duplicateName,
  encodeUploadRequest,
  joinUrl,
  type Uploaded,
  type UploadParameters,
  uploadedSchema,
  uploadPaths,
} from '@cairn/protocol'
import { UnixfsError } from '@cairn/unixfs'
import * as v from 'valibot'
import { sendStreamed } from '#platform/send-body'
import type { Client } from '../client.ts'
import { authorizationOf, describeFailure, limitTime } from '../request.ts'
import { gather } from './gather.ts'

/** A multipart body that is produced while it is sent. */
export type MultipartUpload = {
  parameters: UploadParameters
  /** Undefined for a body that is one file, which only an upload in parts can be. */
  boundary: string | undefined
  contentLength: number | undefined
  body: AsyncIterable<Uint8Array>
  signal?: AbortSignal | undefined
  /** Called with the bytes sent so far, on platforms that know the number. */
  onSent?: ((bytes: number, total: number) => void) | undefined
  /** Called when the whole body was passed on, on platforms that send it while it is read. */
  onEnd?: (() => void) | undefined
  /** Names the upload, so that a repeated request stores nothing more. An upload in parts has its own. */
  idempotencyKey?: string | undefined
  /** Name of the upload in lists of unfinished uploads. */
  name?: string | undefined
  /** The same body as a Blob, if all of it is one. */
  blob?: Blob | undefined
  /** Hashes what distinguishes the files from others, on platforms that know it before they read them. */
  identify?: () => Promise<string> | undefined
  /** Returns the CIDs of the content, once the body was read to its end. */
  computed?: () => string[]
}

/**
 * A way to send an upload to the service: in one request, or in parts. Returns what was stored: the root, or every file of
 * an encrypted upload.
 */
export type Transport = (client: Client, upload: MultipartUpload) => Promise<Uploaded[]>

/** Sends an upload in one request. @throws CairnError as {@link postMultipart} */
export const sendInOneRequest: Transport = (client, upload) => postMultipart(client, uploadPaths.files, upload)

/**
 * Sends an upload to one of the upload paths. An error of the body is thrown unchanged: the broken connection is only its
 * consequence.
 * @throws CairnError the call's own codes, DUPLICATE_NAME, INVALID_PATH, NETWORK_ERROR, TIMEOUT, ABORTED, NO_API_KEY,
 *   NO_JSON_ARRAY, UNEXPECTED_RESPONSE
 */
export async function postMultipart(
  client: Client,
  path: (typeof uploadPaths)[keyof typeof uploadPaths],
  upload: MultipartUpload,
): Promise<Uploaded[]> {
  const authorization = authorizationOf(client)
  if (upload.boundary === undefined) throw new TypeError('A body in one request needs a boundary')
  const { timeout, signal } = limitTime({ signal: upload.signal, timeoutMs: client.transferTimeoutMs })
  let failed: unknown
  const body = noteFailure(gather(upload.body), (error) => {
    failed = error
  })
  const { query, headers } = encodeUploadRequest(upload.parameters)
  // In the query: browsers would ask older services for permission to send another header, and be refused.
  if (upload.idempotencyKey !== undefined) query['idempotency-key'] = upload.idempotencyKey
  try {
    signal.throwIfAborted()
    const answer = await sendStreamed({
      url: joinUrl(client.network.upload, `${path}?${new URLSearchParams(query)}`),
      headers: {
        authorization,
        'content-type': `multipart/form-data; boundary=${upload.boundary}`,
        ...headers,
      },
      contentLength: upload.contentLength,
      body,
      signal,
      onSent: upload.onSent,
      onEnd: upload.onEnd,
    })
    if (answer.status < 200 || answer.status > 299)
      throw decodeError('upload', { status: answer.status, header: answer.header, body: answer.text })
    // A CAR has one root, encrypted or not.
    const isList = upload.parameters.isEncrypted === true && path !== uploadPaths.car
    return readAnswer(answer.text, isList ? 'NO_JSON_ARRAY' : 'UNEXPECTED_RESPONSE')
  } catch (error) {
    if (failed !== undefined) rethrowUnixfs(failed)
    throw describeFailure(error, upload.signal, timeout)
  }
}

/** Parses the response of an upload: an array for an encrypted one, any other its root. */
function readAnswer(text: string, code: 'NO_JSON_ARRAY' | 'UNEXPECTED_RESPONSE'): Uploaded[] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new CairnError(code, { cause })
  }
  if (code === 'NO_JSON_ARRAY' && !Array.isArray(json)) throw new CairnError(code)
  const parsed = v.safeParse(v.array(uploadedSchema), [json].flat())
  if (!parsed.success) throw new CairnError('UNEXPECTED_RESPONSE')
  return parsed.output
}

async function* noteFailure(
  pieces: AsyncIterable<Uint8Array>,
  note: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces
  } catch (error) {
    note(error)
    throw error
  }
}

/** Throws the error of a body. An error of the tree is about a name. */
export function rethrowUnixfs(error: unknown): never {
  if (!(error instanceof UnixfsError)) throw error
  if (error.code === 'DUPLICATE_NAME') throw duplicateName(String(error.details['path']), error)
  throw new CairnError('INVALID_PATH', { message: error.message, cause: error })
}
