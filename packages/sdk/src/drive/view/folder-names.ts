import { isBefore, type Node } from './nodes.ts'

/** The names of the items of a folder as shown: of equal names, all but the first get a number. */
export type FolderNames = {
  idOf(name: string): string | undefined
  nameOf(node: Node): string
  /**
   * Adds an item.
   * @returns false if that changes the names of others, so that all have to be computed again
   */
  add(node: Node): boolean
  /** Removes an item. @returns as `add` */
  remove(node: Node): boolean
}

/** What the name of a numbered item looks like. */
const numberPattern = / \(\d+\)(\.[^.]*)?$/

export function createFolderNames(nodes: Iterable<Node>): FolderNames {
  const first = new Map<string, Node>()
  const later: Node[] = []
  for (const node of nodes) {
    const other = first.get(node.rawName)
    if (other === undefined) {
      first.set(node.rawName, node)
      continue
    }
    const isFirst = isBefore(node, other)
    if (isFirst) first.set(node.rawName, node)
    later.push(isFirst ? other : node)
  }
  // Only equal names need an order: sorting all of a large folder takes longer than everything else.
  later.sort((a, b) => (isBefore(a, b) ? -1 : 1))
  const ids = new Map<string, string>()
  for (const [name, { id }] of first) ids.set(name, id)
  const numbered = new Map<string, string>()
  const counts = new Map<string, number>()
  for (const { id, rawName } of later) {
    let count = counts.get(rawName) ?? 2
    while (ids.has(withNumber(rawName, count))) count++
    const name = withNumber(rawName, count)
    ids.set(name, id)
    numbered.set(id, name)
    counts.set(rawName, count + 1)
  }
  return {
    idOf: (name) => ids.get(name),
    nameOf: ({ id, rawName }) => numbered.get(id) ?? rawName,
    add({ id, rawName }) {
      if (ids.has(rawName)) return false
      ids.set(rawName, id)
      return true
    },
    remove({ id, rawName }) {
      // Numbered, or the reason for the number of another.
      if (numbered.size > 0 && (numbered.has(id) || counts.has(rawName) || numberPattern.test(rawName))) return false
      ids.delete(rawName)
      return true
    },
  }
}

/** Returns a name with a number before its extension. */
export function withNumber(name: string, count: number): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? `${name.slice(0, dot)} (${count})${name.slice(dot)}` : `${name} (${count})`
}
