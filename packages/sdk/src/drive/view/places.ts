import type { Registers } from '../log/registers.ts'
import type { Stamp } from '../log/stamp.ts'
import { fields, type Node, rootId } from './nodes.ts'

/**
 * The folders that items are in. Items whose folder does not exist are in the root, and cycles of folders, which two devices can
 * make together, are broken: of the moves of a cycle, the latest counts as a move to the root.
 */
export type Places = {
  set(id: string, node: Node | undefined): void
  /** Decides on folders that changed. @returns items whose folder may be another one now */
  settle(): ReadonlySet<string>
  parentOf(id: string): string
  /** Folders that are in the root because they would be inside themselves. */
  broken(): ReadonlySet<string>
}

/** Changed folders from which on all are searched for cycles at once. */
const maxWalks = 64

export function createPlaces({ entries }: Registers): Places {
  /** The folder that an entry names, if it is not the root, and the items by it. */
  const named = new Map<string, string>()
  const inside = new Map<string, Set<string>>()
  const folders = new Set<string>()
  let broken = new Set<string>()
  const changedFolders = new Set<string>()
  let moved = new Set<string>()

  /** Without regard to cycles. */
  const aboveOf = (id: string): string => {
    const parent = named.get(id)
    return parent !== undefined && folders.has(parent) ? parent : rootId
  }
  const setNamed = (id: string, parent: string | undefined): void => {
    const before = named.get(id)
    if (before === parent) return
    if (before !== undefined) removeFrom(inside, before, id)
    if (parent === undefined) named.delete(id)
    else {
      named.set(id, parent)
      addTo(inside, parent, id)
    }
    if (folders.has(id)) changedFolders.add(id)
  }
  const isInCycle = (start: string): boolean => {
    const seen = new Set<string>()
    for (let id = start; id !== rootId; id = aboveOf(id)) {
      if (seen.has(id)) return true
      seen.add(id)
    }
    return false
  }
  const breakCycles = (): void => {
    const movedAt = (id: string): Stamp => entries.get(id)?.fields.get(fields.parent)?.at ?? ''
    const isMovedAfter = (one: string, other: string): boolean =>
      movedAt(one) === movedAt(other) ? one > other : movedAt(one) > movedAt(other)
    for (const id of broken) moved.add(id)
    broken = new Set()
    const known = new Set<string>([rootId])
    for (const start of folders) {
      const trail: string[] = []
      const onTrail = new Set<string>()
      let id = start
      while (!known.has(id) && !onTrail.has(id)) {
        trail.push(id)
        onTrail.add(id)
        id = aboveOf(id)
      }
      if (!known.has(id)) {
        const last = trail.slice(trail.indexOf(id)).reduce((latest, one) => (isMovedAfter(one, latest) ? one : latest))
        broken.add(last)
        moved.add(last)
      }
      for (const one of trail) known.add(one)
    }
  }

  return {
    set(id, node) {
      const isFolder = node !== undefined && node.versions === undefined
      if (isFolder !== folders.has(id)) {
        if (isFolder) folders.add(id)
        else folders.delete(id)
        changedFolders.add(id)
        for (const one of inside.get(id) ?? []) moved.add(one)
      }
      setNamed(id, node === undefined || node.parent === rootId ? undefined : node.parent)
      // The same folder again is a later move, which may be the one of a cycle that does not count.
      if (isFolder && broken.size > 0) changedFolders.add(id)
    },
    settle() {
      if (changedFolders.size > 0) {
        const isCyclic = changedFolders.size > maxWalks || broken.size > 0 || [...changedFolders].some(isInCycle)
        if (isCyclic) breakCycles()
        changedFolders.clear()
      }
      const found = moved
      moved = new Set()
      return found
    },
    parentOf: (id) => (broken.has(id) ? rootId : aboveOf(id)),
    broken: () => broken,
  }
}

/** Adds a value to the set of a key. */
export function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const known = sets.get(key)
  if (known === undefined) sets.set(key, new Set([value]))
  else known.add(value)
}

export function removeFrom(sets: Map<string, Set<string>>, key: string, value: string): void {
  const known = sets.get(key)
  known?.delete(value)
  if (known?.size === 0) sets.delete(key)
}
