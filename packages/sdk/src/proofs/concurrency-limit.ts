/** Limits the number of concurrent tasks; further tasks are queued. */
export type ConcurrencyLimit = { run<T>(task: () => Promise<T>): Promise<T> }

export function createConcurrencyLimit(max: number): ConcurrencyLimit {
  let running = 0
  const queue: (() => void)[] = []
  return {
    async run(task) {
      if (running >= max) await new Promise<void>((resolve) => queue.push(resolve))
      else running++
      try {
        return await task()
      } finally {
        // The next task inherits the slot.
        const next = queue.shift()
        if (next === undefined) running--
        else next()
      }
    },
  }
}
