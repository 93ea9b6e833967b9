import type { Node } from './nodes.ts'
import { addTo, type Places, removeFrom } from './places.ts'
import { createTree, type Tree } from './tree.ts'

/** The nodes of a drive in the folders where they are, and what is looked up among all of them. */
export type ShownNodes = {
  readonly tree: Omit<Tree, 'set'>
  /** Adds, replaces or removes a node. The folder is that of `places`. */
  set(id: string, node: Node | undefined): void
  /** Ids of the items that are in the trash by themselves. */
  readonly trashed: ReadonlySet<string>
  /** Ids of the items that have tags. */
  readonly tagged: ReadonlySet<string>
  /** Returns the file of which a CID is a version. */
  holderOf(cid: string): Node | undefined
}

export function createShownNodes(places: Pick<Places, 'parentOf'>): ShownNodes {
  const tree = createTree()
  /** Files that have a CID, other than their id, as a version. */
  const holders = new Map<string, Set<string>>()
  const trashed = new Set<string>()
  const tagged = new Set<string>()

  return {
    tree,
    set(id, stated) {
      const before = tree.get(id)
      if (before === undefined && stated === undefined) return
      const parent = places.parentOf(id)
      const node = stated === undefined || stated.parent === parent ? stated : { ...stated, parent }
      if (node === before) return
      tree.set(id, node)
      for (const { cid } of before?.versions ?? []) if (cid !== id) removeFrom(holders, cid, id)
      for (const { cid } of node?.versions ?? []) if (cid !== id) addTo(holders, cid, id)
      setIn(trashed, id, node?.trashedAt !== undefined)
      setIn(tagged, id, node !== undefined && node.tags.length > 0)
    },
    trashed,
    tagged,
    holderOf(cid) {
      const own = tree.get(cid)
      if (own?.versions?.some((one) => one.cid === cid)) return own
      const [id] = [...(holders.get(cid) ?? [])].sort()
      return id === undefined ? undefined : tree.get(id)
    },
  }
}

function setIn(set: Set<string>, id: string, isIn: boolean): void {
  if (isIn) set.add(id)
  else if (set.size > 0) set.delete(id)
}
