import { Copy, Download, FolderInput, Star, Tag, Trash2, UserPlus } from '#icons'
import { BulkBar } from '../files/BulkBar.tsx'
import { cidsOf, copyCids } from '../files/copy-cids.ts'
import type { ListedFile } from '../files/listed-file.ts'
import { messages } from '../messages/messages.ts'
import type { ItemDialog } from './use-item-actions.ts'
import type { ItemEdits } from './use-item-edits.ts'

/** The actions on all selected items of the drive. */
export function ItemsBar({
  files,
  edits,
  onDialog,
  onClear,
  ...all
}: {
  files: readonly ListedFile[]
  edits: ItemEdits
  onDialog: (dialog: ItemDialog) => void
  onClear: () => void
  total: number
  onSelectAll: () => void
}) {
  const items = files.flatMap(({ item }) => item ?? [])
  if (items.length === 0) return undefined
  const ids = files.map(({ id }) => id)
  const areStarred = items.every(({ isStarred }) => isStarred)
  return (
    <BulkBar
      {...all}
      files={files}
      actions={[
        { id: 'zip', label: messages.drive.download, icon: Download, run: () => onDialog({ kind: 'zip', items }) },
        { id: 'move', label: messages.drive.move, icon: FolderInput, run: () => onDialog({ kind: 'move', items }) },
        {
          id: 'trash',
          label: messages.files.delete,
          icon: Trash2,
          isDanger: true,
          run: () => void edits.trash(ids),
        },
      ]}
      more={[
        { id: 'share', label: messages.files.share, icon: UserPlus, run: () => onDialog({ kind: 'share', items }) },
        {
          id: 'star',
          label: areStarred ? messages.drive.unstar : messages.drive.star,
          icon: Star,
          run: () => void edits.star(ids, !areStarred),
        },
        { id: 'labels', label: messages.drive.labels, icon: Tag, run: () => onDialog({ kind: 'labels', items }) },
        // Folders have no CID to copy.
        ...(cidsOf(files).length === 0
          ? []
          : [{ id: 'copy', label: messages.files.copyCid, icon: Copy, run: () => void copyCids(files) }]),
      ]}
      onClear={onClear}
    />
  )
}
