import { CairnError, decodeError } from '@cairn/protocol'
import { openPath, sendStreamed } from '#platform'
import type { Client } from '../client.ts'
import { blobFile } from '../local/blob-file.ts'
import type { LocalFile } from '../local-source.ts'
import { createProgress } from '../progress.ts'
import { describeFault } from '../request.ts'
import { createBoundary, multipartEnd, partHead } from './multipart.ts'
import { headersOf, readAnswer, type UploadOptions, type UploadResult } from './send-files.ts'

/**
 * Uploads a CAR and keeps its root. The service verifies every block against its CID, and that none is missing.
 * @throws CairnError INVALID_CAR, BLOCK_HASH_MISMATCH, INCOMPLETE_DAG, DAG_TOO_DEEP, UNSUPPORTED_CODEC, and those of
 *   uploadFile
 */
export async function uploadCar(
  client: Client,
  source: string | Blob | Uint8Array,
  options: Pick<UploadOptions, 'name' | 'mimeType' | 'announce' | 'signal' | 'onProgress'> & {
    /** The content is encrypted; save its file key first, with {@link saveKey}. */
    isEncrypted?: boolean
  } = {},
): Promise<UploadResult> {
  if (client.apiKey === undefined) throw new CairnError('NO_API_KEY')
  const file = await openCar(source, options.name)
  const boundary = createBoundary()
  const [head, end] = [partHead(boundary, file, true), multipartEnd(boundary)]
  const timeout = AbortSignal.timeout(client.transferTimeoutMs)
  const progress = createProgress('send', file.sizeBytes, options.onProgress)
  async function* body(): AsyncGenerator<Uint8Array> {
    yield head
    for await (const piece of file.open()) {
      progress.add(piece.length)
      yield piece
    }
    yield end
  }
  try {
    const answer = await sendStreamed({
      url: `${client.network.upload.replace(/\/+$/, '')}/api/v0/dag/import`,
      headers: {
        authorization: `Bearer ${client.apiKey}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
        ...headersOf(options),
        ...(options.isEncrypted === true ? { encryption: 'true' } : {}),
      },
      contentLength: file.sizeBytes === undefined ? undefined : head.length + file.sizeBytes + end.length,
      body: body(),
      signal: options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]),
    })
    if (answer.status !== 200)
      throw decodeError('upload', { status: answer.status, header: answer.header, body: answer.text })
    const { Hash, Name, Size } = readAnswer(answer.text)
    progress.done()
    return { cid: Hash, name: Name, sizeBytes: file.sizeBytes ?? 0, dagSizeBytes: Number(Size) }
  } catch (error) {
    throw describeFault(error, options.signal, timeout)
  }
}

async function openCar(source: string | Blob | Uint8Array, name: string | undefined): Promise<LocalFile> {
  if (source instanceof Uint8Array) return blobFile(new Blob([new Uint8Array(source)]), name ?? 'upload.car')
  if (typeof source !== 'string') return blobFile(source, name)
  const path = await openPath(source)
  if (path.kind === 'directory') throw new CairnError('FILE_UNREADABLE', { message: `${source} is a folder` })
  return { ...path.file, name: name ?? path.file.name }
}
