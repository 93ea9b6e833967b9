const queues = new WeakMap<object, Map<string, Promise<unknown>>>()

/**
 * Runs work with the same key one after the other within this process, so that callers wait instead of conflicting.
 * @param owner scope of the keys; other owners have queues of their own
 */
export async function runExclusive<T>(owner: object, key: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(owner) ?? new Map<string, Promise<unknown>>()
  queues.set(owner, queue)
  const before = queue.get(key) ?? Promise.resolve()
  // The previous caller handles its own outcome.
  const own = before.then(
    () => work(),
    () => work(),
  )
  queue.set(key, own)
  try {
    return await own
  } finally {
    if (queue.get(key) === own) queue.delete(key)
  }
}
