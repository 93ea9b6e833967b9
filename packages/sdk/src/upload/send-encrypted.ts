import { CairnError, forEachOf, isCid, parseDetails, type Uploaded } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type EncryptBlob, encryptedSize, type FileFormat } from '../encryption/encrypt-stream.ts'
import type { ChangeResult } from '../keys/change-nodes.ts'
import { type PreparedKey, prepareKey, type SaveKeyOptions } from '../keys/save-key.ts'
import { type EncryptedPart, encryptPart } from './encrypt-part.ts'
import { passOn } from './gather.ts'
import { createBoundary, multipartEnd, partHead, randomHex } from './multipart.ts'
import { sendInOneRequest } from './post-multipart.ts'
import { prepareAhead } from './prepare-ahead.ts'
import { retryUpload } from './retry-upload.ts'
import { createMeters, type UploadOptions, type UploadResult } from './send-files.ts'
import type { Batch } from './write-body.ts'

/** Options of encrypted uploads. */
export type EncryptedUploadOptions = Omit<
  UploadOptions,
  'wrapWithDirectory' | 'private' | 'skipStored' | 'idempotencyKey'
> &
  Pick<SaveKeyOptions, 'shareTo' | 'conditions' | 'pauseMs'> & {
    /** `v1`, which published clients read, is the default; `v2` is seekable and has no size limit. */
    format?: FileFormat
    /** Size of a chunk of the second format, in bytes. */
    chunkBytes?: number
    /** Encrypts Files and Blobs elsewhere, for example in a worker. */
    encrypt?: EncryptBlob
  }

/** Options of encrypted folders. */
export type EncryptedFolderOptions = EncryptedUploadOptions & {
  /**
   * The folder has one CID and one key: it is shared as a whole, the names of its files are hidden, and its files are
   * of the second format. By default, each file has its own CID and key, which published clients read.
   */
  asOne?: boolean
}

/** A stored encrypted file or folder. */
export type EncryptedUploadResult = UploadResult & {
  /** Outcome of saving the shards on the five nodes. */
  keys: ChangeResult
}

/** Saves the key of one file, until the signal aborts. */
export type SaveOneKey = (cid: string, key: PreparedKey, signal: AbortSignal) => Promise<ChangeResult>

/** A file in transit: its key is saved once its CID is known, and before the service has its last byte. */
type Sent = {
  name: string
  sizeBytes: number
  cid: string
  dagSizeBytes: number
  key: PreparedKey
  keys?: ChangeResult
}

/** Maximum number of keys saved concurrently. */
const savedAtOnce = 4

/**
 * Encrypts files and sends them in one request, each under its own key. Encrypts the bytes and computes their CID on
 * the way, and saves the shards before the request ends, so that the service lists no file whose key is not safe.
 * @param save saves the key of one file
 * @throws CairnError KEY_SAVE_FAILED with the error as its cause, and those of plain uploads
 */
export function sendEncrypted(
  client: Client,
  batch: Batch,
  options: EncryptedFolderOptions,
  save: SaveOneKey,
): Promise<EncryptedUploadResult[]> {
  const wholes: Whole[] = []
  const load = () => import('./is-own-upload.ts')
  // Loaded now, because a response is lost with the connection that would load it.
  load().catch(() => undefined)
  const attempt = async () => {
    // The response may have been lost. A further attempt would store a second copy, because each has its own keys.
    for (const whole of wholes) {
      const [first] = whole.sent
      const { isOwnUpload } = await load()
      // The service stored all files of an attempt, or none.
      if (first !== undefined && (await isOwnUpload(client, first.cid, options.signal))) return finish(whole)
    }
    return sendOnce(client, batch, options, save, (whole) => wholes.push(whole))
  }
  if (options.resumable !== undefined) return options.resumable.retry(attempt, batch.canRepeat, options.signal)
  return batch.canRepeat ? retryUpload(client, attempt, options.signal) : attempt()
}

/** An attempt that sent all bytes of its files, whose keys are saved. */
type Whole = { sent: readonly Sent[]; done(): void }

function finish({ sent, done }: Whole): EncryptedUploadResult[] {
  done()
  // The keys of all files are saved by now.
  return sent.flatMap(({ key: _key, keys, ...result }) => (keys === undefined ? [] : [{ ...result, keys }]))
}

async function sendOnce(
  client: Client,
  batch: Batch,
  options: EncryptedFolderOptions,
  save: SaveOneKey,
  onWhole: (whole: Whole) => void,
): Promise<EncryptedUploadResult[]> {
  const { resumable } = options
  // The service imports a body that is one file as it arrives.
  const isOneFile = resumable && !batch.isFolder
  const boundary = isOneFile ? undefined : (resumable?.boundary ?? createBoundary())
  const { reading, onSent, done } = createMeters(batch.totalBytes, options.onProgress)
  const sent: Sent[] = []
  const stop = new AbortController()
  /** Settles once the keys are saved. */
  let saving: Promise<void> | undefined
  const add = ({ name, sizeBytes, node }: EncryptedPart & { name: string }, key: PreparedKey) => {
    sent.push({ name, sizeBytes, cid: node.cid.toString(), dagSizeBytes: node.dagSizeBytes, key })
  }
  const apart = async function* (): AsyncGenerator<Uint8Array, void> {
    for await (const { file, key, ...prepared } of prepareAhead(batch.files(), options)) {
      yield partHead(boundary, { ...file, mimeType: undefined }, sent.length === 0)
      const part = yield* encryptPart(file, key.masterKey, { ...options, ...prepared }, reading.add)
      add({ ...part, name: file.name }, key)
    }
  }
  const asOne = async function* (): AsyncGenerator<Uint8Array, void> {
    const { encryptFolder } = await import('./encrypt-folder.ts')
    const key = prepareKey()
    add(yield* encryptFolder(batch.files(), boundary, key.masterKey, options, reading.add), key)
  }
  const body = async function* (): AsyncGenerator<Uint8Array> {
    yield* options.asOne ? asOne() : apart()
    if (sent.length === 0)
      throw new CairnError('NO_FILE', {
        message: 'No file to encrypt',
        hint: 'asOne (--as-one) keeps empty folders.',
      })
    const bytes = sent.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    options.onProgress?.({ phase: 'keys', bytes, total: bytes, bytesPerSecond: 0, remainingMs: undefined })
    // The first one is connected for, and the second one is read once what was before it has left: no key is saved for a service
    // that cannot be reached, and one that is waits for the end only so long.
    yield passOn
    yield passOn
    saving = saveKeys(sent, save, stop.signal, options.signal)
    await saving
    saving = undefined
    onWhole({ sent, done })
    yield multipartEnd(boundary)
  }
  const answers = await (resumable?.send ?? sendInOneRequest)(client, {
    parameters: { cidVersion: 1, ...options, wrapWithDirectory: options.asOne ?? false, isEncrypted: true },
    boundary,
    contentLength: await contentLength(batch, boundary, options),
    body: body(),
    signal: options.signal,
    onSent,
    // Each attempt has its own content. A network can deliver a single one twice.
    idempotencyKey: randomHex(),
    name: options.name,
    computed: () => sent.map(({ cid }) => cid),
  }).catch(async (error: unknown) => {
    if (saving !== undefined && CairnError.is(error, 'REQUEST_TIMEOUT')) {
      // The service waits for a byte only so long: the key nodes are slow, not the connection.
      stop.abort(new CairnError('KEY_NODES_UNAVAILABLE', { cause: error }))
      await saving
    }
    throw error
  })
  compare(answers, sent)
  return finish({ sent, done })
}

/**
 * Saves the keys of all files, several concurrently; no file is visible before all keys are safe.
 * @param stop its reason is why keys were not saved
 */
function saveKeys(
  sent: readonly Sent[],
  save: SaveOneKey,
  stop: AbortSignal,
  signal: AbortSignal | undefined,
): Promise<void> {
  const ended = signal === undefined ? stop : AbortSignal.any([signal, stop])
  return forEachOf(sent, savedAtOnce, async (one) => {
    try {
      one.keys = await save(one.cid, one.key, ended)
    } catch (error) {
      const failure = CairnError.from(stop.reason ?? error)
      // Errors that the caller caused pass unchanged.
      if (['ABORTED', 'NO_SESSION', 'INVALID_CONDITION', 'CHAIN_NOT_SUPPORTED'].includes(failure.code)) throw failure
      throw new CairnError('KEY_SAVE_FAILED', {
        details: { ...parseDetails('KEY_SAVE_FAILED', failure.details), name: one.name, code: failure.code },
        cause: failure,
      })
    }
  })
}

/** Known for a single file of known size. */
async function contentLength(
  batch: Batch,
  boundary: string | undefined,
  { format, chunkBytes }: EncryptedUploadOptions,
): Promise<number | undefined> {
  if (batch.isFolder) return undefined
  for await (const file of batch.files()) {
    if (file.sizeBytes === undefined) return undefined
    const head = partHead(boundary, { ...file, mimeType: undefined }, true).length
    return head + encryptedSize(file.sizeBytes, format, chunkBytes) + multipartEnd(boundary).length
  }
  return undefined
}

/** Every file must be in the response under the CID computed here. */
function compare(answers: readonly Uploaded[], sent: readonly Sent[]): void {
  const hashes = answers.map(({ Hash }) => Hash).filter((hash) => isCid(hash))
  for (const { cid } of sent) {
    if (!hashes.includes(cid)) throw new CairnError('CID_MISMATCH', { details: { computed: cid, answered: hashes } })
  }
}
