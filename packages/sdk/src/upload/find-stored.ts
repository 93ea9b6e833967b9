import { CairnError, type UploadParameters } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { getFileInfo } from '../files/files.ts'
import { createProgress, type OnProgress } from '../progress.ts'
import { throwIfAborted } from '../throw-if-aborted.ts'
import { createBoundary } from './multipart.ts'
import { type Batch, startSending, writeBody } from './write-body.ts'

/** What determines the CID and the access of an upload, and the options of its reading. */
type FindOptions = Pick<UploadParameters, 'profile' | 'cidVersion' | 'wrapWithDirectory' | 'private'> & {
  signal?: AbortSignal
  onProgress?: OnProgress
}
/** An upload that nothing has to be sent for: `name` is the one it has in listings. */
type StoredUpload = { cid: string; name: string; sizeBytes: number; dagSizeBytes: number; wasStored: true }

/**
 * Computes the CID of content and returns its newest upload by the account; undefined if there is none, or if one of the
 * two is private.
 * @throws CairnError INVALID_REQUEST for a stream, and those of reading and of {@link getFileInfo}
 */
export async function findStored(
  client: Client,
  batch: Batch,
  options: FindOptions,
): Promise<StoredUpload | undefined> {
  if (!batch.canRepeat) {
    throw new CairnError('INVALID_REQUEST', {
      message: 'A stream can be read only once, so its CID is not known before it is sent',
      hint: 'Omit skipStored, or pass a file or bytes.',
    })
  }
  const { signal } = options
  const state = startSending(options)
  const progress = createProgress('prepare', batch.totalBytes, options.onProgress)
  for await (const _ of writeBody(batch, createBoundary(), state, progress.add, false)) throwIfAborted(signal)
  progress.done()
  const { node, sizeBytes } = state
  if (node === undefined) return undefined
  const cid = node.cid.toString()
  const info = await getFileInfo(client, cid, { signal }).catch((error: unknown) => {
    if (CairnError.is(error, 'NOT_FOUND')) return undefined
    throw error
  })
  if (info?.isOwn !== true || (info.private ?? false) !== (options.private ?? false)) return undefined
  return { cid, name: info.fileName, sizeBytes, dagSizeBytes: node.dagSizeBytes, wasStored: true }
}
