import type { Drive, DriveItem } from '@cairn/sdk'
import { messages } from '../messages/messages.ts'

/** A folder in the list of those that items can be moved into. */
export type MoveTarget = {
  /** Empty for the root. */
  id: string
  name: string
  path: string
  depth: number
  /** Whether it was uploaded as one folder: its CID identifies its content, so that no files can be moved into it. */
  isStored: boolean
}

/**
 * Returns all folders except those being moved, each below its parent.
 * @param isStoredFolder whether content is a folder that was uploaded as one
 */
export function listTargets(
  drive: Pick<Drive, 'all'>,
  items: readonly Pick<DriveItem, 'path'>[],
  isStoredFolder: (cid: string) => boolean,
): MoveTarget[] {
  const isMoved = (path: string) => items.some((one) => path === one.path || path.startsWith(`${one.path}/`))
  const folders = drive.all().flatMap((item): MoveTarget[] => {
    const { id, name, path } = item
    const isStored = item.kind === 'file' && isStoredFolder(item.cid)
    if ((item.kind === 'file' && !isStored) || isMoved(path)) return []
    return [{ id, name, path, depth: path.split('/').length - 1, isStored }]
  })
  // Names are compared level by level, because a space sorts before a slash. Names that differ only in case have different keys;
  // otherwise the content of one would be listed below the other.
  const keyOf = (path: string) => path.split('/').map((name) => `${name.toLowerCase()}\u0001${name}`)
  const keys = new Map(folders.map((folder) => [folder, keyOf(folder.path).join('\u0000')]))
  folders.sort((a, b) => ((keys.get(a) ?? '') < (keys.get(b) ?? '') ? -1 : 1))
  return [{ id: '', name: messages.drive.root, path: '/', depth: 0, isStored: false }, ...folders]
}
