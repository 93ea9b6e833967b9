import type { CID } from 'multiformats/cid'
import type { BalancedTree } from './balanced-tree.ts'

/** Sizes of a leaf. */
type LeafSizes = { fileSizeBytes: number; dagSizeBytes: number }

/** The leaves of a file whose CIDs are computed elsewhere, in the order of the file. */
export type LeafQueue = {
  /** Number of leaves that are not in the tree yet. */
  readonly length: number
  /** Adds the next leaf of the file. A promise is backpressure. */
  push(leaf: LeafSizes, cid: CID | Promise<CID>): void | Promise<void>
  /** Waits until all leaves are in the tree. */
  drain(): Promise<void>
}

type Waiting = { leaf: LeafSizes; cid: CID | undefined; known: Promise<void> | undefined }

/** Adds leaves to `tree` in their order, however late their CIDs are known. At most `maxLeaves` wait. */
export function createLeafQueue(tree: BalancedTree, maxLeaves: number): LeafQueue {
  const waiting: Waiting[] = []

  const addKnown = (): void | Promise<void> => {
    for (let first = waiting[0]; first?.cid !== undefined; first = waiting[0]) {
      waiting.shift()
      const added = tree.add({ ...first.leaf, cid: first.cid })
      if (added instanceof Promise) return added.then(addKnown)
    }
    return undefined
  }

  const reduceTo = async (count: number): Promise<void> => {
    for (let first = waiting[0]; first !== undefined && waiting.length > count; first = waiting[0]) {
      await first.known
      await addKnown()
    }
  }

  return {
    get length() {
      return waiting.length
    },
    push(leaf, cid) {
      const entry: Waiting = { leaf, cid: undefined, known: undefined }
      if (cid instanceof Promise) {
        entry.known = cid.then((known) => {
          entry.cid = known
        })
        // The failure is thrown when this leaf is the oldest.
        entry.known.catch(() => undefined)
      } else entry.cid = cid
      waiting.push(entry)
      return waiting.length > maxLeaves ? reduceTo(maxLeaves) : addKnown()
    },
    drain: () => reduceTo(0),
  }
}
