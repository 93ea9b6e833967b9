/** Lets so many do something at a time; the others wait their turn, until their signal ends. */
export type Slots = { take(signal: AbortSignal): Promise<Disposable> }

export function createSlots(most: number): Slots {
  let free = most
  const waiting: (() => void)[] = []
  const slot = (): Disposable => {
    let isTaken = true
    return {
      [Symbol.dispose]() {
        if (!isTaken) return
        isTaken = false
        const next = waiting.shift()
        if (next === undefined) free++
        else next()
      },
    }
  }
  return {
    take(signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      if (free > 0) {
        free--
        return Promise.resolve(slot())
      }
      return new Promise((resolve, reject) => {
        const enter = () => {
          signal.removeEventListener('abort', leave)
          resolve(slot())
        }
        const leave = () => {
          waiting.splice(waiting.indexOf(enter), 1)
          reject(signal.reason)
        }
        signal.addEventListener('abort', leave, { once: true })
        waiting.push(enter)
      })
    },
  }
}
