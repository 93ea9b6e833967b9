import { nameLabelCharactersMost } from '@cairn/protocol'
import { type NameState, renameName } from '@cairn/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../session/use-client.ts'
import { Button } from '../ui/Button.tsx'
import { Modal } from '../ui/Modal.tsx'
import { TextField } from '../ui/TextField.tsx'
import { toastDone, toastError } from '../ui/toast-store.ts'
import { words } from '../words/words.ts'

/** Gives a name another label; the name itself stays. */
export function RelabelDialog({ name, onClose }: { name: NameState; onClose: () => void }) {
  const client = useClient()
  const queries = useQueryClient()
  const [label, setLabel] = useState(name.label ?? '')
  const relabel = useMutation({
    mutationFn: () => renameName(client, name.name, label.trim() === '' ? null : label.trim()),
    onSuccess: () => {
      toastDone(words.names.renamed)
      onClose()
    },
    onError: (fault) => toastError(words.names.renameFailed, fault),
    onSettled: () => queries.invalidateQueries({ queryKey: ['names'] }),
  })
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={words.names.renameTitle}
      footer={
        <>
          <Button onClick={onClose}>{words.shell.cancel}</Button>
          <Button kind="primary" type="submit" form="relabel-name" isBusy={relabel.isPending}>
            {words.names.rename}
          </Button>
        </>
      }
    >
      <form
        id="relabel-name"
        onSubmit={(event) => {
          event.preventDefault()
          if (!relabel.isPending) relabel.mutate()
        }}
      >
        <TextField
          label={words.names.label}
          hint={words.names.labelHint}
          value={label}
          maxLength={nameLabelCharactersMost}
          onChange={({ target }) => setLabel(target.value)}
        />
      </form>
    </Modal>
  )
}
