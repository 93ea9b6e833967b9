import { CairnError, type NetworkProfile, type OnProgress } from '@cairn/sdk'
import { startWorker } from './start-worker.ts'

/**
 * Fetches, verifies and decrypts a file in a worker of its own, so that the page never stands still. The key comes from the
 * page: sessions with key nodes are renewed in one place only.
 * @param cid of the file, or of a folder with the path in it
 * @returns the bytes, without a type: who shows them gives them a safe one
 * @throws CairnError as decryptBytes of the SDK; ABORTED
 */
export function decryptInWorker(
  { wallet: _wallet, ...network }: NetworkProfile,
  cid: string,
  masterKey: string,
  { signal, onProgress }: { signal: AbortSignal; onProgress: OnProgress },
): Promise<Blob> {
  const { promise, resolve, reject } = Promise.withResolvers<Blob>()
  const worker = startWorker((told) => {
    if (told.kind === 'progress') onProgress(told.progress)
    else if (told.kind === 'decrypted') resolve(told.blob)
  }, reject)
  const stop = () => reject(new CairnError('ABORTED', { cause: signal.reason }))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  worker.order({ kind: 'decrypt', network, cid, masterKey })
  return promise.finally(() => {
    signal.removeEventListener('abort', stop)
    worker.end()
  })
}
