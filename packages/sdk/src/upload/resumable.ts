import { CairnError } from '@cairn/protocol'
import { gatherBody, sendsWhileReading } from '#platform'
import type { Client } from '../client.ts'
import { pause } from '../request.ts'
import { createBoundary } from './multipart.ts'
import type { MultipartUpload } from './post-multipart.ts'
import { beginUpload, type PartsBody, sendInParts } from './send-in-parts.ts'

/**
 * What is needed to go on with an upload, in another process or after a reload. Holds no secret; it is worth nothing without
 * an API key of the same account.
 */
export type ResumableState = {
  /** Of the upload at the service. */
  id: string
  /** Parts the files of the body. */
  boundary: string
  /** Bytes of the whole body. */
  sizeBytes: number
  /** CIDs of what is sent, where they were known before it was: browsers read a file before they send it. */
  cids: readonly string[]
}

/** Options of {@link createResumable}. */
export type ResumableOptions = {
  /** An upload to go on with: of the same files, under the same names and options. */
  state?: ResumableState
  /** Told what to keep, before the first byte is sent. */
  onState?: (state: ResumableState) => void | Promise<void>
  /**
   * Told the body of an encrypted upload in browsers, before it is sent: encrypted once more it would be another. With it and
   * the state, {@link resumeUpload} goes on.
   */
  onBody?: (body: Blob) => void | Promise<void>
  /** Waits before another try, in place of a pause that grows to 30 s: a page waits for the network to come back. */
  waitToRetry?: (pauseMs: number, signal: AbortSignal | undefined) => Promise<void>
}

/** Carries uploads in parts: what the service has is never sent again. One for each upload. */
export type Resumable = {
  readonly boundary: string
  send(client: Client, upload: MultipartUpload): Promise<string>
  retry<T>(attempt: () => Promise<T>, canRepeat: boolean, signal: AbortSignal | undefined): Promise<T>
}

/** Tries without a byte more at the service, and the pauses between them in ms, doubled each time. */
export const partTries = 8
const firstPauseMs = 500
const longestPauseMs = 30_000

/**
 * Makes an upload one that can be resumed: given to any of the upload functions as `resumable`.
 *
 * @example
 * const resumable = createResumable({ onState: (state) => writeFile('state.json', JSON.stringify(state)) })
 * const { cid } = await uploadFile(client, 'film.mkv', { resumable })
 */
export function createResumable(options: ResumableOptions = {}): Resumable {
  let { state } = options
  const boundary = state?.boundary ?? createBoundary()
  const keep = async (next: ResumableState): Promise<void> => {
    state = next
    await options.onState?.(next)
  }

  /** Goes on with what was begun, or begins. */
  const open = async (client: Client, upload: MultipartUpload, sizeBytes: number): Promise<string> => {
    const cids = upload.computed?.() ?? []
    if (state !== undefined && state.cids.length > 0 && cids.length > 0 && `${state.cids}` !== `${cids}`) {
      throw new CairnError('FILE_CHANGED', {
        message: 'These are not the files that the upload began with',
        hint: 'Choose the same files, or begin the upload anew.',
      })
    }
    if (state !== undefined && state.sizeBytes === sizeBytes) return state.id
    const id = await beginUpload(client, upload, sizeBytes)
    await keep({ id, boundary, sizeBytes, cids })
    return id
  }

  const send: Resumable['send'] = async (client, upload) => {
    const { signal, onSent } = upload
    const body = await makeBody(upload, options)
    const go = async (): Promise<string> => {
      const id = await open(client, upload, body.sizeBytes)
      try {
        return JSON.stringify(await sendInParts(client, id, body, { signal, onSent }))
      } catch (error) {
        const fault = CairnError.from(error)
        if (!isOver(fault)) throw error
        // Another try, by whomever, begins anew.
        state = undefined
        if (fault.code !== 'NOT_FOUND') throw error
        throw new CairnError('CONFLICT', { message: 'The service has given this upload up', cause: error })
      }
    }
    const text = sendsWhileReading ? await go() : await retryParts(go, options, signal)
    return answerText(text, upload)
  }

  return {
    boundary,
    send,
    retry: (attempt, canRepeat, signal) => {
      // A body that lies there as a whole is tried again where it is sent.
      if (!sendsWhileReading) return attempt()
      return canRepeat ? retryParts(attempt, options, signal) : attempt()
    },
  }
}

/**
 * Goes on with an encrypted upload whose body was kept.
 * @returns the CIDs of its files, as they were computed when it was encrypted
 * @throws CairnError NOT_FOUND when the service has given it up, CID_MISMATCH, and those of uploads
 */
export async function resumeUpload(
  client: Client,
  state: ResumableState,
  body: Blob,
  options: Pick<ResumableOptions, 'waitToRetry'> & {
    signal?: AbortSignal
    onSent?: (bytes: number, total: number) => void
  } = {},
): Promise<string[]> {
  if (body.size !== state.sizeBytes) throw new CairnError('FILE_CHANGED')
  const parts: PartsBody = { sizeBytes: body.size, from: (offset) => body.slice(offset) }
  const { signal, onSent } = options
  const stored = await retryParts(() => sendInParts(client, state.id, parts, { signal, onSent }), options, signal)
  const answered = stored.map(({ Hash }) => Hash)
  for (const cid of state.cids) {
    if (!answered.includes(cid)) throw new CairnError('CID_MISMATCH', { details: { computed: cid, answered } })
  }
  return [...state.cids]
}

async function makeBody(upload: MultipartUpload, options: ResumableOptions): Promise<PartsBody> {
  const { body, contentLength, blob, signal } = upload
  if (sendsWhileReading) {
    if (contentLength === undefined) {
      throw new CairnError('NOT_SUPPORTED', {
        message: 'An upload of unknown length cannot be resumed',
        hint: 'Upload it in one request, or as a file.',
      })
    }
    return { sizeBytes: contentLength, from: (offset) => skip(body, offset, contentLength) }
  }
  if (blob !== undefined) {
    // Read to its end for its CID; the browser sends the file as it lies.
    for await (const _piece of body) signal?.throwIfAborted()
    return { sizeBytes: blob.size, from: (offset) => blob.slice(offset) }
  }
  const gathered = await gatherBody(body, signal)
  await options.onBody?.(gathered)
  return { sizeBytes: gathered.size, from: (offset) => gathered.slice(offset) }
}

/** The rest of a body from an offset on; all of it is read, for its CID. @throws CairnError FILE_CHANGED */
async function* skip(body: AsyncIterable<Uint8Array>, offset: number, sizeBytes: number): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const piece of body) {
    const end = at + piece.length
    if (end > sizeBytes) throw new CairnError('FILE_CHANGED')
    if (end > offset) yield at >= offset ? piece : piece.subarray(offset - at)
    at = end
  }
  if (at !== sizeBytes) throw new CairnError('FILE_CHANGED')
}

/** Whether nothing can come of an upload any more, whoever goes on with it. */
function isOver({ status, retry }: CairnError): boolean {
  return status >= 400 && status < 500 && !retry && ![401, 402, 403].includes(status)
}

/** An encrypted upload is answered with an array, any other with its root. */
function answerText(text: string, { headers }: MultipartUpload): string {
  if (headers?.['encryption'] === 'true') return text
  const answers: unknown = JSON.parse(text)
  return JSON.stringify(Array.isArray(answers) ? answers[0] : answers)
}

/** Tries again while it may help; whoever gets on has all tries before him again. */
async function retryParts<T>(
  attempt: () => Promise<T>,
  { waitToRetry = pause }: Pick<ResumableOptions, 'waitToRetry'>,
  signal: AbortSignal | undefined,
): Promise<T> {
  let best = -1
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const fault = CairnError.from(error)
      const offset = Number(fault.details['offsetBytes'] ?? -1)
      if (offset > best) {
        best = offset
        tries = 1
      }
      if (!fault.retry || tries >= partTries) throw error
      const grown = Math.min(longestPauseMs, firstPauseMs * 2 ** (tries - 1)) * (0.5 + Math.random() / 2)
      await waitToRetry(Math.max(grown, (fault.retryAfterSeconds ?? 0) * 1000), signal)
    }
  }
}
