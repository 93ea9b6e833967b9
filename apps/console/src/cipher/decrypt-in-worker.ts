import { CairnError, type NetworkProfile, type OnProgress } from '@cairn/sdk'
import { startWorker } from './start-worker.ts'

/**
 * Fetches, verifies and decrypts a file in a worker, so that the page stays responsive. The page supplies the key:
 * sessions with key nodes are renewed in one place only.
 * @param cid of the file, or of a folder with the path in it
 * @returns the bytes without a type: callers that show them set a safe one
 * @throws CairnError as decryptBytes of the SDK; ABORTED
 */
export function decryptInWorker(
  { wallet: _wallet, ...network }: NetworkProfile,
  cid: string,
  masterKey: string,
  { signal, onProgress }: { signal: AbortSignal; onProgress: OnProgress },
): Promise<Blob> {
  const { promise, resolve, reject } = Promise.withResolvers<Blob>()
  const worker = startWorker((event) => {
    if (event.kind === 'progress') onProgress(event.progress)
    else if (event.kind === 'decrypted') resolve(event.blob)
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
