import { getSession, isInterrupted, watchSession } from '../session/session-store.ts'
import { createStore, useStore } from '../state/store.ts'
import type { PathFile } from '../transfers/path-file.ts'
import { toUploadItems } from './to-upload-items.ts'
import type { UploadItem } from './upload-item.ts'

/** State of the upload sheet. Chosen items and a typed text stay while it is closed. */
export type UploadSheet = {
  isOpen: boolean
  tab: 'files' | 'text'
  items: readonly UploadItem[]
  unreadable: number
  text: string
  /** Undefined for the usual name. */
  textName: string | undefined
}

const empty: UploadSheet = { isOpen: false, tab: 'files', items: [], unreadable: 0, text: '', textName: undefined }
const sheet = createStore(empty)

export function changeUploadSheet(change: Partial<UploadSheet>): void {
  sheet.set({ ...sheet.get(), ...change })
}

/** Opens the sheet, with additional files if any. */
export function openUploadSheet(files: readonly PathFile[] = [], unreadable = 0): void {
  const before = sheet.get()
  changeUploadSheet({
    isOpen: true,
    ...(files.length === 0 && unreadable === 0
      ? {}
      : {
          tab: 'files',
          items: [...before.items, ...toUploadItems(files)],
          unreadable: before.unreadable + unreadable,
        }),
  })
}

/** Opens the sheet with an item that was removed before. */
export function addToUploadSheet(item: UploadItem): void {
  changeUploadSheet({ isOpen: true, tab: 'files', items: [...sheet.get().items, item] })
}

/** Closes the sheet and removes the started items; items chosen since stay. */
export function dropFromUploadSheet(ids: ReadonlySet<string>): void {
  changeUploadSheet({ isOpen: false, items: sheet.get().items.filter(({ id }) => !ids.has(id)), unreadable: 0 })
}

export function useUploadSheet(): UploadSheet {
  return useStore(sheet)
}

// Files chosen for one account are not uploaded by another. Files that a visitor chose belong to the account that then signs in.
let owner = getSession()?.address
watchSession(() => {
  const address = getSession()?.address
  if (address === owner || isInterrupted()) return
  if (owner !== undefined) changeUploadSheet(empty)
  owner = address
})
