import { CairnError, type NetworkProfile, type OnProgress } from '@cairn/sdk'
import type { CipherEvent, CipherOrder } from './cipher-order.ts'
import { forWorker } from './for-worker.ts'
import { startWorker } from './start-worker.ts'
import { wordWriteFailure } from './word-failure.ts'

type Job = { signal: AbortSignal; onProgress: OnProgress }

/**
 * Fetches, verifies and decrypts a file in a worker, so that the page stays responsive. The page supplies the key:
 * sessions with key nodes are renewed in one place only.
 * @param cid of the file, or of a folder with the path in it
 * @returns the bytes without a type: callers that show them set a safe one
 * @throws CairnError as decryptBytes of the SDK; ABORTED
 */
export function decryptInWorker(network: NetworkProfile, cid: string, masterKey: string, job: Job): Promise<Blob> {
  return runInWorker({ kind: 'decrypt', network: forWorker(network), cid, masterKey }, job, (event) =>
    event.kind === 'decrypted' ? event.blob : undefined,
  )
}

/**
 * The same, into a file that the user chose: neither the page nor the browser's own storage holds all of it.
 * @throws CairnError as decryptBytes of the SDK; ABORTED, FILE_TOO_LARGE if the disk has no space
 */
export async function saveInWorker(
  network: NetworkProfile,
  cid: string,
  masterKey: string,
  { target, ...job }: Job & { target: FileSystemFileHandle },
): Promise<void> {
  await runInWorker({ kind: 'save', network: forWorker(network), cid, masterKey, target }, job, (event) =>
    event.kind === 'saved' ? true : undefined,
  )
}

function runInWorker<Result>(
  order: CipherOrder,
  { signal, onProgress }: Job,
  read: (event: CipherEvent) => Result | undefined,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const take = (event: Parameters<typeof read>[0]) => {
    if (event.kind === 'progress') onProgress(event.progress)
    const result = read(event)
    if (result !== undefined) resolve(result)
  }
  const worker = startWorker(take, reject, wordWriteFailure)
  const stop = () => reject(new CairnError('ABORTED', { cause: signal.reason }))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  worker.order(order)
  return promise.finally(() => {
    signal.removeEventListener('abort', stop)
    worker.end()
  })
}
