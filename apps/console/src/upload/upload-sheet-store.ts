import { useSyncExternalStore } from 'react'
import { type PathFile, toUploadItems, type UploadItem } from './upload-item.ts'

/** The upload sheet: open or not, and what is in it. What was chosen stays while it is closed. */
export type UploadSheet = { isOpen: boolean; tab: 'files' | 'text'; items: readonly UploadItem[]; unreadable: number }

let sheet: UploadSheet = { isOpen: false, tab: 'files', items: [], unreadable: 0 }
const listeners = new Set<() => void>()

export function changeUploadSheet(change: Partial<UploadSheet>): void {
  sheet = { ...sheet, ...change }
  for (const listener of listeners) listener()
}

/** Opens the sheet, with more files where there are some. */
export function openUploadSheet(files: readonly PathFile[] = [], unreadable = 0): void {
  changeUploadSheet({
    isOpen: true,
    ...(files.length === 0 && unreadable === 0
      ? {}
      : { tab: 'files', items: [...sheet.items, ...toUploadItems(files)], unreadable: sheet.unreadable + unreadable }),
  })
}

/** Opens the sheet with what was taken out of it before. */
export function addToUploadSheet(item: UploadItem): void {
  changeUploadSheet({ isOpen: true, tab: 'files', items: [...sheet.items, item] })
}

/** Closes the sheet and takes out of it what is on its way now; what was chosen since stays. */
export function dropFromUploadSheet(ids: ReadonlySet<string>): void {
  changeUploadSheet({ isOpen: false, items: sheet.items.filter(({ id }) => !ids.has(id)), unreadable: 0 })
}

export function useUploadSheet(): UploadSheet {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => sheet,
  )
}
