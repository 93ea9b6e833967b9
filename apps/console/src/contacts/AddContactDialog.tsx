import type { DriveContact } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { explainError } from '../messages/describe-error.ts'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { FormDialog } from '../ui/dialogs/FormDialog.tsx'
import { TextField } from '../ui/forms/TextField.tsx'
import { EnsNote } from './EnsNote.tsx'
import { describeTypo } from './mistyped.ts'
import { useAddresses } from './use-addresses.ts'
import type { useContacts } from './use-contacts.ts'

const maxLabelLength = 100
/** An address is named here, so labels of other contacts are not accepted as one. */
const noContacts: readonly DriveContact[] = []

/** Adds a label for an address. */
export function AddContactDialog({
  book: { save },
  onClose,
}: {
  book: Pick<ReturnType<typeof useContacts>, 'save'>
  onClose: () => void
}) {
  const [text, setText] = useState('')
  const [label, setLabel] = useState('')
  const { addresses, bad, ens } = useAddresses(text, noContacts)
  const [address] = addresses
  const isRight = address !== undefined && addresses.length === 1 && bad.length === 0
  const adding = useMutation({ mutationFn: (to: string) => save(to, label.trim()), onSuccess: onClose })
  const failure = adding.error === null || isAborted(adding.error) ? undefined : explainError(adding.error)
  return (
    <FormDialog
      onClose={onClose}
      title={messages.contacts.add}
      hint={messages.contacts.hint}
      submitLabel={messages.contacts.save}
      isBusy={adding.isPending}
      error={failure}
      onSubmit={() => {
        if (isRight && label.trim() !== '') adding.mutate(address)
      }}
    >
      <TextField
        label={messages.contacts.address}
        value={text}
        spellCheck={false}
        placeholder={messages.access.sharePlaceholder}
        lateError={isRight ? undefined : (describeTypo(bad) ?? messages.access.transferBad)}
        onChange={({ target }) => setText(target.value)}
      />
      <EnsNote ens={ens} />
      <TextField
        label={messages.contacts.label}
        hint={messages.contacts.labelHint}
        value={label}
        maxLength={maxLabelLength}
        lateError={label.trim() === '' ? messages.contacts.labelEmpty : undefined}
        onChange={({ target }) => setLabel(target.value)}
      />
    </FormDialog>
  )
}
