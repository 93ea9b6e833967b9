/** Runs one task per key at a time, within this process. */
export type KeyedMutex = {
  /** Runs the work after all earlier tasks of the same key, whatever their outcome. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

/** Creates a mutex that holds no key. */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return {
    async run(key, work) {
      const before = last.get(key) ?? Promise.resolve()
      const own = before.then(work)
      const settled = own.catch(() => undefined)
      last.set(key, settled)
      try {
        return await own
      } finally {
        if (last.get(key) === settled) last.delete(key)
      }
    },
  }
}
