/** Limits concurrency; further callers are queued until their signal aborts. */
export type Slots = { acquire(signal: AbortSignal): Promise<Disposable> }

export function createSlots(max: number): Slots {
  let free = max
  const queue: (() => void)[] = []
  const slot = (): Disposable => {
    let isHeld = true
    return {
      [Symbol.dispose]() {
        if (!isHeld) return
        isHeld = false
        const next = queue.shift()
        if (next === undefined) free++
        else next()
      },
    }
  }
  return {
    acquire(signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      if (free > 0) {
        free--
        return Promise.resolve(slot())
      }
      return new Promise((resolve, reject) => {
        const proceed = () => {
          signal.removeEventListener('abort', cancel)
          resolve(slot())
        }
        const cancel = () => {
          queue.splice(queue.indexOf(proceed), 1)
          reject(signal.reason)
        }
        signal.addEventListener('abort', cancel, { once: true })
        queue.push(proceed)
      })
    },
  }
}
