/** Entries by the asker that requested them. Each call takes constant time, however many entries and askers there are. */
export type EntriesByAsker<Entry> = {
  add(asker: string, entry: Entry): void
  remove(asker: string, entry: Entry): void
  /** Returns the oldest entry of the asker with the most entries. */
  oldestOfHeaviest(): Entry | undefined
}

export function createEntriesByAsker<Entry>(): EntriesByAsker<Entry> {
  const byAsker = new Map<string, Set<Entry>>()
  /** Askers by their number of entries, to find the one with the most without searching. */
  const bySize = new Map<number, Set<string>>()
  let largestSize = 0

  const resize = (asker: string, before: number, after: number): void => {
    const left = bySize.get(before)
    left?.delete(asker)
    if (left?.size === 0) bySize.delete(before)
    if (after > 0) {
      const joined = bySize.get(after)
      if (joined === undefined) bySize.set(after, new Set([asker]))
      else joined.add(asker)
    }
    // Sizes change by one, so the next smaller one is this asker's own.
    if (after > largestSize || !bySize.has(largestSize)) largestSize = after
  }

  return {
    add(asker, entry) {
      const entries = byAsker.get(asker) ?? new Set<Entry>()
      if (entries.size === 0) byAsker.set(asker, entries)
      entries.add(entry)
      resize(asker, entries.size - 1, entries.size)
    },
    remove(asker, entry) {
      const entries = byAsker.get(asker)
      if (entries === undefined || !entries.delete(entry)) return
      if (entries.size === 0) byAsker.delete(asker)
      resize(asker, entries.size + 1, entries.size)
    },
    oldestOfHeaviest() {
      const [asker] = bySize.get(largestSize) ?? []
      const [oldest] = (asker === undefined ? undefined : byAsker.get(asker)) ?? []
      return oldest
    },
  }
}
