import type { Drive, DriveItem } from '@cairn/sdk'
import { type ReactNode, useState } from 'react'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Modal } from '../ui/Modal.tsx'
import { Spinner } from '../ui/Spinner.tsx'

/**
 * Shows a dialog about what is in folders once all files are listed: until then, older files of a folder are missing in the
 * drive, and would be missing in what is saved or shared.
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
