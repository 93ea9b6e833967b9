import type { Registers } from '../log/registers.ts'
import { readVersionCids } from './nodes.ts'
import { addTo, removeFrom } from './places.ts'

/** Which entries have which CIDs as versions, so that entries that share one are read together. */
export type VersionLinks = {
  /**
   * Reads the versions of entries again. Adds to the entries all CIDs that are, or were, versions of one of them, and all entries
   * with these versions.
   */
  connect(ids: Set<string>): void
  /** Whether an entry has other CIDs as versions, or is a version of another one. */
  has(id: string): boolean
}

export function createVersionLinks(state: Registers): VersionLinks {
  const cidsOf = new Map<string, readonly string[]>()
  /** Entries that have a CID as a version. */
  const entriesWith = new Map<string, Set<string>>()

  return {
    connect(ids) {
      const follow = (found: Iterable<string> | undefined) => {
        for (const id of found ?? []) ids.add(id)
      }
      // The set grows while it is read.
      for (const id of ids) {
        const before = cidsOf.get(id)
        const cids = readVersionCids(state, id)
        if (before !== undefined || cids.length > 0) {
          for (const cid of before ?? []) removeFrom(entriesWith, cid, id)
          for (const cid of cids) addTo(entriesWith, cid, id)
          if (cids.length > 0) cidsOf.set(id, cids)
          else cidsOf.delete(id)
          follow(before)
          follow(cids)
        }
        follow(entriesWith.get(id))
      }
    },
    has: (id) => cidsOf.has(id) || entriesWith.has(id),
  }
}
