import { type ReactNode, useId } from 'react'
import { messages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import { Modal } from './Modal.tsx'

/**
 * A dialog with a form: fields, what is wrong, Cancel and one button that submits. Enter in a field submits as well; a
 * second submit is ignored while the first is pending.
 */
export function FormDialog({
  title,
  hint,
  submitLabel,
  kind = 'primary',
  isDisabled = false,
  isBusy,
  error,
  onSubmit,
  onClose,
  children,
}: {
  title: ReactNode
  hint?: ReactNode
  submitLabel: ReactNode
  /** `danger` for what cannot be undone. */
  kind?: 'primary' | 'danger'
  /** Its fields are not loaded yet. */
  isDisabled?: boolean
  isBusy: boolean
  /** A failure that belongs to no single field. */
  error?: string | undefined
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}) {
  const id = useId()
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={title}
      hint={hint}
      footer={
        <>
          <Button onClick={onClose}>{messages.shell.cancel}</Button>
          <Button kind={kind} type="submit" form={id} disabled={isDisabled} isBusy={isBusy}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy && !isDisabled) onSubmit()
        }}
      >
        {children}
        {error === undefined ? undefined : (
          <p role="alert" className="text-bad text-sm">
            {error}
          </p>
        )}
      </form>
    </Modal>
  )
}
