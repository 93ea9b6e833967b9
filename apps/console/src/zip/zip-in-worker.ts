import { CairnError, type NetworkProfile, restoreError } from '@cairn/sdk'
import { forWorker } from '../cipher/for-worker.ts'
import { startFailure, wordWriteFailure } from '../cipher/word-failure.ts'
import type { WrittenZip, ZipEvent, ZipItem, ZipOrder } from './zip-order.ts'

/** A ZIP to write, and what its progress and its keys come from. */
export type ZipJob = {
  items: readonly ZipItem[]
  apiKey: string | undefined
  target: FileSystemFileHandle | undefined
  signal: AbortSignal
  onProgress: (fileCount: number, bytes: number) => void
  /** Returns the file key of an encrypted item. */
  needKey: (cid: string) => Promise<string>
}

/**
 * Writes a ZIP in a worker of its own, so that the page stays responsive.
 * @returns with the file, if the user could not choose one
 * @throws CairnError ABORTED, those of `needKey`, and those of the worker
 */
export function zipInWorker(
  network: NetworkProfile,
  { items, apiKey, target, signal, onProgress, needKey }: ZipJob,
): Promise<WrittenZip> {
  const { promise, resolve, reject } = Promise.withResolvers<WrittenZip>()
  const worker = new Worker(new URL('./zip.worker.ts', import.meta.url), { type: 'module', name: 'zip' })
  const order = (message: ZipOrder) => worker.postMessage(message)
  const answer = async (cid: string) => {
    try {
      order({ kind: 'key', cid, masterKey: await needKey(cid) })
    } catch (error) {
      order({ kind: 'no-key', cid, error: CairnError.from(error).toJSON() })
    }
  }
  worker.onmessage = ({ data }: MessageEvent<ZipEvent>) => {
    if (data.kind === 'need-key') void answer(data.cid)
    else if (data.kind === 'progress') onProgress(data.fileCount, data.bytes)
    else if (data.kind === 'written') {
      onProgress(data.fileCount, data.bytes)
      resolve(data)
    } else reject(wordWriteFailure(restoreError(data.error.code, data.error)))
  }
  worker.onerror = (event) => reject(startFailure(event))
  const stop = () => reject(new CairnError('ABORTED', { cause: signal.reason }))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  order({ kind: 'write', network: forWorker(network), apiKey, items, target })
  return promise.finally(() => {
    signal.removeEventListener('abort', stop)
    worker.terminate()
  })
}
