/** Runs one task per name at a time. */
export type KeyedLock = {
  /** Runs the work after all earlier tasks of the same name. */
  run<T>(name: string, work: () => Promise<T>): Promise<T>
}

/** Creates locks for one process: a provider's folder belongs to one. */
export function createKeyedLock(): KeyedLock {
  const last = new Map<string, Promise<unknown>>()
  return {
    async run(name, work) {
      const before = last.get(name) ?? Promise.resolve()
      const own = before.then(work)
      const settled = own.catch(() => undefined)
      last.set(name, settled)
      try {
        return await own
      } finally {
        if (last.get(name) === settled) last.delete(name)
      }
    },
  }
}
