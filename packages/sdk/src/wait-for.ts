import { CairnError } from '@cairn/protocol'

/**
 * Waits for work that several callers share: a caller may stop waiting, and the work continues.
 * @throws CairnError ABORTED
 */
export function waitFor<T>(pending: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return pending
  return new Promise((resolve, reject) => {
    const leave = () => reject(new CairnError('ABORTED', { cause: signal.reason }))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    pending.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
