import { maxNameLabelCharacters } from '@cairn/protocol'
import { type NameState, renameName } from '@cairn/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { messages } from '../messages/messages.ts'
import { useClient } from '../session/use-client.ts'
import { FormDialog } from '../ui/dialogs/FormDialog.tsx'
import { TextField } from '../ui/forms/TextField.tsx'
import { toastDone, toastError } from '../ui/toasts/toast-store.ts'

/** Changes the label of a name; the name itself stays. */
export function RelabelDialog({ name, onClose }: { name: NameState; onClose: () => void }) {
  const client = useClient()
  const queries = useQueryClient()
  const [label, setLabel] = useState(name.label ?? '')
  const relabel = useMutation({
    mutationFn: () => renameName(client, name.name, label.trim() === '' ? null : label.trim()),
    onSuccess: () => toastDone(messages.names.renamed),
    onError: (failure) => toastError(messages.names.renameFailed, failure),
    onSettled: () => queries.invalidateQueries({ queryKey: ['names'] }),
  })
  return (
    <FormDialog
      onClose={onClose}
      title={messages.names.renameTitle}
      submitLabel={messages.names.rename}
      isBusy={relabel.isPending}
      onSubmit={() => relabel.mutate(undefined, { onSuccess: onClose })}
    >
      <TextField
        label={messages.names.label}
        hint={messages.names.labelHint}
        value={label}
        maxLength={maxNameLabelCharacters}
        onChange={({ target }) => setLabel(target.value)}
      />
    </FormDialog>
  )
}
