import { isContactId } from '../contacts.ts'
import type { Registers } from '../log/registers.ts'
import { createEntryNodes } from './entry-nodes.ts'
import { joinByName } from './join-by-name.ts'
import { type DriveUpload, isFolderId, isReceived, type Node, readUpload, rootId, toShown } from './nodes.ts'
import { createPlaces } from './places.ts'
import { createRootNames } from './root-names.ts'
import { createShownNodes } from './shown-nodes.ts'
import type { Tree } from './tree.ts'
import type { UploadIndex } from './upload-index.ts'

/**
 * The folders and files of a drive: a function of its state and of the uploads of the account, which is equal on every device
 * for equal input. A change costs what it touches, not what the drive contains.
 */
export type View = Omit<Tree, 'set'> & {
  /** Notes that entries, or the first uploads of CIDs, changed. What is read afterwards includes it. */
  touch(ids: Iterable<string>): void
  /** Processes very many changes in short steps, so that a page stays responsive. Reads in between return complete results. */
  prepare(): Promise<void>
  /** Ids of the items that are in the trash by themselves. */
  trashed(): ReadonlySet<string>
  /** Ids of the items that have tags. */
  tagged(): ReadonlySet<string>
  /** Ids of the contacts that have, or had, an entry. */
  contacts(): ReadonlySet<string>
  /** Ids of the folders that are in the root because they would be inside themselves. */
  broken(): ReadonlySet<string>
  /** Returns the file of which a CID is a version. */
  holderOf(cid: string): Node | undefined
}

/** Entries, or items, of one step of `prepare`. */
const stepSize = 1500

export function createView(state: Registers, uploads: Pick<UploadIndex, 'first' | 'newestAt'>): View {
  let pending = new Set<string>()
  const contacts = new Set<string>()
  const places = createPlaces(state)
  const entries = createEntryNodes(state, uploads, places)
  const rootNames = createRootNames()
  const shown = createShownNodes(places)
  const { tree } = shown

  const takePending = (maxIds: number): Set<string> => {
    const all = pending
    if (all.size <= maxIds) {
      pending = new Set()
      return all
    }
    const taken = new Set<string>()
    for (const id of all) {
      if (taken.size === maxIds) break
      taken.add(id)
      all.delete(id)
    }
    return taken
  }
  /** Processes pending changes in the order in which one step depends on another. */
  const flush = (maxIds = Number.POSITIVE_INFINITY): void => {
    if (pending.size === 0) return
    const changed = takePending(maxIds)
    entries.read(changed)
    const moved = places.settle()
    const names = new Set<string>()
    for (const id of changed) {
      const name = joiningNameOf(id)
      const before = rootNames.set(id, name)
      if (before !== undefined) names.add(before)
      if (name !== undefined) names.add(name)
      else shown.set(id, entries.get(id) ?? receivedNode(id))
    }
    for (const name of names) showAll(name)
    for (const id of moved) {
      const node = tree.get(id)
      if (node !== undefined) shown.set(id, node)
    }
  }

  /** Name under which uploads join a file of the root, or are joined; undefined for other items. */
  const joiningNameOf = (id: string): string | undefined => {
    const node = entries.get(id)
    if (node !== undefined) {
      const isFile = node.versions !== undefined && node.parent === rootId && node.trashedAt === undefined
      return isFile && !node.isReceived ? node.rawName : undefined
    }
    const upload = freeUpload(id)
    return upload === undefined || isReceived(upload) ? undefined : toShown(upload.fileName)
  }
  /** Returns the upload of a CID that is in no entry. */
  const freeUpload = (cid: string): DriveUpload | undefined =>
    entries.isClaimed(cid) ? undefined : uploads.first.get(cid)
  /** Returns the file of an upload without an entry that came through an upload link. */
  const receivedNode = (cid: string): Node | undefined => {
    const upload = freeUpload(cid)
    return upload !== undefined && isReceived(upload) ? readUpload(upload) : undefined
  }
  /** Shows the items of a name in the root. Uploads without an entry are there; one with the name of a file is a version of it. */
  const showAll = (name: string): void => {
    const ids = rootNames.idsOf(name)
    const files: Node[] = []
    const free: DriveUpload[] = []
    for (const id of ids) {
      const node = entries.get(id)
      const upload = node === undefined ? uploads.first.get(id) : undefined
      if (node !== undefined) files.push(node)
      if (upload !== undefined) free.push(upload)
    }
    const host = joinByName(name, files, free, uploads)
    for (const id of ids) if (id !== host?.id) shown.set(id, entries.get(id))
    // Last, when the items that it replaces have left its name.
    if (host !== undefined) shown.set(host.id, host)
  }

  const flushed =
    <Args extends unknown[], Result>(read: (...args: Args) => Result) =>
    (...args: Args): Result => {
      flush()
      return read(...args)
    }
  const view: View = {
    touch(ids) {
      for (const id of ids) {
        if (isContactId(id)) contacts.add(id)
        else pending.add(id)
      }
    },
    async prepare() {
      if (pending.size <= stepSize) return
      // A file whose folder comes later would be in the root until then.
      pending = new Set([...pending].sort((a, b) => Number(isFolderId(b)) - Number(isFolderId(a))))
      while (pending.size > 0) {
        flush(stepSize)
        await nextTask()
      }
      let count = 0
      for (const node of tree.nodes()) {
        tree.itemOf(node)
        if (++count % stepSize === 0) await nextTask()
      }
    },
    get: flushed(tree.get),
    nodes: flushed(tree.nodes),
    trashed: flushed(() => shown.trashed),
    tagged: flushed(() => shown.tagged),
    contacts: () => contacts,
    broken: flushed(places.broken),
    holderOf: flushed(shown.holderOf),
    idAt: flushed(tree.idAt),
    shownName: flushed(tree.shownName),
    pathOf: flushed(tree.pathOf),
    isInTrash: flushed(tree.isInTrash),
    itemOf: flushed(tree.itemOf),
    list: flushed(tree.list),
  }
  view.touch(state.entries.keys())
  view.touch(uploads.first.keys())
  return view
}

/** Lets the page show and do something else. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}
