import type { FileEntry } from '@cairn/protocol'
import type { FieldValue, Registers } from '../log/registers.ts'
import type { Stamp } from '../log/stamp.ts'

/** Id of the root folder, as a parent. */
export const rootId = ''

/** What the drive needs to know about an upload. */
export type DriveUpload = Pick<
  FileEntry,
  | 'id'
  | 'cid'
  | 'fileName'
  | 'fileSizeInBytes'
  | 'mimeType'
  | 'createdAt'
  | 'encryption'
  | 'private'
  | 'managedBy'
  | 'uploadLinkId'
>

/** Whether it came through an upload link. */
export function isReceived({ uploadLinkId }: DriveUpload): boolean {
  return uploadLinkId !== undefined
}

/** A version of a file. */
export type DriveVersion = {
  cid: string
  sizeBytes: number
  mimeType: string | null
  isEncrypted: boolean
  /** Whether the gateway serves it through signed links only. */
  isPrivate: boolean
  /** When it was uploaded, or became the newest version, in ms since 1970. */
  at: number
}

/** A file or folder, as its fields describe it. Never changed: another one replaces it. */
export type Node = {
  readonly id: string
  /** As set, or as uploaded; siblings may have the same one. */
  readonly rawName: string
  /** Among siblings of one name, the first keeps it. */
  readonly nameStamp: Stamp
  readonly parent: string
  readonly isStarred: boolean
  readonly tags: readonly string[]
  readonly colour: string | undefined
  readonly trashedAt: number | undefined
  /** Whether it came through an upload link, and its owner has neither named nor placed it: its name joins it to no upload. */
  readonly isReceived: boolean
  /** Newest first; undefined for a folder. */
  readonly versions: readonly DriveVersion[] | undefined
  /** Versions that only their name joins to the file. */
  readonly joined: readonly string[]
  /** Versions whose time only a later upload with the name of the file gives. */
  readonly renewed: readonly string[]
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

/** After uploads of the account, in the order of their arrival: a sender cannot take a name. */
function receivedStamp({ createdAt }: DriveUpload): Stamp {
  return `${unnamed}${String(createdAt).padStart(16, '0')}`
}

/** Folders have random ids that no CID has; the id of a file is the CID of its first version. */
const folderIdPattern = /^d-[\w-]{22}$/

export function isFolderId(id: string): boolean {
  return folderIdPattern.test(id)
}

type Fields = ReadonlyMap<string, { at: Stamp; value: FieldValue }>
const noFields: Fields = new Map()
/** Most items have none: one list for all of them. */
const noTexts: readonly string[] = []

/** The first upload of each CID. */
export type FirstUploads = ReadonlyMap<string, DriveUpload>

/**
 * Reads an entry. A folder without a name was removed; items that another device moved into it are in the root. A file without
 * stored content is hidden; its entry stays, and shows again with the content.
 */
export function readEntry({ entries }: Registers, id: string, uploads: FirstUploads): Node | undefined {
  const all = entries.get(id)?.fields
  if (all === undefined || all.size === 0) return undefined
  if (!isFolderId(id)) return readFile(id, all, uploads)
  const name = textOf(all, fields.name)
  return name === undefined ? undefined : readNode(id, all, name)
}

/** Returns the CIDs other than its id that an entry has as versions, stored or not. */
export function readVersionCids({ entries }: Registers, id: string): readonly string[] {
  let cids: string[] | undefined
  for (const [field, { value }] of entries.get(id)?.fields ?? noFields) {
    if (!field.startsWith(versionPrefix) || value === 0) continue
    const cid = field.slice(versionPrefix.length)
    if (cid === id) continue
    cids ??= []
    cids.push(cid)
  }
  return cids ?? noTexts
}

/** Returns the file of an upload without an entry, in the root. */
export function readUpload(upload: DriveUpload): Node {
  return readNode(upload.cid, noFields, upload.fileName, {
    versions: [toVersion(upload, upload.createdAt)],
    own: upload,
  })
}

/** What a file has, and a folder has not. */
type Content = { versions: DriveVersion[]; own: DriveUpload | undefined }

function readNode(id: string, all: Fields, name: string, content?: Content): Node {
  const trashedAt = all.get(fields.trashedAt)?.value
  const colour = textOf(all, fields.colour)
  const own = content?.own
  const isPlaced = all.has(fields.name) || all.has(fields.parent)
  const received = own !== undefined && isReceived(own) && !isPlaced ? own : undefined
  return {
    id,
    rawName: toShown(name),
    nameStamp: all.get(fields.name)?.at ?? (received === undefined ? unnamed : receivedStamp(received)),
    parent: textOf(all, fields.parent) ?? rootId,
    isStarred: all.get(fields.starred)?.value === true,
    tags: readTags(all),
    colour: colour === '' ? undefined : colour,
    trashedAt: typeof trashedAt === 'number' && trashedAt > 0 ? trashedAt : undefined,
    isReceived: received !== undefined,
    versions: content?.versions,
    joined: noTexts,
    renewed: noTexts,
  }
}

function readFile(id: string, all: Fields, uploads: FirstUploads): Node | undefined {
  const own = uploads.get(id)
  const versions = own === undefined ? [] : [toVersion(own, own.createdAt)]
  for (const [field, { value }] of all) {
    if (!field.startsWith(versionPrefix) || typeof value !== 'number' || value === 0) continue
    const upload = uploads.get(field.slice(versionPrefix.length))
    if (upload === undefined) continue
    // An old version that became the newest again.
    if (upload.cid === id) versions[0] = toVersion(upload, value)
    else versions.push(toVersion(upload, value))
  }
  if (versions.length === 0) return undefined
  if (versions.length > 1) versions.sort(newestFirst)
  const name = textOf(all, fields.name) ?? own?.fileName ?? uploads.get(versions.at(-1)?.cid ?? '')?.fileName ?? id
  return readNode(id, all, name, { versions, own })
}

function readTags(all: Fields): readonly string[] {
  let tags: string[] | undefined
  for (const [field, { value }] of all) {
    if (value !== true || !field.startsWith(tagPrefix)) continue
    tags ??= []
    tags.push(field.slice(tagPrefix.length))
  }
  return tags?.sort() ?? noTexts
}

function textOf(all: Fields, field: string): string | undefined {
  const value = all.get(field)?.value
  return typeof value === 'string' ? value : undefined
}

export function toVersion(upload: DriveUpload, at: number): DriveVersion {
  const { cid, fileSizeInBytes, mimeType, encryption, private: isPrivate = false } = upload
  return { cid, sizeBytes: Number(fileSizeInBytes), mimeType, isEncrypted: encryption, isPrivate, at }
}

export function newestFirst(a: DriveVersion, b: DriveVersion): number {
  return b.at - a.at || (a.cid < b.cid ? 1 : -1)
}

/** Whether only this upload makes its content that of the file: without it, an earlier version would be. */
export function givesContent({ versions: [newest, ...others] = [], renewed }: Node, upload: DriveUpload): boolean {
  const isNewest = newest?.cid === upload.cid && newest.at === upload.createdAt
  return isNewest && others.length > 0 && renewed.includes(upload.cid)
}

/** Whether an item keeps a name that another item has, too. */
export function isBefore(a: Node, b: Node): boolean {
  return a.nameStamp === b.nameStamp ? a.id < b.id : a.nameStamp < b.nameStamp
}

/** Names of uploads may contain what a path cannot. */
export function toShown(name: string): string {
  const shown = name.normalize('NFC').replaceAll('/', '_')
  return shown === '' || shown === '.' || shown === '..' ? `_${shown}` : shown
}
