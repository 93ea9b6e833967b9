import type { DriveItem } from '@cairn/sdk'
import { useState } from 'react'
import { undoLast } from '../ui/toast-store.ts'
import type { ItemDialog } from './use-item-actions.ts'
import { type PageKey, usePageKeys } from './use-page-keys.ts'

/**
 * Handles the keys of a folder: cut and paste, undo, rename, and up to the folder above.
 * @returns the handler, for a list that has the focus; it returns whether it handled the key
 */
export function useFolderKeys({
  active,
  selectedIds,
  pasteInto,
  onMove,
  onUp,
  onDialog,
}: {
  /** The item that keys act on. */
  active: DriveItem | undefined
  selectedIds: readonly string[]
  /** Id of the folder that cut items are pasted into; undefined at a place that has no folder. */
  pasteInto: string | undefined
  onMove: (ids: readonly string[], folderId: string) => void
  onUp: () => void
  onDialog: (dialog: ItemDialog) => void
}): (event: PageKey) => boolean {
  const [cut, setCut] = useState<readonly string[]>([])
  const onKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: PageKey): boolean => {
    if (ctrlKey || metaKey) {
      if (altKey || shiftKey) return false
      const chosen = selectedIds.length > 0 || active === undefined ? selectedIds : [active.id]
      if (key.toLowerCase() === 'x' && chosen.length > 0) setCut(chosen)
      else if (key.toLowerCase() === 'v' && cut.length > 0 && pasteInto !== undefined) {
        onMove(cut, pasteInto)
        setCut([])
      } else return key.toLowerCase() === 'z' && undoLast()
      return true
    }
    if (key === 'F2' && active !== undefined) onDialog({ kind: 'rename', item: active })
    else if (key === 'Backspace' || (altKey && key === 'ArrowUp')) onUp()
    else return false
    return true
  }
  usePageKeys(onKey)
  return onKey
}
