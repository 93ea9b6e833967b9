import { CairnError, type NetworkProfile, type OnProgress } from '@cairn/sdk'
import type { DecryptOrder, DecryptTold } from './decrypt-order.ts'

/**
 * Fetches, verifies and decrypts a file in a worker of its own, so that the page never stands still. The key comes from the
 * page: sessions with key nodes are renewed in one place only.
 * @returns the bytes, without a type: who shows them gives them a safe one
 * @throws CairnError as decryptBytes of the SDK; ABORTED
 */
export function decryptInWorker(
  network: NetworkProfile,
  cid: string,
  masterKey: string,
  { signal, onProgress }: { signal: AbortSignal; onProgress: OnProgress },
): Promise<Blob> {
  const { promise, resolve, reject } = Promise.withResolvers<Blob>()
  const worker = new Worker(new URL('./decrypt.worker.ts', import.meta.url), { type: 'module', name: 'decrypt' })
  const stop = () => reject(new CairnError('ABORTED', { cause: signal.reason }))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  worker.onmessage = ({ data }: MessageEvent<DecryptTold>) => {
    if (data.kind === 'progress') onProgress(data.progress)
    else if (data.kind === 'done') resolve(data.blob)
    else reject(new CairnError(data.error.code, data.error))
  }
  worker.onerror = (event) => reject(CairnError.from(new Error(event.message)))
  const order: DecryptOrder = { network: withoutWallet(network), cid, masterKey }
  worker.postMessage(order)
  return promise.finally(() => {
    signal.removeEventListener('abort', stop)
    worker.terminate()
  })
}

function withoutWallet({ wallet: _wallet, ...network }: NetworkProfile): NetworkProfile {
  return network
}
