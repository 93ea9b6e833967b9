import { CairnError } from '@cairn/sdk'

/** Waits so long before another try; where the browser has no network, until it has one. @throws CairnError ABORTED */
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
