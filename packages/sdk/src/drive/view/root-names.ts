/** Files of the root, and CIDs of uploads without an entry, by their names. */
export type RootNames = {
  /** Sets the name of an item, or none for an item that is elsewhere. @returns its name before */
  set(id: string, name: string | undefined): string | undefined
  idsOf(name: string): Iterable<string>
}

export function createRootNames(): RootNames {
  const names = new Map<string, string>()
  /** Most names have one item: its id takes less memory than a set. */
  const ids = new Map<string, string | Set<string>>()

  const add = (name: string, id: string): void => {
    names.set(id, name)
    const known = ids.get(name)
    if (known === undefined) ids.set(name, id)
    else if (typeof known === 'string') ids.set(name, new Set([known, id]))
    else known.add(id)
  }
  const remove = (name: string, id: string): void => {
    names.delete(id)
    const known = ids.get(name)
    if (known === id) ids.delete(name)
    else if (typeof known === 'object') {
      known.delete(id)
      if (known.size === 0) ids.delete(name)
    }
  }
  return {
    set(id, name) {
      const before = names.get(id)
      if (before === name) return before
      if (before !== undefined) remove(before, id)
      if (name !== undefined) add(name, id)
      return before
    },
    idsOf(name) {
      const known = ids.get(name)
      return typeof known === 'string' ? [known] : (known ?? [])
    },
  }
}
