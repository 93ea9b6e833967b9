import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { messages } from '../../messages/messages.ts'
import { Button } from '../Button.tsx'
import { FormTried } from '../forms/form-tried.ts'
import { Modal } from './Modal.tsx'
import { useOnce } from './use-once.ts'

/**
 * A dialog with a form: fields, errors, Cancel and a button that submits, as Enter in a field does. A second submit is ignored
 * while the first is pending. After a submit, the first invalid field has the focus.
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
  /** `danger` for actions that cannot be undone. */
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
  const form = useRef<HTMLFormElement>(null)
  const [tries, setTries] = useState(0)
  const once = useOnce()
  useEffect(() => {
    if (tries > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [tries])
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
        ref={form}
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          if (isBusy || isDisabled) return
          setTries(tries + 1)
          once(onSubmit)
        }}
      >
        <FormTried value={tries > 0}>{children}</FormTried>
        {error === undefined ? undefined : (
          <p role="alert" className="text-bad text-sm">
            {error}
          </p>
        )}
      </form>
    </Modal>
  )
}
