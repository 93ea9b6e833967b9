import { useEffect } from 'react'
import { setFileTools } from '../files/file-tools.ts'
import type { ListedFile } from '../files/listed-file.ts'
import { setShownOrder } from '../files/shown-order.ts'
import type { FileActions } from '../files/use-file-actions.ts'
import { setUploadPlace } from '../upload/upload-place.ts'
import type { ItemDialog } from './use-item-actions.ts'
import type { ItemEdits } from './use-item-edits.ts'

/** Shares the folder on the page with what opens above it: the file view follows its rows, and uploads go into it. */
export function useShownFolder({
  files,
  folderId,
  path,
  place,
  edits,
  actions,
  onDialog,
}: {
  files: readonly ListedFile[]
  folderId: string
  path: string | undefined
  place: string | undefined
  edits: ItemEdits
  actions: FileActions
  onDialog: (dialog: ItemDialog) => void
}): void {
  useEffect(() => {
    setShownOrder(files)
    return () => setShownOrder(undefined)
  }, [files])
  useEffect(() => {
    const byCid = new Map(files.map((file) => [file.cid, file]))
    setFileTools({
      moverOf: (cid) => {
        const item = byCid.get(cid)?.item
        return item === undefined ? undefined : () => onDialog({ kind: 'move', items: [item] })
      },
      menuOf: (cid) => {
        const file = byCid.get(cid)
        return file === undefined ? undefined : actions(file)
      },
      applyVersion: edits.applyVersion,
    })
    return () => setFileTools(undefined)
  }, [files, edits, actions, onDialog])
  useEffect(() => {
    if (path !== undefined && place === undefined) setUploadPlace(folderId === '' ? undefined : { id: folderId, path })
    return () => setUploadPlace(undefined)
  }, [path, folderId, place])
}
