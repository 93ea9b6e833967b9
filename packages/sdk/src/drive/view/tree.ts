import { sortItems, updateSorted } from './folder-list.ts'
import { createFolderNames, type FolderNames } from './folder-names.ts'
import { type DriveItem, toItem } from './items.ts'
import type { Node } from './nodes.ts'

/** The nodes of a drive by their folders, and what is computed from them: names, paths, items and sorted lists. */
export type Tree = {
  /** Returns the item with an id, in the trash or outside. */
  get(id: string): Node | undefined
  nodes(): IterableIterator<Node>
  /** Adds, replaces or removes a node. */
  set(id: string, node: Node | undefined): void
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

export function createTree(): Tree {
  const nodes = new Map<string, Node>()
  const folders = new Map<string, Folder>()
  const items = new Map<string, { node: Node; above: Above; item: DriveItem }>()
  /** Counts changes of folders: what was computed of a folder is valid for its count. */
  let epoch = 0
  const aboves = new Map<string, { above: Above; epoch: number }>()
  const root: Above = { path: '', isInTrash: false }

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
    // Moving a folder above to the trash or out of it does not change the item.
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

  return {
    get: (id) => nodes.get(id),
    nodes: () => nodes.values(),
    set(id, node) {
      const before = nodes.get(id)
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
    },
    idAt(folderId, name) {
      const folder = folders.get(folderId)
      return folder && namesOf(folder).idOf(name)
    },
    shownName,
    pathOf: (node) => `${aboveOf(node.parent).path}/${shownName(node)}`,
    isInTrash: (node) => node.trashedAt !== undefined || aboveOf(node.parent).isInTrash,
    itemOf,
    list(folderId) {
      const folder = folders.get(folderId)
      return folder === undefined ? [] : [...listOf(folder, aboveOf(folderId))]
    },
  }
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
