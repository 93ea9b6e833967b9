import { CairnError, withoutTrailing } from '@cairn/protocol'
import { contactFields, contactId } from './contacts.ts'
import type { Registers } from './log/registers.ts'
import { type Stamp, toBase64url } from './log/stamp.ts'
import {
  checkLabel,
  findNode,
  findTarget,
  findTrashed,
  notFound,
  requireName,
  requireOutside,
  requireVisible,
  splitPath,
} from './paths.ts'
import { type Recording, recordChange } from './record-change.ts'
import { withNumber } from './view/folder-names.ts'
import { type DriveVersion, fields, type Node, rootId } from './view/nodes.ts'
import type { View } from './view/view.ts'

/**
 * The edits that a change of the drive can make. Paths start at the root: `/photos/2026` or `photos/2026`. All of them
 * throw CONFLICT for an item that the same change has removed from the index.
 */
export type DriveEditor = {
  /**
   * Creates a folder in an existing one.
   * @returns its path
   * @throws CairnError FILE_EXISTS, PATH_NOT_FOUND, INVALID_PATH
   */
  createFolder(path: string): string
  /**
   * Moves items into a folder, or moves or renames one item to a new path. A file that is moved to the path of another file
   * becomes its newest version.
   * @returns the new paths
   * @throws CairnError PATH_NOT_FOUND, FILE_EXISTS, NOT_A_DIRECTORY, INVALID_PATH (a folder into itself, or a name)
   */
  move(from: string | readonly string[], to: string): string[]
  /**
   * Places an upload at a path, and creates the folders of the path. If the path has a file, the upload becomes its newest
   * version, even if it was an earlier one. An upload that already has a place elsewhere keeps it, unless it is in the trash.
   * @returns the path of the file that contains the upload
   * @throws CairnError PATH_NOT_FOUND if it is not stored, NOT_A_DIRECTORY, INVALID_PATH
   */
  place(cid: string, path: string): string
  /** Moves an item to the trash, a folder with everything in it. @throws CairnError PATH_NOT_FOUND */
  trash(path: string): void
  /**
   * Moves an item out of the trash: to its former folder, or to the root if that folder no longer exists. If another item has its
   * name there, it gets a number.
   * @param pathOrId as `trash()` of the drive lists it; if several items have the same path, the one deleted last
   * @returns its path
   * @throws CairnError PATH_NOT_FOUND
   */
  restore(pathOrId: string): string
  /** Sets or removes the star. @throws CairnError PATH_NOT_FOUND */
  star(path: string, isStarred?: boolean): void
  /** Adds or removes a tag. @throws CairnError PATH_NOT_FOUND, INVALID_LABEL */
  tag(path: string, tag: string, isTagged?: boolean): void
  /** Sets the colour, or removes it without one. @throws CairnError PATH_NOT_FOUND, INVALID_LABEL */
  setColour(path: string, colour?: string): void
  /** Makes a version of a file the newest one. @throws CairnError PATH_NOT_FOUND, NOT_A_FILE */
  useVersion(path: string, cid: string): void
  /** Names an address, of any chain family. @throws CairnError INVALID_ADDRESS, INVALID_LABEL */
  setContact(address: string, label: string): void
  /** Notes that files are shared with addresses now: {@link Drive.contacts} lists them first. @throws CairnError INVALID_ADDRESS */
  markContactsUsed(addresses: readonly string[]): void
  /** Removes an address from the contacts. @throws CairnError INVALID_ADDRESS */
  removeContact(address: string): void
  /**
   * Permanently removes items from the index, by their ids. Content that is still stored appears in the root again.
   * @param names of items that stay, by their ids: those that have only the name of an upload keep it without that upload
   */
  clear(ids: readonly string[], names?: ReadonlyMap<string, string>): void
}

/** An edit in progress. */
export type Edit = Pick<Recording, 'finish' | 'undo'> & { editor: DriveEditor }

const folderIdBytes = 16

export function startEdit(state: Registers, view: View, at: Stamp, nowMs: number): Edit {
  const { write, clear, finish, undo } = recordChange(state, view, at)
  const nodeAt = (path: string): Node => {
    const node = findNode(view, path)
    if (node === undefined) throw notFound(path)
    return node
  }
  const folderAt = (path: string): string => {
    const parts = splitPath(path)
    if (parts.length === 0) return rootId
    const node = nodeAt(path)
    if (node.versions === undefined) return node.id
    throw new CairnError('NOT_A_DIRECTORY', { message: `${path} is a file, not a folder` })
  }
  const nodeOf = (path: string): Node => {
    if (splitPath(path).length > 0) return nodeAt(path)
    throw new CairnError('INVALID_PATH', { message: 'The root folder cannot be changed' })
  }
  /** Versions that only a common name joined stay together from now on, in their order. */
  const pinVersions = (node: Node): void => {
    for (const cid of new Set([...node.joined, ...node.renewed])) {
      const version = node.versions?.find((one) => one.cid === cid)
      if (version !== undefined) write(node.id, fields.version(cid), version.at)
    }
  }
  const place = (id: string, parent: string, rawName: string): string => {
    write(id, fields.parent, parent)
    write(id, fields.name, rawName)
    return pathOfId(id)
  }
  /** Moves an item. A folder may end a cycle with it: what the tree shows in the root because of the cycle stays there. */
  const writeParent = ({ id, versions }: Node, parent: string): void => {
    if (versions === undefined) for (const one of [...view.broken()]) write(one, fields.parent, rootId)
    write(id, fields.parent, parent)
  }
  /** Returns a name with a number if another item has it: as versions of one file in the root, one would hide the other. */
  const freeNameIn = (folder: string, name: string): string => {
    let free = name
    for (let count = 2; view.idAt(folder, free) !== undefined; count++) free = withNumber(name, count)
    return free
  }
  const pathOfId = (id: string): string => {
    const node = view.get(id)
    if (node === undefined) throw new CairnError('INTERNAL')
    return view.pathOf(node)
  }
  /** Makes a version the content of its file, also if the clock of this device is behind. */
  const makeNewest = (id: string, cid: string | undefined): void => {
    const newest = view.get(id)?.versions?.[0]
    if (cid === undefined || newest === undefined || newest.cid === cid) return
    write(id, fields.version(cid), Math.max(nowMs, newest.at + 1))
  }
  /** Fixes the content of a file before it moves to the root, where uploads with its name would become its newest version. */
  const keepContent = ({ id, versions }: Node): void => makeNewest(id, versions?.[0]?.cid)
  /** The versions become the newest of the target; the file that had them is gone. */
  const addVersions = (from: string, versions: readonly DriveVersion[], target: Node): string => {
    pinVersions(target)
    const [newestVersion, ...older] = versions
    for (const version of older) write(target.id, fields.version(version.cid), version.at)
    if (newestVersion !== undefined) {
      write(target.id, fields.version(newestVersion.cid), nowMs)
      makeNewest(target.id, newestVersion.cid)
    }
    clear([from])
    return pathOfId(target.id)
  }
  const moveOne = (from: string, to: string): string => {
    const node = nodeOf(from)
    const target = findTarget(view, to)
    if (target.existing === undefined) requireVisible(target.name)
    const isInto = target.existing !== undefined && target.existing.versions === undefined
    const parent = isInto || target.existing === undefined ? target.folder : target.existing.parent
    const name = isInto ? view.shownName(node) : target.name
    if (target.existing?.id === node.id) return view.pathOf(node)
    requireOutside(view, node, parent, from)
    const there = view.idAt(parent, name)
    const other = there === undefined ? undefined : view.get(there)
    if (other?.id === node.id) return view.pathOf(node)
    if (other === undefined) {
      pinVersions(node)
      // Only what changes: at the same time, another device may rename what this one moves.
      if (parent !== node.parent) writeParent(node, parent)
      if (name !== node.rawName) write(node.id, fields.name, name)
      keepContent(node)
      return pathOfId(node.id)
    }
    if (other.versions === undefined || node.versions === undefined) {
      throw new CairnError('FILE_EXISTS', {
        message: `${view.pathOf(other)} already exists`,
        hint: 'Choose another name.',
      })
    }
    return addVersions(node.id, node.versions, other)
  }
  const addFolder = ({ folder, name }: { folder: string; name: string }): string =>
    place(`d-${toBase64url(crypto.getRandomValues(new Uint8Array(folderIdBytes)))}`, folder, name)
  const ensureFolder = (names: readonly string[]): void => {
    for (let count = 1; count <= names.length; count++) {
      const path = names.slice(0, count).join('/')
      // A folder of an upload keeps its name, also a blank one.
      if (findNode(view, path) === undefined) addFolder(findTarget(view, path))
    }
  }

  const editor: DriveEditor = {
    place(cid, path) {
      const holder = view.holderOf(cid)
      const version = holder?.versions?.find((one) => one.cid === cid)
      if (holder === undefined || version === undefined) throw notFound(`the upload ${cid}`)
      const isJoined = holder.joined.includes(cid)
      const isTrashed = view.isInTrash(holder)
      const own = state.entries.get(cid)?.fields
      const isPlaced = holder.id !== cid || own?.has(fields.parent) === true || own?.has(fields.name) === true
      const names = splitPath(path)
      const there = names.length === 0 ? undefined : findNode(view, path)
      if (isPlaced && !isJoined && !isTrashed) {
        if (there?.id === holder.id) makeNewest(holder.id, cid)
        return view.pathOf(holder)
      }
      if (names.length === 0) throw new CairnError('INVALID_PATH', { message: 'The path has no name' })
      // Checked before a folder is created, because a program may continue with other edits after an error.
      for (const [at, one] of names.entries()) {
        if (findNode(view, names.slice(0, at + 1).join('/')) === undefined) requireName(one)
      }
      ensureFolder(names.slice(0, -1))
      const { existing, folder, name } = findTarget(view, path)
      if (existing?.id === holder.id) {
        makeNewest(holder.id, cid)
        return view.pathOf(holder)
      }
      if (isTrashed) write(holder.id, fields.trashedAt, 0)
      // An upload that only its name joined to a file leaves that file.
      const id = isJoined ? cid : holder.id
      if (existing?.versions !== undefined) {
        const others = isJoined ? [] : (holder.versions ?? []).filter((one) => one !== version)
        return addVersions(id, [version, ...others], existing)
      }
      if (!isJoined) pinVersions(holder)
      // A folder has that name, so one of the two gets a number.
      place(id, existing?.parent ?? folder, name)
      makeNewest(id, cid)
      return pathOfId(id)
    },
    createFolder(path) {
      const target = findTarget(view, withoutTrailing(path, '/'))
      if (target.existing !== undefined) {
        throw new CairnError('FILE_EXISTS', { message: `${path} already exists`, hint: 'Choose another name.' })
      }
      requireVisible(target.name)
      return addFolder(target)
    },
    move(from, to) {
      const paths = typeof from === 'string' ? [from] : from
      if (paths.length > 1) folderAt(to)
      return paths.map((path) => moveOne(path, to))
    },
    trash(path) {
      const node = nodeOf(path)
      pinVersions(node)
      const shown = view.shownName(node)
      // Only what changes: at the same time, another device may rename it.
      if (shown !== node.rawName) write(node.id, fields.name, shown)
      write(node.id, fields.trashedAt, nowMs)
    },
    restore(pathOrId) {
      const node = findTrashed(view, pathOrId)
      if (node === undefined) throw notFound(pathOrId, 'Run `cairn drive ls --trash` to list the trash.')
      const folder = view.get(node.parent)
      const isLive = node.parent === rootId || (folder !== undefined && !view.isInTrash(folder))
      const name = freeNameIn(isLive ? node.parent : rootId, node.rawName)
      write(node.id, fields.trashedAt, 0)
      if (name !== node.rawName) write(node.id, fields.name, name)
      if (!isLive) writeParent(node, rootId)
      keepContent(node)
      return pathOfId(node.id)
    },
    star(path, isStarred = true) {
      write(nodeOf(path).id, fields.starred, isStarred)
    },
    tag(path, tag, isTagged = true) {
      write(nodeOf(path).id, fields.tag(checkLabel(tag, 'tag')), isTagged)
    },
    setColour(path, colour) {
      const { id } = nodeOf(path)
      write(id, fields.colour, colour === undefined ? '' : checkLabel(colour, 'colour'))
    },
    useVersion(path, cid) {
      const node = nodeOf(path)
      if (node.versions === undefined) throw new CairnError('NOT_A_FILE', { message: `${path} is a folder` })
      if (!node.versions.some((one) => one.cid === cid)) throw notFound(`${path} with the version ${cid}`)
      makeNewest(node.id, cid)
    },
    setContact(address, label) {
      write(contactId(address), contactFields.label, checkLabel(label, 'label'))
    },
    markContactsUsed(addresses) {
      for (const address of addresses) write(contactId(address), contactFields.usedAt, nowMs)
    },
    removeContact: (address) => clear([contactId(address)]),
    clear(ids, names = new Map()) {
      clear(ids)
      for (const [id, name] of names)
        if (state.entries.get(id)?.fields.has(fields.name) === false) write(id, fields.name, name)
    },
  }
  return { editor, finish, undo }
}
