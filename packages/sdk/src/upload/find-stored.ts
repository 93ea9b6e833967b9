import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { getFileInfo } from '../files/files.ts'
import { type ComputedCid, type ImportBatchOptions, importBatch } from './import-batch.ts'
import type { Batch } from './write-body.ts'

/** An upload that is already stored, so nothing has to be sent. `name` is its name in listings. */
type StoredUpload = ComputedCid & { name: string; wasStored: true }

/**
 * Computes the CID of content and returns its newest upload by the account; undefined if there is none, or if one of the
 * two is private.
 * @throws CairnError INVALID_REQUEST for a stream, and those of reading and of {@link getFileInfo}
 */
export async function findStored(
  client: Client,
  batch: Batch,
  options: ImportBatchOptions & { private?: boolean },
): Promise<StoredUpload | undefined> {
  if (!batch.canRepeat) {
    throw new CairnError('INVALID_REQUEST', {
      message: 'A stream can be read only once, so its CID is not known before it is sent',
      hint: 'Omit skipStored, or pass a file or bytes.',
    })
  }
  const { signal } = options
  const computed = await importBatch(batch, options)
  const info = await getFileInfo(client, computed.cid, { signal }).catch((error: unknown) => {
    if (CairnError.is(error, 'NOT_FOUND')) return undefined
    throw error
  })
  if (info?.isOwn !== true || (info.private ?? false) !== (options.private ?? false)) return undefined
  return { ...computed, name: info.fileName, wasStored: true }
}
