/**
 * Runs tasks at the same time, but those that share a key one after the other, in the order in which they came. After one that
 * fails, those that wait for it fail with its error.
 */
export type OrderedRunner = (keys: readonly string[], run: () => Promise<void>) => Promise<void>

export function createOrderedRunner(): OrderedRunner {
  /** The last task of each key that has one. */
  const last = new Map<string, Promise<void>>()
  return async (keys, run) => {
    const done = Promise.all(keys.map((key) => last.get(key))).then(run)
    for (const key of keys) last.set(key, done)
    try {
      await done
    } finally {
      for (const key of keys) if (last.get(key) === done) last.delete(key)
    }
  }
}
