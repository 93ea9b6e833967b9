import { CairnError, type Uploaded } from '@cairn/protocol'
import { gatherBody, sendsWhileReading } from '#platform/send-body'
import type { Client } from '../client.ts'
import { pause } from '../request.ts'
import { createBoundary, randomHex } from './multipart.ts'
import type { MultipartUpload, Transport } from './post-multipart.ts'
import { sampleBlob } from './sample-blob.ts'
import { beginUpload, type PartsBody, sendInParts } from './send-in-parts.ts'

/**
 * State to resume an upload, in another process or after a reload. Contains no secret; it is useless without an API key
 * of the same account.
 */
export type ResumableState = {
  /** Id of the upload at the service. */
  id: string
  /** Separates the files in the body. */
  boundary: string
  /** Size of the whole body in bytes. */
  sizeBytes: number
  /** CIDs of the content, once known: browsers read a file while they send it, and before they resume it. */
  cids: readonly string[]
  /**
   * Rejects other files before a byte is sent, while no CID is known. In browsers, a hash of pieces of a large body; in Node, one of
   * names, sizes, times of change and first bytes.
   */
  sample?: string
}

/** Options of {@link createResumable}. */
export type ResumableOptions = {
  /** An upload to resume, with the same files, names and options. */
  state?: ResumableState
  /** Called with the state to store, before the first byte is sent. */
  onState?: (state: ResumableState) => void | Promise<void>
  /**
   * Called with the body of an encrypted upload in browsers, before it is sent: another encryption would produce
   * another body. {@link resumeUpload} needs it together with the state.
   */
  onBody?: (body: Blob) => void | Promise<void>
  /** Waits before a retry, instead of a pause that grows to 30 s: a page can wait until the network returns. */
  waitToRetry?: (pauseMs: number, signal: AbortSignal | undefined) => Promise<void>
}

/** Sends an upload in parts: bytes that the service has are never sent again. Create one per upload. */
export type Resumable = {
  readonly boundary: string
  /** Whether a complete body is read for its CID while it is sent. To resume an upload, it is read first. */
  readonly readsAside: boolean
  /** Whether the upload has started with a body of this size in bytes. */
  hasStarted(sizeBytes: number): boolean
  readonly send: Transport
  retry<T>(attempt: () => Promise<T>, canRepeat: boolean, signal: AbortSignal | undefined): Promise<T>
}

/** Attempts without progress at the service; the pauses between them, in ms, double each time. */
const partTries = 8
const firstPauseMs = 500
const maxPauseMs = 30_000
/** Maximum pause that a service may request. */
const maxAskedPauseMs = 60_000

/**
 * Makes an upload resumable. Pass it to any of the upload functions as `resumable`.
 * @example
 * const resumable = createResumable({ onState: (state) => writeFile('state.json', JSON.stringify(state)) })
 * const { cid } = await uploadFile(client, 'film.mkv', { resumable })
 */
export function createResumable(options: ResumableOptions = {}): Resumable {
  let { state } = options
  /** The service answers a repeated start of the same upload with the first one. */
  let started: { sizeBytes: number; key: string } | undefined
  const boundary = state?.boundary ?? createBoundary()
  const keep = async (next: ResumableState): Promise<void> => {
    state = next
    await options.onState?.(next)
  }

  /** Resumes the upload, or starts it. The service has no byte of a new one. */
  const open = async (
    client: Client,
    upload: MultipartUpload,
    { sizeBytes, sample: sampling }: Pick<SendBody, 'sizeBytes' | 'sample'>,
  ): Promise<{ id: string; isNew: boolean }> => {
    const cids = upload.computed?.() ?? []
    const isOther = state !== undefined && state.cids.length > 0 && cids.length > 0 && `${state.cids}` !== `${cids}`
    const looksOther = state?.sample !== undefined && state.sample !== ((await sampling) ?? state.sample)
    if (isOther || looksOther) {
      throw new CairnError('FILE_CHANGED', {
        message: 'The files differ from those the upload started with',
        hint: 'Select the same files, or start a new upload.',
      })
    }
    if (state !== undefined && state.sizeBytes === sizeBytes) return { id: state.id, isNew: false }
    // A repeated start may find bytes of its first attempt.
    const repeated = started?.sizeBytes === sizeBytes ? started : undefined
    started = repeated ?? { sizeBytes, key: randomHex() }
    const id = await beginUpload(client, upload, sizeBytes, started.key)
    const sample = await sampling
    await keep({ id, boundary, sizeBytes, cids, ...(sample === undefined ? {} : { sample }) })
    return { id, isNew: repeated === undefined && sizeBytes > 0 }
  }

  /** The CIDs are known while the body is sent. */
  const noteCids = async (upload: MultipartUpload): Promise<void> => {
    const cids = upload.computed?.() ?? []
    if (state !== undefined && state.cids.length === 0 && cids.length > 0) await keep({ ...state, cids })
  }

  const send: Transport = async (client, upload) => {
    const { onSent } = upload
    const { reading, ...body } = await makeBody(upload, options, state === undefined)
    const go = async (): Promise<Uploaded[]> => {
      const { id, isNew } = await open(client, upload, body)
      const stop = new AbortController()
      const signal = upload.signal === undefined ? stop.signal : AbortSignal.any([upload.signal, stop.signal])
      try {
        const sending = sendInParts(client, id, body, { signal, onSent, isNew })
        const [stored] = await Promise.all([sending, reading?.then(() => noteCids(upload))])
        return stored
      } catch (error) {
        // A file that cannot be read is not sent any further.
        stop.abort(error)
        const failure = CairnError.from(error)
        if (!isOver(failure)) throw error
        // Any retry starts a new upload.
        state = undefined
        started = undefined
        if (failure.code !== 'NOT_FOUND') throw error
        throw new CairnError('CONFLICT', { message: 'The service cancelled this upload', cause: error })
      }
    }
    return sendsWhileReading ? go() : retryParts(go, options, upload.signal)
  }

  return {
    boundary,
    get readsAside() {
      return state === undefined
    },
    hasStarted: (sizeBytes) => state?.sizeBytes === sizeBytes,
    send,
    retry: (attempt, canRepeat, signal) => {
      // A complete body is retried by the sender.
      if (!sendsWhileReading) return attempt()
      return canRepeat ? retryParts(attempt, options, signal) : attempt()
    },
  }
}

/**
 * Resumes an encrypted upload whose body was stored.
 * @returns the CIDs of its files, as computed during encryption
 * @throws CairnError NOT_FOUND if the service has removed it, CID_MISMATCH, and those of uploads
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

/** A body to send, with what identifies it. */
type SendBody = PartsBody & { reading?: Promise<void>; sample?: Promise<string | undefined> }

/** @param readsAside whether a complete body is read while it is sent; `reading` settles when that is done */
async function makeBody(upload: MultipartUpload, options: ResumableOptions, readsAside: boolean): Promise<SendBody> {
  const { body, contentLength, blob, signal, identify } = upload
  if (sendsWhileReading) {
    if (upload.parameters.isEncrypted) {
      throw new CairnError('NOT_SUPPORTED', {
        message: 'Encrypted uploads can be resumed only in browsers',
        hint: 'Upload it in one request.',
      })
    }
    if (contentLength === undefined) {
      throw new CairnError('NOT_SUPPORTED', {
        message: 'An upload of unknown length cannot be resumed',
        hint: 'Upload it in one request, or as a file.',
      })
    }
    const sample = identify?.()
    // Before the start, so that a file that cannot be read reserves no storage.
    await sample
    const parts: SendBody = { sizeBytes: contentLength, from: (offset) => skip(body, offset, contentLength, signal) }
    return sample === undefined ? parts : { ...parts, sample }
  }
  if (blob !== undefined) {
    // Concurrent with the request that starts the upload.
    const sample = sampleBlob(blob)
    // Read to its end for its CID; the browser sends the file itself.
    const reading = readAll(body, signal)
    // Both are awaited with the sending; until then a rejection must not count as unhandled.
    Promise.all([sample, reading]).catch(() => undefined)
    const from = (offset: number) => (offset === 0 ? blob : blob.slice(offset))
    const parts: SendBody = { sizeBytes: blob.size, from, sample }
    if (readsAside) return { ...parts, reading }
    await reading
    return parts
  }
  const gathered = await gatherBody(body, signal)
  await options.onBody?.(gathered)
  return { sizeBytes: gathered.size, from: (offset) => gathered.slice(offset) }
}

async function readAll(body: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Promise<void> {
  for await (const _piece of body) signal?.throwIfAborted()
}

/**
 * Yields the remaining body from an offset on; reads all of it, for its CID.
 * @throws CairnError FILE_CHANGED; the reason of the signal
 */
async function* skip(
  body: AsyncIterable<Uint8Array>,
  offset: number,
  sizeBytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const piece of body) {
    signal?.throwIfAborted()
    const end = at + piece.length
    if (end > sizeBytes) throw new CairnError('FILE_CHANGED')
    if (end > offset) yield at >= offset ? piece : piece.subarray(offset - at)
    at = end
  }
  if (at !== sizeBytes) throw new CairnError('FILE_CHANGED')
}

/** Returns whether an upload can no longer complete. */
function isOver({ status, retry }: CairnError): boolean {
  return status >= 400 && status < 500 && !retry && ![401, 402, 403].includes(status)
}

/** Retries while it may help; progress resets the number of attempts. */
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
      const failure = CairnError.from(error)
      const offset = failure.details.offsetBytes ?? -1
      if (offset > best) {
        best = offset
        tries = 1
      }
      if (!failure.retry || tries >= partTries) throw error
      const grown = Math.min(maxPauseMs, firstPauseMs * 2 ** (tries - 1)) * (0.5 + Math.random() / 2)
      const asked = Math.min(maxAskedPauseMs, (failure.retryAfterSeconds ?? 0) * 1000)
      await waitToRetry(Math.max(grown, asked), signal)
    }
  }
}
