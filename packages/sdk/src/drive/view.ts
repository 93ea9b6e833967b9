import { isContactId } from './contacts.ts'
import { sortItems, updateSorted } from './folder-list.ts'
import { createFolderNames, type FolderNames } from './folder-names.ts'
import { type DriveItem, toItem } from './items.ts'
import {
  type FirstUploads,
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
import { compareUploads } from './upload-index.ts'
import { absorbVersions } from './versions.ts'

/**
 * The folders and files of a drive: a function of its state and of the uploads of the account, which is equal on every device
 * for equal input. A change costs what it touches, not what the drive contains.
 */
export type View = {
  /** Notes that entries, or the first uploads of CIDs, changed. What is read afterwards includes it. */
  touch(ids: Iterable<string>): void
  /** Computes what very many changes touch in short steps, so that a page stays responsive. What is read meanwhile is complete. */
  prepare(): Promise<void>
  /** Returns the item with an id, in the trash or outside. */
  get(id: string): Node | undefined
  nodes(): IterableIterator<Node>
  /** Ids of the items that are in the trash by themselves. */
  trashed(): ReadonlySet<string>
  /** Ids of the items that have tags. */
  tagged(): ReadonlySet<string>
  /** Ids of the contacts that have, or had, an entry. */
  contacts(): ReadonlySet<string>
  /** Returns the file of which a CID is a version. */
  holderOf(cid: string): Node | undefined
  /** Returns the id of the item with a name in a folder. */
  idAt(folderId: string, name: string): string | undefined
  shownName(node: Node): string
  /** Returns the path of an item; in the trash, that of its folder with its own name. */
  pathOf(node: Node): string
  /** Whether an item is in the trash, by itself or with a folder. */
  isInTrash(node: Node): boolean
  /** Returns an item as callers see it: the same object until something in it changes. */
  itemOf(node: Node): DriveItem
  /** Returns the items of a folder outside the trash: folders first, then by name. */
  list(folderId: string): DriveItem[]
}

/** A folder with items outside the trash. What is computed from them is undefined until it is read. */
type Folder = { ids: Set<string>; names: FolderNames | undefined; list: FolderList | undefined }
/** Sorted items, and what the list has of those that changed since. */
type FolderList = { items: readonly DriveItem[]; above: Above; changed: Map<string, SortedAs | undefined> }
type SortedAs = Pick<DriveItem, 'kind' | 'name'>

/** A folder as the items in it show it. */
type Above = { path: string; isInTrash: boolean }

/** Changed items from which on a list is sorted again. */
const maxListChanges = 256
/** Entries, or items, of one step of `prepare`. */
const stepSize = 1500

export function createView(state: Registers, uploads: () => FirstUploads): View {
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

  const nodes = new Map<string, Node>()
  const holders = new Map<string, Set<string>>()
  const trashed = new Set<string>()
  const tagged = new Set<string>()
  const folders = new Map<string, Folder>()
  const places = createPlaces(state)

  const items = new Map<string, { node: Node; above: Above; item: DriveItem }>()
  /** Counts changes of folders: what was computed of a folder is valid for its count. */
  let epoch = 0
  const aboves = new Map<string, { above: Above; epoch: number }>()
  const root: Above = { path: '', isInTrash: false }

  /** Returns what is to be read together: entries, their versions, and the entries that have those, too. */
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
    const first = uploads()
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
      const node = nodes.get(id)
      if (node !== undefined) setNode(id, node)
    }
  }

  /** Name under which uploads join a file of the root, or are joined; undefined for other items. */
  const rootNameOf = (id: string, node: Node | undefined): string | undefined => {
    if (node !== undefined) {
      const isFile = node.versions !== undefined && node.parent === rootId && node.trashedAt === undefined
      return isFile ? node.rawName : undefined
    }
    const upload = claimed.has(id) ? undefined : uploads().get(id)
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
    const first = uploads()
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
    setNode(
      host.id,
      joined.length === 0
        ? host
        : {
            ...host,
            versions: [...host.versions, ...joined.map((upload) => toVersion(upload, upload.createdAt))].sort(
              newestFirst,
            ),
            joined: joined.map(({ cid }) => cid),
          },
    )
  }

  const setNode = (id: string, said: Node | undefined): void => {
    const before = nodes.get(id)
    if (before === undefined && said === undefined) return
    const parent = places.parentOf(id)
    const node = said === undefined || said.parent === parent ? said : { ...said, parent }
    if (node === before) return
    leaveFolder(before, node)
    if (node === undefined) {
      nodes.delete(id)
      items.delete(id)
    } else nodes.set(id, node)
    enterFolder(before, node)
    if (
      (before !== undefined && before.versions === undefined) ||
      (node !== undefined && node.versions === undefined)
    ) {
      epoch++
      if (node === undefined) aboves.delete(id)
    }
    for (const { cid } of before?.versions ?? []) if (cid !== id) removeFrom(holders, cid, id)
    for (const { cid } of node?.versions ?? []) if (cid !== id) addTo(holders, cid, id)
    setIn(trashed, id, node?.trashedAt !== undefined)
    setIn(tagged, id, node !== undefined && node.tags.length > 0)
  }
  const leaveFolder = (before: Node | undefined, node: Node | undefined): void => {
    if (before === undefined || before.trashedAt !== undefined) return
    const folder = folders.get(before.parent)
    if (folder === undefined) return
    const { list, names } = folder
    if (list !== undefined && names !== undefined && !list.changed.has(before.id)) {
      list.changed.set(before.id, { kind: kindOf(before), name: names.nameOf(before) })
    }
    if (isSamePlace(before, node)) return
    folder.ids.delete(before.id)
    if (names?.remove(before) === false) dropNames(folder)
    if (folder.ids.size === 0) folders.delete(before.parent)
  }
  const enterFolder = (before: Node | undefined, node: Node | undefined): void => {
    if (node === undefined || node.trashedAt !== undefined || isSamePlace(node, before)) return
    const folder = folders.get(node.parent)
    if (folder === undefined) {
      folders.set(node.parent, { ids: new Set([node.id]), names: undefined, list: undefined })
      return
    }
    folder.ids.add(node.id)
    const { list, names } = folder
    if (list !== undefined && !list.changed.has(node.id)) list.changed.set(node.id, undefined)
    if (names?.add(node) === false) dropNames(folder)
  }
  const dropNames = (folder: Folder): void => {
    folder.names = undefined
    folder.list = undefined
    epoch++
  }

  const nodesOf = function* ({ ids }: Folder): IterableIterator<Node> {
    for (const id of ids) {
      const node = nodes.get(id)
      if (node !== undefined) yield node
    }
  }
  const namesOf = (folder: Folder): FolderNames => {
    folder.names ??= createFolderNames(nodesOf(folder))
    return folder.names
  }
  const shownName = (node: Node): string => {
    const folder = node.trashedAt === undefined ? folders.get(node.parent) : undefined
    return folder === undefined ? node.rawName : namesOf(folder).nameOf(node)
  }
  const aboveOf = (folderId: string): Above => {
    const trail: Node[] = []
    let above: Above | undefined
    for (let id = folderId; above === undefined; ) {
      const known = aboves.get(id)
      const node = nodes.get(id)
      if (known?.epoch === epoch) above = known.above
      else if (node === undefined) above = root
      else {
        trail.push(node)
        id = node.parent
      }
    }
    for (const node of trail.reverse()) {
      const path: string = `${above.path}/${shownName(node)}`
      const isInTrash: boolean = above.isInTrash || node.trashedAt !== undefined
      const known = aboves.get(node.id)?.above
      above = known?.path === path && known.isInTrash === isInTrash ? known : { path, isInTrash }
      aboves.set(node.id, { above, epoch })
    }
    return above
  }
  const itemOf = (node: Node): DriveItem => {
    const above = aboveOf(node.parent)
    const name = shownName(node)
    const known = items.get(node.id)
    const isKnown = known?.node === node && known.item.name === name
    if (isKnown && known.above === above) return known.item
    const path = `${above.path}/${name}`
    // A folder above that was put into the trash, or taken out, changes nothing that the item states.
    const item = isKnown && known.item.path === path ? known.item : toItem(node, name, path)
    items.set(node.id, { node, above, item })
    return item
  }
  const listOf = (folder: Folder, above: Above): readonly DriveItem[] => {
    const { list, ids } = folder
    if (list?.above === above && list.changed.size <= maxListChanges) {
      if (list.changed.size === 0) return list.items
      const changes = [...list.changed].map(([id, before]) => {
        const node = ids.has(id) ? nodes.get(id) : undefined
        return { before, after: node && itemOf(node) }
      })
      list.items = updateSorted(list.items, changes)
      list.changed.clear()
      return list.items
    }
    const found = sortItems(Array.from(nodesOf(folder), itemOf))
    folder.list = { items: found, above, changed: new Map() }
    return found
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
      for (const node of nodes.values()) {
        itemOf(node)
        if (++count % stepSize === 0) await nextTask()
      }
    },
    get: flushed((id) => nodes.get(id)),
    nodes: flushed(() => nodes.values()),
    trashed: flushed(() => trashed),
    tagged: flushed(() => tagged),
    contacts: () => contacts,
    holderOf: flushed((cid) => {
      const own = nodes.get(cid)
      if (own?.versions?.some((one) => one.cid === cid)) return own
      const [id] = [...(holders.get(cid) ?? [])].sort()
      return id === undefined ? undefined : nodes.get(id)
    }),
    idAt: flushed((folderId, name) => {
      const folder = folders.get(folderId)
      return folder && namesOf(folder).idOf(name)
    }),
    shownName: flushed(shownName),
    pathOf: flushed((node) => `${aboveOf(node.parent).path}/${shownName(node)}`),
    isInTrash: flushed((node) => node.trashedAt !== undefined || aboveOf(node.parent).isInTrash),
    itemOf: flushed(itemOf),
    list: flushed((folderId) => {
      const folder = folders.get(folderId)
      return folder === undefined ? [] : [...listOf(folder, aboveOf(folderId))]
    }),
  }
  view.touch(state.entries.keys())
  view.touch(uploads().keys())
  return view
}

/** Lets the page show and do something else. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

function kindOf({ versions }: Node): DriveItem['kind'] {
  return versions === undefined ? 'folder' : 'file'
}

/** Whether an item has the place and name in the tree that it had. */
function isSamePlace(node: Node, other: Node | undefined): boolean {
  return (
    other !== undefined &&
    node.parent === other.parent &&
    node.rawName === other.rawName &&
    node.nameStamp === other.nameStamp &&
    node.trashedAt === undefined &&
    other.trashedAt === undefined &&
    kindOf(node) === kindOf(other)
  )
}

function setIn(set: Set<string>, id: string, isIn: boolean): void {
  if (isIn) set.add(id)
  else if (set.size > 0) set.delete(id)
}
