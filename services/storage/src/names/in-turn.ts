const queues = new WeakMap<object, Map<string, Promise<unknown>>>()

/**
 * Does work on one thing after the other, as far as this process goes: who would only get in each other's way waits instead.
 * @param owner whose things they are; other owners have queues of their own
 */
export async function inTurn<T>(owner: object, key: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(owner) ?? new Map<string, Promise<unknown>>()
  queues.set(owner, queue)
  const before = queue.get(key) ?? Promise.resolve()
  // What became of the one before is that one's business.
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
