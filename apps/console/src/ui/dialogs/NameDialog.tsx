import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { explainError } from '../../messages/describe-error.ts'
import { messages } from '../../messages/messages.ts'
import { toCairnError } from '../../network/query-client.ts'
import { TextField } from '../forms/TextField.tsx'
import { FormDialog } from './FormDialog.tsx'

/** Asks for a name, and shows why it is rejected. */
export function NameDialog({
  title,
  label,
  hint,
  submitLabel,
  name: given = '',
  onSave,
  onClose,
}: {
  title: string
  label: string
  hint: string
  submitLabel: string
  /** The name so far; saving the same one only closes the dialog. */
  name?: string
  onSave: (name: string) => Promise<unknown>
  onClose: () => void
}) {
  const [name, setName] = useState(given)
  const [failure, setFailure] = useState<string>()
  const save = useMutation({
    mutationFn: onSave,
    onError: (error) => {
      if (toCairnError(error).code !== 'ABORTED') setFailure(explainError(error))
    },
  })
  const submit = () => {
    const wanted = name.trim()
    if (wanted === '') setFailure(messages.files.renameEmpty)
    else if (wanted === given) onClose()
    // `onSuccess` is not called if the dialog was closed meanwhile, when another one may be open.
    else save.mutate(wanted, { onSuccess: onClose })
  }
  return (
    <FormDialog onClose={onClose} title={title} submitLabel={submitLabel} isBusy={save.isPending} onSubmit={submit}>
      <TextField
        ref={selectStem}
        label={label}
        hint={hint}
        value={name}
        error={failure}
        maxLength={1024}
        onChange={({ target }) => {
          setName(target.value)
          setFailure(undefined)
        }}
      />
    </FormDialog>
  )
}

/** Selects the name without its extension. As a ref, because the dialog mounts its content after the effects of its parent. */
function selectStem(input: HTMLInputElement | null): void {
  if (input === null) return
  input.focus()
  const dot = input.value.lastIndexOf('.')
  input.setSelectionRange(0, dot > 0 ? dot : input.value.length)
}
