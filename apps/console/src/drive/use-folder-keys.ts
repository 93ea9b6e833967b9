import type { DriveItem } from '@cairn/sdk'
import { useState } from 'react'
import { undoLast } from '../ui/toasts/toast-store.ts'
import type { ItemDialog } from './use-item-actions.ts'
import { type PageKey, usePageKeys } from './use-page-keys.ts'

const nothing: ReadonlySet<string> = new Set()

/**
 * Handles the keys of a folder: select all, delete, cut and paste, undo, rename, and up to the folder above.
 * @returns the handler, for a list that has the focus, which returns whether it handled the key; and what is cut
 */
export function useFolderKeys({
  active,
  selectedIds,
  pasteInto,
  onSelectAll,
  onSelectNone,
  onTrash,
  onMove,
  onUp,
  onDialog,
}: {
  /** The item that keys act on. */
  active: DriveItem | undefined
  selectedIds: readonly string[]
  /** Id of the folder that cut items are pasted into; undefined at a place that has no folder. */
  pasteInto: string | undefined
  /** Undefined if there is nothing to select. */
  onSelectAll: (() => void) | undefined
  onSelectNone: () => void
  onTrash: (ids: readonly string[]) => void
  onMove: (ids: readonly string[], folderId: string) => void
  onUp: () => void
  onDialog: (dialog: ItemDialog) => void
}): { onKey: (event: PageKey) => boolean; cutIds: ReadonlySet<string> } {
  const [cut, setCut] = useState<ReadonlySet<string>>(nothing)
  const onKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: PageKey): boolean => {
    if (ctrlKey || metaKey) {
      if (altKey || shiftKey) return false
      const chosen = selectedIds.length > 0 || active === undefined ? selectedIds : [active.id]
      if (key.toLowerCase() === 'a' && onSelectAll !== undefined) onSelectAll()
      else if (key.toLowerCase() === 'x' && chosen.length > 0) setCut(new Set(chosen))
      else if (key.toLowerCase() === 'v' && cut.size > 0 && pasteInto !== undefined) {
        onMove([...cut], pasteInto)
        setCut(nothing)
      } else return key.toLowerCase() === 'z' && undoLast()
      return true
    }
    if (key === 'Escape') {
      setCut(nothing)
      if (selectedIds.length === 0) return false
      onSelectNone()
    } else if (key === 'Delete' && selectedIds.length > 0) {
      setCut(nothing)
      onTrash(selectedIds)
    } else if (key === 'F2' && active !== undefined) onDialog({ kind: 'rename', item: active })
    else if (key === 'Backspace' || (altKey && key === 'ArrowUp')) onUp()
    else return false
    return true
  }
  usePageKeys(onKey)
  return { onKey, cutIds: cut }
}
