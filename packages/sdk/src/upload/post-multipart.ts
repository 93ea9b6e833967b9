import { CairnError, decodeError } from '@cairn/protocol'
import { UnixfsError } from '@cairn/unixfs'
import { sendStreamed } from '#platform'
import type { Client } from '../client.ts'
import { describeFault } from '../request.ts'
import { gather } from './gather.ts'

/** A multipart body that is produced while it is sent. */
export type MultipartUpload = {
  query: URLSearchParams
  boundary: string
  headers?: Record<string, string>
  contentLength: number | undefined
  body: AsyncIterable<Uint8Array>
  signal?: AbortSignal | undefined
  /** Called with the bytes sent so far, on platforms that know the number. */
  onSent?: ((bytes: number, total: number) => void) | undefined
  /** Name of the upload in lists of unfinished uploads. */
  name?: string | undefined
  /** The same body as a Blob, if all of it is one. */
  blob?: Blob | undefined
  /** Returns the CIDs of the content, once the body was read to its end. */
  computed?: () => string[]
}

/**
 * Sends an upload and returns the response of the service. An error of the body is thrown as it is: the connection that
 * breaks with it is not the cause.
 * @throws CairnError the call's own codes, DUPLICATE_NAME, INVALID_PATH, NETWORK_ERROR, TIMEOUT, ABORTED, NO_API_KEY
 */
export async function postMultipart(client: Client, upload: MultipartUpload): Promise<string> {
  if (client.apiKey === undefined) throw new CairnError('NO_API_KEY')
  const timeout = AbortSignal.timeout(client.transferTimeoutMs)
  const signal = upload.signal === undefined ? timeout : AbortSignal.any([timeout, upload.signal])
  let failed: unknown
  const body = noteFailure(gather(upload.body), (error) => {
    failed = error
  })
  try {
    signal.throwIfAborted()
    const answer = await sendStreamed({
      url: `${client.network.upload.replace(/\/+$/, '')}/api/v0/add?${upload.query}`,
      headers: {
        authorization: `Bearer ${client.apiKey}`,
        'content-type': `multipart/form-data; boundary=${upload.boundary}`,
        ...upload.headers,
      },
      contentLength: upload.contentLength,
      body,
      signal,
      onSent: upload.onSent,
    })
    if (answer.status < 200 || answer.status > 299)
      throw decodeError('upload', { status: answer.status, header: answer.header, body: answer.text })
    return answer.text
  } catch (error) {
    if (failed instanceof UnixfsError) throw fromUnixfs(failed)
    throw failed ?? describeFault(error, upload.signal, timeout)
  }
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

function fromUnixfs(error: UnixfsError): CairnError {
  if (error.code === 'DUPLICATE_NAME') return new CairnError('DUPLICATE_NAME', { message: error.message, cause: error })
  return new CairnError('INVALID_PATH', { message: error.message, cause: error })
}
