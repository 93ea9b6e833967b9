import { isContactId } from './contacts.ts'
import {
  type DriveVersion,
  isBefore,
  isFolderId,
  type Node,
  newestFirst,
  readEntry,
  readUpload,
  readVersionCids,
  rootId,
  toShown,
  toVersion,
} from './nodes.ts'
import { addTo, createPlaces, removeFrom } from './places.ts'
import type { Registers } from './registers.ts'
import { createTree, type Tree } from './tree.ts'
import { compareUploads, type UploadIndex } from './upload-index.ts'
import { absorbVersions } from './versions.ts'

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

  /** Entries that have a CID as a version, and the CIDs of an entry. */
  const mentions = new Map<string, Set<string>>()
  const mentioned = new Map<string, readonly string[]>()
  /** What entries state, with the versions that they took from others, before names join uploads to files of the root. */
  const read = new Map<string, Node>()
  const claimed = new Set<string>()
  /** Files of the root, and CIDs of uploads without an entry, by their names: an id, or several. */
  const inRoot = new Map<string, string | Set<string>>()
  const rootNames = new Map<string, string>()

  const tree = createTree()
  const holders = new Map<string, Set<string>>()
  const trashed = new Set<string>()
  const tagged = new Set<string>()
  const places = createPlaces(state)

  /** Returns entries that must be read together: some pending ones, their versions, and all entries with those versions. */
  const takeConnected = (maxIds: number): Set<string> => {
    let found = pending
    if (pending.size <= maxIds) pending = new Set()
    else {
      found = new Set()
      for (const id of pending) {
        if (found.size === maxIds) break
        found.add(id)
        pending.delete(id)
      }
    }
    const follow = (ids: Iterable<string> | undefined) => {
      for (const id of ids ?? []) found.add(id)
    }
    // The set grows while it is read.
    for (const id of found) {
      const before = mentioned.get(id)
      const cids = readVersionCids(state, id)
      if (before !== undefined || cids.length > 0) {
        for (const cid of before ?? []) removeFrom(mentions, cid, id)
        for (const cid of cids) addTo(mentions, cid, id)
        if (cids.length > 0) mentioned.set(id, cids)
        else mentioned.delete(id)
        follow(before)
        follow(cids)
      }
      follow(mentions.get(id))
    }
    return found
  }

  const setRead = (id: string, node: Node | undefined): void => {
    if (node !== undefined) read.set(id, node)
    else if (!read.delete(id)) return
    places.set(id, node)
  }
  const flush = (maxIds = Number.POSITIVE_INFINITY): void => {
    if (pending.size === 0) return
    const changed = takeConnected(maxIds)
    const { first } = uploads
    const connected = new Map<string, Node>()
    for (const id of changed) {
      claimed.delete(id)
      const node = readEntry(state, id, first)
      setRead(id, node)
      if (node !== undefined && (mentioned.has(id) || mentions.has(id))) connected.set(id, node)
    }
    if (connected.size > 0) {
      const all = [...connected.keys()]
      for (const cid of absorbVersions(state, connected)) claimed.add(cid)
      for (const id of all) setRead(id, connected.get(id))
    }
    const moved = places.settle()
    const names = new Set<string>()
    for (const id of changed) {
      const node = read.get(id)
      const before = rootNames.get(id)
      const name = rootNameOf(id, node)
      if (before !== undefined && before !== name) {
        removeRootName(before, id)
        names.add(before)
      }
      if (name === undefined) setNode(id, node)
      else {
        if (before !== name) addRootName(name, id)
        names.add(name)
      }
    }
    for (const name of names) joinByName(name)
    for (const id of moved) {
      const node = tree.get(id)
      if (node !== undefined) setNode(id, node)
    }
  }

  /** Name under which uploads join a file of the root, or are joined; undefined for other items. */
  const rootNameOf = (id: string, node: Node | undefined): string | undefined => {
    if (node !== undefined) {
      const isFile = node.versions !== undefined && node.parent === rootId && node.trashedAt === undefined
      return isFile ? node.rawName : undefined
    }
    const upload = claimed.has(id) ? undefined : uploads.first.get(id)
    return upload && toShown(upload.fileName)
  }
  const addRootName = (name: string, id: string): void => {
    rootNames.set(id, name)
    const known = inRoot.get(name)
    if (known === undefined) inRoot.set(name, id)
    else if (typeof known === 'string') inRoot.set(name, new Set([known, id]))
    else known.add(id)
  }
  const removeRootName = (name: string, id: string): void => {
    rootNames.delete(id)
    const known = inRoot.get(name)
    if (known === id) inRoot.delete(name)
    else if (typeof known === 'object') {
      known.delete(id)
      if (known.size === 0) inRoot.delete(name)
    }
  }
  /** Uploads without an entry are in the root; one with the name of a file there is a version of it. */
  const joinByName = (name: string): void => {
    const known = inRoot.get(name)
    if (known === undefined) return
    const { first } = uploads
    const ids = typeof known === 'string' ? [known] : known
    let file: Node | undefined
    const free = []
    for (const id of ids) {
      const node = read.get(id)
      const upload = node === undefined ? first.get(id) : undefined
      if (node !== undefined && (file === undefined || isBefore(node, file))) file = node
      if (upload !== undefined) free.push(upload)
    }
    if (free.length > 1) free.sort(compareUploads)
    const [oldest] = file === undefined ? free : []
    const host = file ?? (oldest && readUpload(oldest))
    const joined = oldest === undefined ? free : free.slice(1)
    for (const id of ids) {
      const node = read.get(id)
      if (id !== host?.id) setNode(id, node)
    }
    if (host?.versions === undefined) return
    const renewed: string[] = []
    // Earlier content that is uploaded again is the content of the file again.
    const renew = (version: DriveVersion): DriveVersion => {
      const newestAt = uploads.newestAt(version.cid, name) ?? 0
      if (newestAt <= version.at) return version
      renewed.push(version.cid)
      return { ...version, at: newestAt }
    }
    const versions = [...host.versions, ...joined.map((upload) => toVersion(upload, upload.createdAt))].map(renew)
    const isSame = joined.length === 0 && renewed.length === 0
    setNode(
      host.id,
      isSame ? host : { ...host, versions: versions.sort(newestFirst), joined: joined.map(({ cid }) => cid), renewed },
    )
  }

  const setNode = (id: string, said: Node | undefined): void => {
    const before = tree.get(id)
    if (before === undefined && said === undefined) return
    const parent = places.parentOf(id)
    const node = said === undefined || said.parent === parent ? said : { ...said, parent }
    if (node === before) return
    tree.set(id, node)
    for (const { cid } of before?.versions ?? []) if (cid !== id) removeFrom(holders, cid, id)
    for (const { cid } of node?.versions ?? []) if (cid !== id) addTo(holders, cid, id)
    setIn(trashed, id, node?.trashedAt !== undefined)
    setIn(tagged, id, node !== undefined && node.tags.length > 0)
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
    trashed: flushed(() => trashed),
    tagged: flushed(() => tagged),
    contacts: () => contacts,
    broken: flushed(places.broken),
    holderOf: flushed((cid) => {
      const own = tree.get(cid)
      if (own?.versions?.some((one) => one.cid === cid)) return own
      const [id] = [...(holders.get(cid) ?? [])].sort()
      return id === undefined ? undefined : tree.get(id)
    }),
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

function setIn(set: Set<string>, id: string, isIn: boolean): void {
  if (isIn) set.add(id)
  else if (set.size > 0) set.delete(id)
}
