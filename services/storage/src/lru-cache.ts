/** A map that evicts the least recently used entries once `maxWeight` is exceeded. */
export type LruCache<V> = {
  get(key: string): V | undefined
  set(key: string, value: V, weight: number): void
  delete(key: string): void
  clear(): void
}

/** Creates an empty cache; a value heavier than a sixteenth of the limit is not cached. */
export function createLruCache<V>(maxWeight: number): LruCache<V> {
  const entries = new Map<string, { value: V; weight: number }>()
  let total = 0

  const remove = (key: string): void => {
    const entry = entries.get(key)
    if (entry === undefined) return
    entries.delete(key)
    total -= entry.weight
  }

  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set(key, value, weight) {
      remove(key)
      if (weight > maxWeight / 16) return
      entries.set(key, { value, weight })
      total += weight
      for (const oldest of entries.keys()) {
        if (total <= maxWeight) return
        remove(oldest)
      }
    },
    delete: remove,
    clear() {
      entries.clear()
      total = 0
    },
  }
}
