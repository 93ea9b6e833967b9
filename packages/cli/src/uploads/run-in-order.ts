/**
 * Runs tasks concurrently, but tasks that share a key one after the other, in the order of the calls. If a task fails, the tasks
 * queued behind it fail with its error.
 */
export type OrderedRunner<T> = (keys: readonly string[], run: () => Promise<T>) => Promise<T>

export function createOrderedRunner<T>(): OrderedRunner<T> {
  /** The last task of each key that has one. */
  const last = new Map<string, Promise<T>>()
  return async (keys, run) => {
    const done = Promise.all(keys.map((key) => last.get(key))).then(run)
    for (const key of keys) last.set(key, done)
    try {
      return await done
    } finally {
      for (const key of keys) if (last.get(key) === done) last.delete(key)
    }
  }
}
