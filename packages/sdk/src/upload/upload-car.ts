import { CairnError, isAnyCid, maxCarHeaderBytes, uploadPaths } from '@cairn/protocol'
import { readCar } from '@cairn/unixfs'
import { openPath } from '#platform/local-files'
import type { Client } from '../client.ts'
import { blobFile } from '../local/blob-file.ts'
import { openStream } from '../local/check-content.ts'
import type { LocalFile } from '../local-source.ts'
import { createProgress } from '../progress.ts'
import { createBoundary, multipartEnd, partHead, randomHex } from './multipart.ts'
import { postMultipart } from './post-multipart.ts'
import { retryUpload } from './retry-upload.ts'
import type { UploadOptions, UploadResult } from './send-files.ts'

/** Options of {@link uploadCar}. */
export type CarOptions = Pick<
  UploadOptions,
  'name' | 'mimeType' | 'announce' | 'private' | 'signal' | 'onProgress' | 'idempotencyKey'
> & {
  /** The content is encrypted; save its file key first, with {@link saveKey}. */
  isEncrypted?: boolean
}

/**
 * Uploads a CAR and keeps its root. The service verifies every block against its CID, and that none is missing. Retries only if
 * the source can be read again.
 * @param source a path (Node), the bytes, or a stream of them, which needs a name
 * @throws CairnError INVALID_CAR, BLOCK_HASH_MISMATCH, INCOMPLETE_DAG, DAG_TOO_DEEP, UNSUPPORTED_CODEC, and those of uploadFile:
 *   CID_MISMATCH for a response with a CID that the CAR does not name as a root
 */
export async function uploadCar(client: Client, source: CarInput, options: CarOptions = {}): Promise<UploadResult> {
  const file = await openCar(source, options.name)
  // One for all attempts: if only the response of the first was lost, the service returns what it stored.
  const idempotencyKey = options.idempotencyKey ?? randomHex()
  const attempt = () => sendCar(client, file, options, idempotencyKey)
  return file.canReopen ? retryUpload(client, attempt, options.signal) : attempt()
}

async function sendCar(
  client: Client,
  file: LocalFile,
  options: CarOptions,
  idempotencyKey: string,
): Promise<UploadResult> {
  const boundary = createBoundary()
  const [head, end] = [partHead(boundary, file, true), multipartEnd(boundary)]
  const progress = createProgress('send', file.sizeBytes, options.onProgress)
  let sizeBytes = 0
  const start: Uint8Array[] = []
  async function* body(): AsyncGenerator<Uint8Array> {
    yield head
    for await (const piece of file.open()) {
      // A copy, because the source may use its buffer again.
      if (sizeBytes < maxStartBytes) start.push(new Uint8Array(piece.subarray(0, maxStartBytes - sizeBytes)))
      progress.add(piece.length)
      sizeBytes += piece.length
      yield piece
    }
    yield end
  }
  const [uploaded] = await postMultipart(client, uploadPaths.car, {
    parameters: options,
    boundary,
    contentLength: file.sizeBytes === undefined ? undefined : head.length + file.sizeBytes + end.length,
    body: body(),
    idempotencyKey,
    signal: options.signal,
  })
  if (uploaded === undefined || !isAnyCid(uploaded.Hash)) throw new CairnError('UNEXPECTED_RESPONSE')
  const { Hash, Name, Size } = uploaded
  const roots = await readRoots(start)
  const [root] = roots
  if (root !== undefined && !roots.includes(Hash))
    throw new CairnError('CID_MISMATCH', { details: { computed: root, answered: [Hash] } })
  progress.done()
  return { cid: Hash, name: Name, sizeBytes, dagSizeBytes: Number(Size) }
}

/** Bytes in which every header that the service accepts ends: that of a second version comes after 51 bytes, or a little padding. */
const maxStartBytes = maxCarHeaderBytes + 4096

/** Returns the roots that the header of a CAR names, which begins with these bytes. */
async function readRoots(start: readonly Uint8Array[]): Promise<string[]> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield* start
  }
  try {
    const { roots, close } = await readCar(pieces(), { maxHeaderBytes: maxCarHeaderBytes })
    await close()
    return roots.map(String)
  } catch {
    // The service accepted a header that this version cannot read.
    return []
  }
}

type CarInput = string | Blob | Uint8Array | AsyncIterable<Uint8Array>

async function openCar(source: CarInput, name: string | undefined): Promise<LocalFile> {
  if (source instanceof Uint8Array) return blobFile(new Blob([new Uint8Array(source)]), name ?? 'upload.car')
  if (source instanceof Blob) return blobFile(source, name)
  if (typeof source !== 'string') {
    const open = openStream(source)
    return { name: name ?? 'upload.car', sizeBytes: undefined, canReopen: false, open }
  }
  const path = await openPath(source)
  if (path.kind === 'directory') throw new CairnError('FILE_UNREADABLE', { message: `${source} is a folder` })
  return { ...path.file, name: name ?? path.file.name }
}
