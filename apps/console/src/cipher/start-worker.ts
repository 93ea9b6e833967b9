import { CairnError } from '@cairn/sdk'
import type { CipherOrder, CipherTold } from './cipher-order.ts'

/** A worker that encrypts or decrypts. Ended by who began it, and with it every key it knew. */
export type CipherWorker = { order(order: CipherOrder): void; end(): void }

/** Starts a worker. What it fails with, itself or in its work, is told as an error. */
export function startWorker(
  onTold: (told: Exclude<CipherTold, { kind: 'failed' }>) => void,
  onFailed: (error: CairnError) => void,
): CipherWorker {
  const worker = new Worker(new URL('./cipher.worker.ts', import.meta.url), { type: 'module', name: 'cipher' })
  worker.onmessage = ({ data }: MessageEvent<CipherTold>) => {
    if (data.kind === 'failed') onFailed(new CairnError(data.error.code, data.error))
    else onTold(data)
  }
  worker.onerror = (event) => onFailed(CairnError.from(new Error(event.message)))
  return { order: (order) => worker.postMessage(order), end: () => worker.terminate() }
}
