import { nameLabelCharactersMost } from '@cairn/protocol'
import { createName, type NameState } from '@cairn/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../session/use-client.ts'
import { Button } from '../ui/Button.tsx'
import { Modal } from '../ui/Modal.tsx'
import { TextField } from '../ui/TextField.tsx'
import { toastDone, toastError } from '../ui/toast-store.ts'
import { words } from '../words/words.ts'

/** Makes a name whose key the service keeps. */
export function CreateNameDialog({
  onClose,
  onCreated,
}: {
  onClose: () => void
  onCreated?: (name: NameState) => void
}) {
  const client = useClient()
  const queries = useQueryClient()
  const [label, setLabel] = useState('')
  const create = useMutation({
    mutationFn: () => createName(client, label.trim() === '' ? {} : { label: label.trim() }),
    onSuccess: (name) => {
      toastDone(words.names.created)
      onClose()
      onCreated?.(name)
    },
    onError: (fault) => toastError(words.names.createFailed, fault),
    onSettled: () => queries.invalidateQueries({ queryKey: ['names'] }),
  })
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={words.names.createTitle}
      hint={words.names.createHint}
      footer={
        <>
          <Button onClick={onClose}>{words.shell.cancel}</Button>
          <Button kind="primary" type="submit" form="create-name" isBusy={create.isPending}>
            {words.names.create}
          </Button>
        </>
      }
    >
      <form
        id="create-name"
        onSubmit={(event) => {
          event.preventDefault()
          if (!create.isPending) create.mutate()
        }}
      >
        <TextField
          label={words.names.label}
          hint={words.names.labelHint}
          placeholder={words.names.labelPlaceholder}
          value={label}
          maxLength={nameLabelCharactersMost}
          onChange={({ target }) => setLabel(target.value)}
        />
      </form>
    </Modal>
  )
}
