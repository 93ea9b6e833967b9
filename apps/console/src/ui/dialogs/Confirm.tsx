import type { ReactNode } from 'react'
import { messages } from '../../messages/messages.ts'
import { Button } from '../Button.tsx'
import { Modal } from './Modal.tsx'
import { useOnce } from './use-once.ts'

/** Confirms an action that cannot be undone; states what it does and does not do. */
export function Confirm({
  isOpen,
  onClose,
  title,
  hint,
  confirmLabel,
  dismissLabel = messages.shell.cancel,
  isBusy = false,
  onConfirm,
  children,
}: {
  isOpen: boolean
  onClose: () => void
  title: string
  hint: ReactNode
  confirmLabel: string
  /** Where the action itself is to cancel something, `Cancel` would say both. */
  dismissLabel?: string
  isBusy?: boolean
  onConfirm: () => void
  children?: ReactNode
}) {
  const once = useOnce()
  return (
    <Modal
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      hint={hint}
      footer={
        <>
          {/* Enter changes nothing. */}
          <Button data-first-focus onClick={onClose}>
            {dismissLabel}
          </Button>
          <Button kind="danger" isBusy={isBusy} onClick={() => once(onConfirm)}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      {children}
    </Modal>
  )
}
