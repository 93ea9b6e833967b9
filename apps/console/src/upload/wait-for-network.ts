import { CairnError } from '@cairn/sdk'

/**
 * Waits before a retry; while the browser is offline, until it is online.
 * @throws CairnError ABORTED
 */
export function waitForNetwork(pauseMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const leave = () => {
      clearTimeout(timer)
      removeEventListener('online', go)
      signal?.removeEventListener('abort', stop)
    }
    const go = () => {
      leave()
      resolve()
    }
    const stop = () => {
      leave()
      reject(new CairnError('ABORTED', { cause: signal?.reason }))
    }
    if (signal?.aborted) return stop()
    signal?.addEventListener('abort', stop, { once: true })
    addEventListener('online', go, { once: true })
    if (navigator.onLine) timer = setTimeout(go, pauseMs)
  })
}
