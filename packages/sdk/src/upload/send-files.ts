import { CairnError, isCid, type Uploaded, uploadedSchema } from '@cairn/protocol'
import {
  type BlockSink,
  createDirectoryTree,
  createFileImporter,
  type ImportedNode,
  type ImportProfile,
  importProfiles,
  profileFor,
} from '@cairn/unixfs'
import * as v from 'valibot'
import { hashSha256, measure, sendsWhileReading } from '#platform'
import type { Client } from '../client.ts'
import type { LocalFile } from '../local-source.ts'
import { createProgress, type OnProgress, type ProgressMeter } from '../progress.ts'
import { tryAgain } from '../request.ts'
import { createBoundary, multipartEnd, partHead } from './multipart.ts'
import { postMultipart } from './post-multipart.ts'
import type { Resumable } from './resumable.ts'

/** Options of every upload. */
export type UploadOptions = {
  /** Version of the CID; 1 unless told. */
  cidVersion?: 0 | 1
  /** `unixfs-v1-2025`: chunks of 1 MiB and 1,024 links, as newer Kubo offers. */
  profile?: 'unixfs-v1-2025'
  /** Name in listings, in place of the source's own. */
  name?: string
  /** MIME type to keep; found out by the service where it is not told. */
  mimeType?: string
  /** Puts a single file into a folder of its own, so that its name is part of the content. */
  wrapWithDirectory?: boolean
  signal?: AbortSignal
  onProgress?: OnProgress
  /** Sends it in parts, so that it can go on where it stopped: made by `createResumable`. */
  resumable?: Resumable
}

/** What was stored. */
export type UploadResult = {
  cid: string
  name: string
  /** Bytes of the file or of all files. */
  sizeBytes: number
  /** Bytes of the DAG with its nodes, as Kubo counts them. */
  dagSizeBytes: number
}

/** What is sent: one file, or the files of a folder. */
export type Batch = {
  files: () => AsyncIterable<LocalFile> | Iterable<LocalFile>
  isFolder: boolean
  canRepeat: boolean
  totalBytes: number | undefined
}

/** Blocks are only counted: the bytes go to the service as they are. */
export const discard: BlockSink = { put: () => undefined }

/**
 * Sends files in one request and computes their CID on the way; the service's answer must agree.
 * A whole upload is tried again only where its source can be read again.
 *
 * @throws CairnError CID_MISMATCH, DUPLICATE_NAME, FILE_CHANGED, FILE_UNREADABLE, QUOTA_EXCEEDED and the call's other
 *   codes, NETWORK_ERROR, TIMEOUT, ABORTED
 */
export function sendFiles(client: Client, batch: Batch, options: UploadOptions = {}): Promise<UploadResult> {
  const attempt = () => sendOnce(client, batch, options)
  if (options.resumable !== undefined) return options.resumable.retry(attempt, batch.canRepeat, options.signal)
  return batch.canRepeat ? tryAgain(attempt, options.signal) : attempt()
}

async function sendOnce(client: Client, batch: Batch, options: UploadOptions): Promise<UploadResult> {
  const profile = profileOf(options)
  const { resumable } = options
  const boundary = resumable?.boundary ?? createBoundary()
  const state: Sending = { profile, wrap: options.wrapWithDirectory ?? false, sizeBytes: 0, node: undefined }
  const { reading, onSent, done } = createMeters(batch.totalBytes, options.onProgress)
  const text = await (resumable?.send ?? postMultipart)(client, {
    query: queryOf(options),
    boundary,
    headers: options.mimeType === undefined ? {} : { 'mime-type': options.mimeType },
    contentLength: await contentLength(batch, boundary, resumable !== undefined),
    body: writeBody(batch, boundary, state, reading.add),
    signal: options.signal,
    onSent,
    name: options.name,
    blob: resumable === undefined ? undefined : await wholeBlob(batch, boundary),
    computed: () => (state.node === undefined ? [] : [state.node.cid.toString()]),
  })
  const result = compare(readAnswer(text), state)
  done()
  return result
}

/** What an upload tells of itself: what is read, and what is sent, which is one where a body goes out while it is read. */
export function createMeters(
  totalBytes: number | undefined,
  onProgress: OnProgress | undefined,
): { reading: ProgressMeter; onSent: (bytes: number, total: number) => void; done: () => void } {
  // Made when sending begins: its speed is that of the line alone.
  let meter: ProgressMeter | undefined
  const sending = () => {
    meter ??= createProgress('send', totalBytes, onProgress)
    return meter
  }
  return {
    reading: sendsWhileReading ? sending() : createProgress('prepare', totalBytes, onProgress),
    // What is told are bytes of content; the body has heads of its parts besides.
    onSent: (bytes, total) => sending().reach(Math.round(((totalBytes ?? total) * bytes) / Math.max(1, total))),
    done: () => sending().done(),
  }
}

/** How the content becomes a DAG. */
export function profileOf(options: UploadOptions): ImportProfile {
  return options.profile === undefined ? profileFor(options.cidVersion ?? 1) : importProfiles[options.profile]
}

type Sending = { profile: ImportProfile; wrap: boolean; sizeBytes: number; node: ImportedNode | undefined }

/** What an upload says in its query. */
export function queryOf(options: UploadOptions): URLSearchParams {
  const parts = new URLSearchParams({
    'cid-version': String(options.cidVersion ?? 1),
    'wrap-with-directory': String(options.wrapWithDirectory ?? false),
  })
  if (options.profile !== undefined) parts.set('profile', options.profile)
  return parts
}

/**
 * Known for a single file of known size: servers then refuse what is too large before it is sent. Files of a folder are
 * measured where it is needed.
 */
async function contentLength(batch: Batch, boundary: string, isNeeded: boolean): Promise<number | undefined> {
  if (batch.isFolder && !isNeeded) return undefined
  let length = 0
  for await (const file of batch.files()) {
    const sizeBytes = file.sizeBytes ?? (file.path === undefined ? undefined : await measure(file))
    if (sizeBytes === undefined) return undefined
    length += partHead(boundary, file, length === 0).length + sizeBytes
  }
  return length === 0 ? undefined : length + multipartEnd(boundary).length
}

/** The body as it lies there, where every file is a Blob. */
async function wholeBlob(batch: Batch, boundary: string): Promise<Blob | undefined> {
  const parts: BlobPart[] = []
  for await (const file of batch.files()) {
    if (file.blob === undefined) return undefined
    parts.push(new Uint8Array(partHead(boundary, file, parts.length === 0)), file.blob)
  }
  return new Blob([...parts, new Uint8Array(multipartEnd(boundary))])
}

async function* writeBody(
  batch: Batch,
  boundary: string,
  state: Sending,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const { profile } = state
  const tree =
    batch.isFolder || state.wrap
      ? createDirectoryTree({ profile, hash: hashSha256, sink: discard, wrap: state.wrap || !batch.isFolder })
      : undefined
  let isFirst = true
  for await (const file of batch.files()) {
    yield partHead(boundary, file, isFirst)
    isFirst = false
    const importer = createFileImporter({ profile, hash: hashSha256, sink: discard })
    for await (const piece of file.open()) {
      const taken = importer.write(piece)
      if (taken instanceof Promise) await taken
      count(piece.length)
      state.sizeBytes += piece.length
      yield piece
    }
    const node = await importer.finish()
    if (tree === undefined) state.node = node
    else tree.addFile(file.name, node)
  }
  if (isFirst)
    throw new CairnError('NO_FILE', {
      message: 'There is no file to upload',
      hint: 'An empty folder has nothing to store.',
    })
  if (tree !== undefined) state.node = (await tree.finish()).root
  yield multipartEnd(boundary)
}

/** The answer of an upload: one object, or an array of one. @throws CairnError UNEXPECTED_RESPONSE */
export function readAnswer(text: string): Uploaded {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new CairnError('UNEXPECTED_RESPONSE', { cause })
  }
  const parsed = v.safeParse(uploadedSchema, Array.isArray(json) ? json[0] : json)
  if (!parsed.success || !isCid(parsed.output.Hash)) throw new CairnError('UNEXPECTED_RESPONSE')
  return parsed.output
}

function compare(uploaded: Uploaded, state: Sending): UploadResult {
  const { node } = state
  if (node === undefined)
    throw new CairnError('UNEXPECTED_RESPONSE', { message: 'The service answered before it had everything' })
  const local = node.cid.toString()
  if (local !== uploaded.Hash)
    throw new CairnError('CID_MISMATCH', { details: { computed: local, answered: uploaded.Hash } })
  return { cid: local, name: uploaded.Name, sizeBytes: state.sizeBytes, dagSizeBytes: node.dagSizeBytes }
}
