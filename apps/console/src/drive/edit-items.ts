import { CairnError, type Drive, type DriveEditor, type DriveItem } from '@cairn/sdk'
import { numberName } from '../content/number-name.ts'
import { messages } from '../messages/messages.ts'
import { asWorded } from '../messages/worded.ts'
import { folderPathOf, parentOf } from './list-items.ts'

/** An edit of the drive, as the page makes it: items by their ids, because paths change with every device. */
export type ItemEdit = { edit: DriveEditor; drive: Drive }
type MoveEdit = { edit: Pick<DriveEditor, 'move'>; drive: Pick<Drive, 'get' | 'find'> }
type RestoreEdit = { edit: Pick<DriveEditor, 'restore'>; drive: Pick<Drive, 'get'> }

/** Moves items that are still there into a folder. An item whose name is taken there gets a number, so that nothing is replaced. */
export function moveItems({ edit, drive }: MoveEdit, ids: readonly string[], folderId: string): number {
  return ids.filter((id) => moveItem({ edit, drive }, id, folderId, drive.get(id)?.name)).length
}

/** Moves an item back into the folder that it was in, with the name that it had there. */
export function moveBack({ edit, drive }: MoveEdit, id: string, before: { folderId: string; name: string }): void {
  moveItem({ edit, drive }, id, before.folderId, before.name)
}

/** Returns whether the item was moved: it is still there, and elsewhere. */
function moveItem({ edit, drive }: MoveEdit, id: string, folderId: string, name = ''): boolean {
  const folder = requireFolder(drive, folderId)
  const item = getItem(drive, id)
  if (item === undefined || parentOf(item.path) === folder) return false
  edit.move(item.path, joinPath(folder, freeName(drive, folder, name)))
  return true
}

/**
 * Restores items from the trash. Those that are not in it are skipped: Undo may come after they were restored, or deleted
 * permanently. @returns the number of restored items
 */
export function restoreItems({ edit, drive }: RestoreEdit, ids: readonly string[]): number {
  const trashed = ids.filter((id) => drive.get(id)?.trashedAt !== undefined)
  for (const id of trashed) edit.restore(id)
  return trashed.length
}

/**
 * Renames an item in its folder.
 * @throws CairnError INVALID_PATH, FILE_EXISTS, PATH_NOT_FOUND if it was deleted: another item may have its path
 */
export function renameItem({ edit, drive }: MoveEdit, id: string, name: string): void {
  const item = getItem(drive, id)
  if (item === undefined) throw gone(messages.drive.itemGone, messages.drive.itemGoneHint)
  const wanted = requireFreeName(drive, parentOf(item.path), name, id)
  edit.move(item.path, joinPath(parentOf(item.path), wanted))
}

/**
 * Creates a folder.
 * @returns its id
 * @throws CairnError INVALID_PATH, FILE_EXISTS
 */
export function createFolderIn({ edit, drive }: ItemEdit, folderId: string, name: string): string {
  const folder = requireFolder(drive, folderId)
  const made = drive.find(edit.createFolder(joinPath(folder, requireFreeName(drive, folder, name))))
  if (made === undefined) throw new CairnError('PATH_NOT_FOUND')
  return made.id
}

/** Runs an edit on each item that is still there. @returns their number */
export function forEachItem({ drive }: ItemEdit, ids: readonly string[], run: (path: string) => void): number {
  let count = 0
  for (const id of ids) {
    const item = getItem(drive, id)
    if (item === undefined) continue
    run(item.path)
    count++
  }
  return count
}

/** Returns an item that is neither deleted nor in the trash. */
function getItem(drive: MoveEdit['drive'], id: string): DriveItem | undefined {
  const item = drive.get(id)
  return item !== undefined && drive.find(item.path)?.id === id ? item : undefined
}

export function joinPath(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`
}

function requireFolder(drive: MoveEdit['drive'], id: string): string {
  const path = folderPathOf(drive, id)
  if (path === undefined) throw gone(messages.drive.folderGone, messages.drive.folderGoneHint)
  return path
}

function requireFreeName(drive: MoveEdit['drive'], folder: string, name: string, ownId?: string): string {
  const wanted = name.trim().normalize('NFC')
  if (wanted === '') throw invalidName(messages.files.renameEmpty)
  if (wanted.includes('/')) throw invalidName(messages.drive.nameSlash)
  // These would resolve to folders: `/.` is the folder itself.
  if (wanted === '.' || wanted === '..') throw invalidName(messages.drive.nameDots)
  const other = drive.find(joinPath(folder, wanted))
  if (other !== undefined && other.id !== ownId) {
    throw asWorded(new CairnError('FILE_EXISTS', { message: messages.drive.nameTaken(wanted) }))
  }
  return wanted
}

/** The default texts of the error are about paths below a CID. */
function gone(message: string, hint: string): CairnError {
  return asWorded(new CairnError('PATH_NOT_FOUND', { message, hint }))
}

/** The default hint of the error is about paths. */
function invalidName(message: string): CairnError {
  return asWorded(new CairnError('INVALID_PATH', { message, hint: '' }))
}

function freeName(drive: MoveEdit['drive'], folder: string, name: string): string {
  return numberName(name, (one) => drive.find(joinPath(folder, one)) !== undefined)
}
