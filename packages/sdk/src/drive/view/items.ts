import type { DriveVersion, Node } from './nodes.ts'

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
  /** Whether the gateway serves it through signed links only. */
  isPrivate: boolean
  /** Whether it came through an upload link, and has neither been moved nor renamed. Uploads of its name do not become its versions. */
  isReceived: boolean
  /** Newest first. */
  versions: DriveVersion[]
}
/** A file or folder of a drive. */
export type DriveItem = DriveFolder | DriveFile

export function toItem(node: Node, name: string, path: string): DriveItem {
  const { id, isStarred, tags, colour, trashedAt, isReceived, versions } = node
  const common = { id, name, path, isStarred, tags: [...tags], colour, trashedAt }
  const [newest] = versions ?? []
  if (versions === undefined || newest === undefined) return { kind: 'folder', ...common }
  const { cid, sizeBytes, mimeType, isEncrypted, isPrivate } = newest
  return {
    kind: 'file',
    ...common,
    cid,
    sizeBytes,
    mimeType,
    isEncrypted,
    isPrivate,
    isReceived,
    versions: [...versions],
  }
}
