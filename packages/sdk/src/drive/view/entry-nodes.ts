import type { Registers } from '../log/registers.ts'
import { type Node, readEntry } from './nodes.ts'
import type { Places } from './places.ts'
import type { UploadIndex } from './upload-index.ts'
import { createVersionLinks } from './version-links.ts'
import { absorbVersions } from './versions.ts'

/** What entries state, with the versions that they took from others, before names join uploads to files of the root. */
export type EntryNodes = {
  get(id: string): Node | undefined
  /** Whether a CID is a version of an entry. */
  isClaimed(cid: string): boolean
  /** Reads entries and all that share versions with them, which it adds to the ids. Notes their folders in `places`. */
  read(ids: Set<string>): void
}

export function createEntryNodes(
  state: Registers,
  uploads: Pick<UploadIndex, 'first'>,
  places: Pick<Places, 'set'>,
): EntryNodes {
  const links = createVersionLinks(state)
  const nodes = new Map<string, Node>()
  const claimed = new Set<string>()

  const setNode = (id: string, node: Node | undefined): void => {
    if (node !== undefined) nodes.set(id, node)
    else if (!nodes.delete(id)) return
    places.set(id, node)
  }
  return {
    get: (id) => nodes.get(id),
    isClaimed: (cid) => claimed.has(cid),
    read(ids) {
      links.connect(ids)
      const { first } = uploads
      const connected = new Map<string, Node>()
      for (const id of ids) {
        claimed.delete(id)
        const node = readEntry(state, id, first)
        setNode(id, node)
        if (node !== undefined && links.has(id)) connected.set(id, node)
      }
      if (connected.size === 0) return
      const all = [...connected.keys()]
      for (const cid of absorbVersions(state, connected)) claimed.add(cid)
      for (const id of all) setNode(id, connected.get(id))
    },
  }
}
