import type { Drive, DriveItem } from '@cairn/sdk'
import { type ReactNode, useState } from 'react'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Modal } from '../ui/dialogs/Modal.tsx'
import { Spinner } from '../ui/states/Spinner.tsx'

/**
 * Waits until all files are listed before it shows a dialog about the contents of folders: until then, older files are missing
 * from the drive, and so from what would be saved or shared.
 */
export function WhenListed({
  drive,
  items,
  title,
  onClose,
  children,
}: {
  drive: Pick<Drive, 'isListed'>
  items: readonly DriveItem[]
  title: string
  onClose: () => void
  children: ReactNode
}) {
  const isComplete = drive.isListed || items.every(({ kind }) => kind === 'file')
  // A dialog that is open stays when a renewed session lists the files again.
  const [wasComplete, setWasComplete] = useState(isComplete)
  if (isComplete && !wasComplete) setWasComplete(true)
  if (isComplete || wasComplete) return children
  return (
    <Modal isOpen onClose={onClose} title={title} footer={<Button onClick={onClose}>{messages.shell.cancel}</Button>}>
      <p role="status" className="flex items-center gap-2 text-sm">
        <Spinner />
        {messages.drive.folderListing}
      </p>
    </Modal>
  )
}
