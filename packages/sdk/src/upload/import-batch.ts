import { CairnError, type UploadParameters } from '@cairn/protocol'
import { createProgress, type OnProgress } from '../progress.ts'
import { throwIfAborted } from '../throw-if-aborted.ts'
import { createBoundary } from './multipart.ts'
import { type Batch, startSending, writeBody } from './write-body.ts'

/** What determines a CID, and the options of reading. */
export type ImportBatchOptions = Pick<UploadParameters, 'profile' | 'cidVersion' | 'wrapWithDirectory'> & {
  signal?: AbortSignal
  onProgress?: OnProgress
}

/** The CID of content, and its sizes in bytes: of all files, and of the DAG with its nodes, as Kubo counts it. */
export type ComputedCid = { cid: string; sizeBytes: number; dagSizeBytes: number }

/**
 * Computes the CID of files as an upload does, and sends nothing.
 * @throws CairnError NO_FILE, ABORTED, and those of reading
 */
export async function importBatch(batch: Batch, options: ImportBatchOptions): Promise<ComputedCid> {
  const { signal, onProgress } = options
  const state = startSending(options)
  const progress = createProgress('prepare', batch.totalBytes, onProgress)
  throwIfAborted(signal)
  for await (const _ of writeBody(batch, createBoundary(), state, progress.add, false)) throwIfAborted(signal)
  progress.done()
  const { node, sizeBytes } = state
  if (node === undefined) throw new CairnError('NO_FILE')
  return { cid: node.cid.toString(), sizeBytes, dagSizeBytes: node.dagSizeBytes }
}
