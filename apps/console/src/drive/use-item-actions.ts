import type { DriveFile, DriveItem } from '@cairn/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { Download, FolderInput, FolderOpen, History, Pencil, Star, StarOff, Tag, Trash2 } from '#icons'
import { intoFolder } from '../files/FileLink.tsx'
import type { ListedFile } from '../files/listed-file.ts'
import type { SignedContent } from '../files/SignLinkDialog.tsx'
import { type FileActions, useFileActions } from '../files/use-file-actions.ts'
import { messages } from '../messages/messages.ts'
import type { ItemEdits } from './use-item-edits.ts'

/** The dialogs of the drive, and the items that they are about. */
export type ItemDialog =
  | { kind: 'folder' }
  | { kind: 'rename'; item: DriveItem }
  | { kind: 'labels' | 'share' | 'zip'; items: readonly DriveItem[] }
  /** `refusedBy` is the folder that they were dropped on, if it cannot take them. */
  | { kind: 'move'; items: readonly DriveItem[]; refusedBy?: string }
  | { kind: 'versions'; item: DriveFile }
  | { kind: 'sign-link'; content: SignedContent }

const nothing = () => undefined

/** The menu of an item: what its content can do, and what the drive can do with it. */
export function useItemActions(edits: ItemEdits, onDialog: (dialog: ItemDialog) => void): FileActions {
  const navigate = useNavigate()
  const search = useSearch({ from: '/files' })
  const onSignLink = useCallback((content: SignedContent) => onDialog({ kind: 'sign-link', content }), [onDialog])
  const onZip = useCallback(
    ({ item }: ListedFile) => (item === undefined ? undefined : onDialog({ kind: 'zip', items: [item] })),
    [onDialog],
  )
  const ofContent = useFileActions({ onRename: nothing, onDelete: nothing, onSignLink, onZip })
  return useMemo(() => {
    const own = new Set(['rename', 'delete'])
    return (file: ListedFile) => {
      const { item } = file
      if (item === undefined) return []
      const { id, isStarred } = item
      return [
        ...(item.kind === 'file'
          ? ofContent(file).filter((one) => !own.has(one.id))
          : [
              {
                id: 'open',
                label: messages.files.open,
                icon: FolderOpen,
                run: () => void navigate({ to: '/files', search: intoFolder(search, id) }),
              },
              { id: 'download', label: messages.files.download, icon: Download, run: () => onZip(file) },
            ]),
        {
          id: 'move',
          label: messages.drive.move,
          icon: FolderInput,
          run: () => onDialog({ kind: 'move', items: [item] }),
        },
        { id: 'rename', label: messages.files.rename, icon: Pencil, run: () => onDialog({ kind: 'rename', item }) },
        {
          id: 'star',
          label: isStarred ? messages.drive.unstar : messages.drive.star,
          icon: isStarred ? StarOff : Star,
          run: () => void edits.star([id], !isStarred),
        },
        {
          id: 'labels',
          label: messages.drive.labels,
          icon: Tag,
          run: () => onDialog({ kind: 'labels', items: [item] }),
        },
        ...(item.kind === 'file' && item.versions.length > 1
          ? [
              {
                id: 'versions',
                label: messages.drive.versions,
                icon: History,
                run: () => onDialog({ kind: 'versions', item }),
              },
            ]
          : []),
        {
          id: 'trash',
          label: messages.drive.trash,
          icon: Trash2,
          isDanger: true,
          run: () => void edits.trash([id]),
        },
      ]
    }
  }, [edits, navigate, search, ofContent, onDialog, onZip])
}
