import type { FileEntry } from '@cairn/protocol'
import { isContactId } from './contacts.ts'
import type { FieldValue, Registers } from './registers.ts'
import type { Stamp } from './stamp.ts'

/** Id of the root folder, as a parent. */
export const rootId = ''
/** Time that deleted items stay in the trash, in ms: 30 days. */
export const trashMs = 30 * 86_400_000

/** What the view needs to know about an upload. */
export type DriveUpload = Pick<
  FileEntry,
  'id' | 'cid' | 'fileName' | 'fileSizeInBytes' | 'mimeType' | 'createdAt' | 'encryption'
>

/** A version of a file. */
export type DriveVersion = {
  cid: string
  sizeBytes: number
  mimeType: string | null
  isEncrypted: boolean
  /** When it was uploaded, or became the newest version, in ms since 1970. */
  at: number
}

type ItemFields = {
  /** Stays the same when the item is moved or renamed. */
  id: string
  name: string
  path: string
  isStarred: boolean
  tags: string[]
  colour: string | undefined
  /** When it was moved to the trash, in ms since 1970. */
  trashedAt: number | undefined
}
export type DriveFolder = ItemFields & { kind: 'folder' }
export type DriveFile = ItemFields & {
  kind: 'file'
  /** The newest version. */
  cid: string
  sizeBytes: number
  mimeType: string | null
  isEncrypted: boolean
  /** Newest first. */
  versions: DriveVersion[]
}
/** A file or folder of a drive. */
export type DriveItem = DriveFolder | DriveFile

/** A file or folder in the view, as its fields say. */
export type Node = {
  id: string
  /** As set, or as uploaded; siblings may have the same one. */
  rawName: string
  /** Among siblings of one name, the first keeps it. */
  nameStamp: Stamp
  parent: string
  isStarred: boolean
  tags: string[]
  colour: string | undefined
  trashedAt: number | undefined
  /** Newest first; undefined for a folder. */
  versions: DriveVersion[] | undefined
  /** Versions that only their name joins to the file. */
  joined: string[]
}

/** The folders and files of a drive at one time. */
export type View = {
  nodes: Map<string, Node>
  /** Ids of the items in each folder, those in the trash left out. */
  children: Map<string, Set<string>>
  /** Names of the items of a folder as shown; computed for a folder when it is first read. */
  names: Map<string, { byName: Map<string, string>; byId: Map<string, string> }>
}

const tagPrefix = 'tag/'
const versionPrefix = 'version/'
export const fields = {
  name: 'name',
  parent: 'parent',
  starred: 'starred',
  colour: 'colour',
  trashedAt: 'trashedAt',
  tag: (tag: string) => `${tagPrefix}${tag}`,
  version: (cid: string) => `${versionPrefix}${cid}`,
} as const

/** After every stamp: an upload does not take the name of an item that has it already. */
const unnamed = '~'

/** Folders have random ids that no CID has; the id of a file is the CID of its first version. */
export const folderIdPattern = /^d-[\w-]{22}$/

type Fields = ReadonlyMap<string, { at: Stamp; value: FieldValue }>
const noFields: Fields = new Map()

/** The first upload of each CID, oldest first: see {@link indexUploads}. */
export type UploadIndex = ReadonlyMap<string, DriveUpload>

/** Builds the view of a state and of the uploads of the account. Equal input gives an equal view on every device. */
export function buildView(state: Registers, byCid: UploadIndex): View {
  const nodes = new Map<string, Node>()
  for (const [id, entry] of state.entries) {
    if (entry.fields.size === 0 || isContactId(id)) continue
    const node = folderIdPattern.test(id) ? readFolder(id, entry.fields) : readFile(id, entry.fields, byCid)
    if (node !== undefined) nodes.set(id, node)
  }
  const claimed = absorbVersions(state, nodes)
  addUploads(nodes, byCid, claimed)
  placeAll(state, nodes)
  const children = new Map<string, Set<string>>()
  for (const { id, parent, trashedAt } of nodes.values()) {
    if (trashedAt === undefined) addChild(children, parent, id)
  }
  return { nodes, children, names: new Map() }
}

/** Returns the first upload of each CID, oldest first. */
export function indexUploads(uploads: readonly DriveUpload[]): UploadIndex {
  const sorted = uploads.toSorted(
    (a, b) => a.createdAt - b.createdAt || (a.cid < b.cid ? -1 : a.cid > b.cid ? 1 : a.id < b.id ? -1 : 1),
  )
  const byCid = new Map<string, DriveUpload>()
  for (const upload of sorted) if (!byCid.has(upload.cid)) byCid.set(upload.cid, upload)
  return byCid
}

function textOf(all: Fields, field: string): string | undefined {
  const value = all.get(field)?.value
  return typeof value === 'string' ? value : undefined
}

/** Most items have none: one list for all of them, which is never changed. */
const noTexts: string[] = []

function readNode(id: string, all: Fields, name: string, versions: DriveVersion[] | undefined): Node {
  const trashedAt = all.get(fields.trashedAt)?.value
  const colour = textOf(all, fields.colour)
  return {
    id,
    rawName: toShown(name),
    nameStamp: all.get(fields.name)?.at ?? unnamed,
    parent: textOf(all, fields.parent) ?? rootId,
    isStarred: all.get(fields.starred)?.value === true,
    tags: readTags(all),
    colour: colour === '' ? undefined : colour,
    trashedAt: typeof trashedAt === 'number' && trashedAt > 0 ? trashedAt : undefined,
    versions,
    joined: noTexts,
  }
}

function readTags(all: Fields): string[] {
  let tags = noTexts
  for (const [field, { value }] of all) {
    if (value !== true || !field.startsWith(tagPrefix)) continue
    if (tags === noTexts) tags = []
    tags.push(field.slice(tagPrefix.length))
  }
  return tags.length > 1 ? tags.sort() : tags
}

/** A folder without a name was removed; what another device moved into it falls back to the root. */
function readFolder(id: string, all: Fields): Node | undefined {
  const name = textOf(all, fields.name)
  return name === undefined ? undefined : readNode(id, all, name, undefined)
}

/** A file without stored content is not shown; its entry stays, and shows again with the content. */
function readFile(id: string, all: Fields, byCid: UploadIndex): Node | undefined {
  const own = byCid.get(id)
  const versions = own === undefined ? [] : [toVersion(own, own.createdAt)]
  for (const [field, { value }] of all) {
    if (!field.startsWith(versionPrefix) || typeof value !== 'number' || value === 0) continue
    const upload = byCid.get(field.slice(versionPrefix.length))
    if (upload === undefined) continue
    // An old version that became the newest again.
    if (upload.cid === id) versions[0] = toVersion(upload, value)
    else versions.push(toVersion(upload, value))
  }
  if (versions.length === 0) return undefined
  if (versions.length > 1) versions.sort(newestFirst)
  const name = textOf(all, fields.name) ?? own?.fileName ?? byCid.get(versions.at(-1)?.cid ?? '')?.fileName ?? id
  return readNode(id, all, name, versions)
}

function toVersion({ cid, fileSizeInBytes, mimeType, encryption }: DriveUpload, at: number): DriveVersion {
  return { cid, sizeBytes: Number(fileSizeInBytes), mimeType, isEncrypted: encryption, at }
}

function newestFirst(a: DriveVersion, b: DriveVersion): number {
  return b.at - a.at || (a.cid < b.cid ? 1 : -1)
}

/**
 * Removes files that are versions of another one, unless a device gave them a name or a place of their own meanwhile. Their
 * versions pass to that other, so that none is lost, also where files are versions of each other.
 * @returns all CIDs that are versions of a file in the view
 */
function absorbVersions({ entries }: Registers, nodes: Map<string, Node>): ReadonlySet<string> {
  const claimed = new Set<string>()
  const claiming: string[] = []
  for (const { id, versions = [] } of nodes.values()) if (versions.some(({ cid }) => cid !== id)) claiming.push(id)
  for (const id of claiming.sort()) {
    const versions = nodes.get(id)?.versions ?? []
    // The list grows while it is read.
    for (const { cid } of versions) {
      claimed.add(cid)
      const own = entries.get(cid)?.fields
      const other = nodes.get(cid)?.versions
      if (cid === id || other === undefined || own?.has(fields.name) || own?.has(fields.parent)) continue
      nodes.delete(cid)
      versions.push(...other.filter((one) => !versions.some((known) => known.cid === one.cid)))
    }
    versions.sort(newestFirst)
  }
  return claimed
}

/** Adds uploads without an entry to the root; an upload with the name of a file there is a version of it. */
function addUploads(nodes: Map<string, Node>, byCid: UploadIndex, claimed: ReadonlySet<string>): void {
  const inRoot = new Map<string, Node>()
  for (const node of nodes.values()) {
    if (node.versions === undefined || node.parent !== rootId || node.trashedAt !== undefined) continue
    const other = inRoot.get(node.rawName)
    if (other === undefined || isBefore(node, other)) inRoot.set(node.rawName, node)
  }
  for (const upload of byCid.values()) {
    const { cid } = upload
    if (nodes.has(cid) || claimed.has(cid)) continue
    const version = toVersion(upload, upload.createdAt)
    const node = readNode(cid, noFields, upload.fileName, [version])
    const file = inRoot.get(node.rawName)
    if (file?.versions === undefined) {
      nodes.set(cid, node)
      inRoot.set(node.rawName, node)
      continue
    }
    file.versions.push(version)
    file.versions.sort(newestFirst)
    if (file.joined === noTexts) file.joined = []
    file.joined.push(cid)
  }
}

function isBefore(a: Node, b: Node): boolean {
  return a.nameStamp === b.nameStamp ? a.id < b.id : a.nameStamp < b.nameStamp
}

/**
 * Moves items whose folder does not exist to the root, and breaks cycles of folders, which two devices can make together: of
 * the moves of a cycle, the latest counts as a move to the root.
 */
function placeAll({ entries }: Registers, nodes: Map<string, Node>): void {
  for (const node of nodes.values()) {
    const folder = nodes.get(node.parent)
    if (folder === undefined || folder.versions !== undefined) node.parent = rootId
  }
  const movedAt = (id: string): Stamp => entries.get(id)?.fields.get(fields.parent)?.at ?? ''
  const isMovedAfter = (one: string, other: string): boolean =>
    movedAt(one) === movedAt(other) ? one > other : movedAt(one) > movedAt(other)
  const known = new Set<string>([rootId])
  for (const { id: start, versions } of nodes.values()) {
    if (versions !== undefined) continue
    const trail: string[] = []
    const onTrail = new Set<string>()
    let id = start
    while (!known.has(id) && !onTrail.has(id)) {
      trail.push(id)
      onTrail.add(id)
      id = nodes.get(id)?.parent ?? rootId
    }
    if (!known.has(id)) {
      const cycle = trail.slice(trail.indexOf(id))
      const last = cycle.reduce((latest, one) => (isMovedAfter(one, latest) ? one : latest))
      const node = nodes.get(last)
      if (node !== undefined) node.parent = rootId
    }
    for (const one of trail) known.add(one)
  }
}

/** Names of uploads may contain what a path cannot. */
function toShown(name: string): string {
  const shown = name.normalize('NFC').replaceAll('/', '_')
  return shown === '' || shown === '.' || shown === '..' ? `_${shown}` : shown
}

function addChild(children: View['children'], parent: string, id: string): void {
  const ids = children.get(parent)
  if (ids === undefined) children.set(parent, new Set([id]))
  else ids.add(id)
}

/** Returns the names of the items of a folder: of equal names, all but the first get a number. */
export function namesIn(view: View, folderId: string): { byName: Map<string, string>; byId: Map<string, string> } {
  const known = view.names.get(folderId)
  if (known !== undefined) return known
  const first = new Map<string, Node>()
  const later: Node[] = []
  for (const id of view.children.get(folderId) ?? []) {
    const node = view.nodes.get(id)
    if (node === undefined) continue
    const other = first.get(node.rawName)
    if (other === undefined) {
      first.set(node.rawName, node)
      continue
    }
    const isFirst = isBefore(node, other)
    if (isFirst) first.set(node.rawName, node)
    later.push(isFirst ? other : node)
  }
  // Only equal names need an order: sorting all of a large folder takes longer than the rest of the view.
  later.sort((a, b) => (isBefore(a, b) ? -1 : 1))
  const byName = new Map<string, string>()
  const byId = new Map<string, string>()
  const take = (name: string, id: string) => {
    byName.set(name, id)
    byId.set(id, name)
  }
  for (const [name, { id }] of first) take(name, id)
  const counts = new Map<string, number>()
  for (const { id, rawName } of later) {
    let count = counts.get(rawName) ?? 2
    while (byName.has(withNumber(rawName, count))) count++
    take(withNumber(rawName, count), id)
    counts.set(rawName, count + 1)
  }
  const names = { byName, byId }
  view.names.set(folderId, names)
  return names
}

function withNumber(name: string, count: number): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? `${name.slice(0, dot)} (${count})${name.slice(dot)}` : `${name} (${count})`
}

/** Moves an item of the view, so that later edits of the same change see it. */
export function replaceInView(view: View, node: Node): void {
  const before = view.nodes.get(node.id)
  view.nodes.set(node.id, node)
  if (before !== undefined && before.trashedAt === undefined) {
    const names = view.names.get(before.parent)
    const shown = names?.byId.get(node.id)
    if (shown !== undefined) names?.byName.delete(shown)
    names?.byId.delete(node.id)
    view.children.get(before.parent)?.delete(node.id)
  }
  if (node.trashedAt !== undefined) return
  addChild(view.children, node.parent, node.id)
  const names = view.names.get(node.parent)
  if (names === undefined) return
  if (names.byName.has(node.rawName)) {
    view.names.delete(node.parent)
    return
  }
  names.byName.set(node.rawName, node.id)
  names.byId.set(node.id, node.rawName)
}

/** Returns whether an item is in the trash, by itself or with a folder. */
export function isInTrash({ nodes }: View, { trashedAt, parent }: Node): boolean {
  if (trashedAt !== undefined) return true
  for (let id = parent; id !== rootId; ) {
    const folder = nodes.get(id)
    if (folder === undefined) return false
    if (folder.trashedAt !== undefined) return true
    id = folder.parent
  }
  return false
}

/** Returns the path of an item; in the trash, that of its folder with its own name. */
export function pathOf(view: View, node: Node): string {
  const names: string[] = []
  for (let at: Node | undefined = node; at !== undefined; at = view.nodes.get(at.parent))
    names.unshift(shownName(view, at))
  return `/${names.join('/')}`
}

export function shownName(view: View, node: Node): string {
  if (node.trashedAt !== undefined) return node.rawName
  return namesIn(view, node.parent).byId.get(node.id) ?? node.rawName
}

/** Reads the items of a view as callers see them. */
export type ItemReader = {
  itemOf(node: Node): DriveItem
  /** Whether an item is in the trash, by itself or with a folder. */
  isInTrash(node: Node): boolean
}

/**
 * Returns a reader that computes each item, and the path of each folder, once: of a drive with very many files, a list of all
 * is then a look-up. It is valid until the view changes.
 */
export function createItemReader(view: View): ItemReader {
  const items = new Map<string, DriveItem>()
  const folders = new Map<string, { path: string; isInTrash: boolean }>([[rootId, { path: '', isInTrash: false }]])
  const folderOf = (id: string): { path: string; isInTrash: boolean } => {
    const above: Node[] = []
    let at = id
    let known = folders.get(at)
    while (known === undefined) {
      const node = view.nodes.get(at)
      if (node === undefined) known = { path: '', isInTrash: false }
      else {
        above.push(node)
        at = node.parent
        known = folders.get(at)
      }
    }
    for (const node of above.reverse()) {
      const isInTrash: boolean = known.isInTrash || node.trashedAt !== undefined
      known = { path: `${known.path}/${shownName(view, node)}`, isInTrash }
      folders.set(node.id, known)
    }
    return known
  }
  return {
    itemOf(node) {
      const known = items.get(node.id)
      if (known !== undefined) return known
      const name = shownName(view, node)
      const item = toItem(node, name, `${folderOf(node.parent).path}/${name}`)
      items.set(node.id, item)
      return item
    },
    isInTrash: (node) => node.trashedAt !== undefined || folderOf(node.parent).isInTrash,
  }
}

function toItem(node: Node, name: string, path: string): DriveItem {
  const { id, isStarred, tags, colour, trashedAt, versions } = node
  const common = { id, name, path, isStarred, tags: [...tags], colour, trashedAt }
  const [newest] = versions ?? []
  if (versions === undefined || newest === undefined) return { kind: 'folder', ...common }
  const { cid, sizeBytes, mimeType, isEncrypted } = newest
  return { kind: 'file', ...common, cid, sizeBytes, mimeType, isEncrypted, versions: [...versions] }
}
