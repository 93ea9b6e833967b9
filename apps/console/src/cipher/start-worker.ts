import { type CairnError, restoreError } from '@cairn/sdk'
import type { CipherEvent, CipherOrder } from './cipher-order.ts'
import { startFailure, wordFailure } from './word-failure.ts'

/** A worker that encrypts or decrypts. Its owner terminates it, and with it every key in its memory. */
export type CipherWorker = { order(order: CipherOrder): void; end(): void }

/** Starts a worker. Its errors, and those of its work, are reported as an error. */
export function startWorker(
  onEvent: (event: Exclude<CipherEvent, { kind: 'failed' }>) => void,
  onFailed: (error: CairnError) => void,
  word: typeof wordFailure = wordFailure,
): CipherWorker {
  const worker = new Worker(new URL('./cipher.worker.ts', import.meta.url), { type: 'module', name: 'cipher' })
  worker.onmessage = ({ data }: MessageEvent<CipherEvent>) => {
    if (data.kind === 'failed') onFailed(word(restoreError(data.error.code, data.error)))
    else onEvent(data)
  }
  worker.onerror = (event) => onFailed(startFailure(event))
  return { order: (order) => worker.postMessage(order), end: () => worker.terminate() }
}
