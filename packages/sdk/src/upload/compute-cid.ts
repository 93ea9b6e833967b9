import { type ComputedCid, type ImportBatchOptions, importBatch } from './import-batch.ts'
import { batchOfFile, type FileSource, openSource } from './open-source.ts'
import type { UploadOptions } from './send-files.ts'
import { type FolderSource, openFolder, refuseDuplicates } from './upload-folder.ts'

/** What determines the CID of an upload. `name` counts with `wrapWithDirectory` only. */
export type ComputeCidOptions = ImportBatchOptions & Pick<UploadOptions, 'name'>

/**
 * Computes the CID that an upload of one file with the same options would have, and sends nothing. It is the CID of `ipfs add`. A
 * path (Node), a File or Blob, bytes, or a stream.
 * @example
 * const { cid } = await computeCid('photo.jpg')
 * @throws CairnError INVALID_PATH, FILE_UNREADABLE, FILE_CHANGED, ABORTED
 */
export async function computeCid(source: FileSource, options: ComputeCidOptions = {}): Promise<ComputedCid> {
  return importBatch(batchOfFile(await openSource(source, options.name), options), options)
}

/**
 * Computes the CID that an upload of a folder with the same options would have, and sends nothing. It is the CID of `ipfs add -r
 * --hidden`, or of `ipfs add -r` with `hidden: false`.
 * @throws CairnError DUPLICATE_NAME, NO_FILE for no entries at all, and those of {@link computeCid}
 */
export async function computeFolderCid(
  source: FolderSource,
  options: ComputeCidOptions & Pick<UploadOptions, 'onLeftOut' | 'hidden'> = {},
): Promise<ComputedCid> {
  return importBatch(refuseDuplicates(await openFolder(source, options, 'all')), options)
}
