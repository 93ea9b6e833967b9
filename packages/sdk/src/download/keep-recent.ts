/** Keeps an entry as the most recently used one, which is the last of the map. The least recently used ones beyond `maxCount` are evicted. */
export function keepRecent<Key, Value>(entries: Map<Key, Value>, key: Key, value: Value, maxCount: number): void {
  entries.delete(key)
  entries.set(key, value)
  for (const oldest of entries.keys()) {
    if (entries.size <= maxCount) return
    entries.delete(oldest)
  }
}
