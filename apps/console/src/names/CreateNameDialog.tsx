import { maxNameLabelCharacters } from '@cairn/protocol'
import { CairnError, createName, createNameKey, exportNameKey, importNameKey, type NameState } from '@cairn/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { MonitorSmartphone, Server } from '#icons'
import { messages } from '../messages/messages.ts'
import { getSession } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { FormDialog } from '../ui/dialogs/FormDialog.tsx'
import { Choice } from '../ui/forms/Choice.tsx'
import { fieldClass, TextField } from '../ui/forms/TextField.tsx'
import { toastDone, toastError } from '../ui/toasts/toast-store.ts'
import { keepDeviceName, toNameState } from './device-names.ts'

/** Creates a name whose key the service stores, or one whose key never leaves this device. */
export function CreateNameDialog({
  onClose,
  onCreated,
}: {
  onClose: () => void
  onCreated?: (name: NameState) => void
}) {
  const id = useId()
  const client = useClient()
  const queries = useQueryClient()
  const [holder, setHolder] = useState<'service' | 'device'>('service')
  const [label, setLabel] = useState('')
  const [keyText, setKeyText] = useState('')
  const [failure, setFailure] = useState<string>()
  const create = useMutation({
    mutationFn: () => {
      const wanted = label.trim() === '' ? undefined : label.trim()
      return holder === 'service'
        ? createName(client, wanted === undefined ? {} : { label: wanted })
        : createOnDevice(wanted ?? null, keyText.trim())
    },
    onSuccess: () => toastDone(messages.names.created),
    onError: (error) => {
      if (CairnError.is(error, 'INVALID_NAME_KEY')) setFailure(messages.names.keyBad)
      else if (error instanceof DOMException) setFailure(messages.names.deviceRefuses)
      else toastError(messages.names.createFailed, error)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['names'] }),
    // Not cached, because the result contains a key.
    gcTime: 0,
  })
  return (
    <FormDialog
      onClose={onClose}
      title={messages.names.createTitle}
      submitLabel={messages.names.create}
      isBusy={create.isPending}
      error={failure}
      // Callbacks of `mutate` do not run if the dialog was closed meanwhile.
      onSubmit={() =>
        create.mutate(undefined, {
          onSuccess: (name) => {
            onClose()
            onCreated?.(name)
          },
        })
      }
    >
      <TextField
        label={messages.names.label}
        hint={messages.names.labelHint}
        placeholder={messages.names.labelPlaceholder}
        value={label}
        maxLength={maxNameLabelCharacters}
        onChange={({ target }) => setLabel(target.value)}
      />
      <Choice
        label={messages.names.holder}
        value={holder}
        onChange={setHolder}
        options={[
          { value: 'service', label: messages.names.holders.service, hint: messages.names.createHint, icon: Server },
          {
            value: 'device',
            label: messages.names.holders.device,
            hint: messages.names.createHintDevice,
            icon: MonitorSmartphone,
          },
        ]}
      />
      {holder === 'device' ? (
        <details className="text-sm">
          <summary className="w-fit cursor-pointer text-ink-soft hover:text-ink">{messages.names.bringKey}</summary>
          <div className="mt-3 flex flex-col gap-1.5">
            <label htmlFor={id} className="font-medium">
              {messages.names.exportKey}
            </label>
            <textarea
              id={id}
              rows={4}
              value={keyText}
              spellCheck={false}
              autoComplete="off"
              maxLength={4096}
              onChange={({ target }) => {
                setKeyText(target.value)
                setFailure(undefined)
              }}
              className={`${fieldClass} py-2 font-mono`}
            />
            <p className="text-ink-soft">{messages.names.bringKeyHint}</p>
          </div>
        </details>
      ) : undefined}
    </FormDialog>
  )
}

/** Stores a new or imported key on this device before anything else. */
async function createOnDevice(label: string | null, keyText: string): Promise<NameState> {
  const address = getSession()?.address
  if (address === undefined) throw new CairnError('NO_SESSION')
  const key = keyText === '' ? await createNameKey() : await importNameKey(keyText)
  const entry = { address, name: key.name, label, key: await exportNameKey(key, 'libp2p'), createdAt: Date.now() }
  await keepDeviceName(entry)
  return toNameState(entry)
}
