import { maxNameLabelCharacters } from '@cairn/protocol'
import { createName, type NameState } from '@cairn/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useFileInfo } from '../content/use-file-info.ts'
import { shorten } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import type { Session } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { FormDialog } from '../ui/dialogs/FormDialog.tsx'
import { TextField } from '../ui/forms/TextField.tsx'
import { QueryPending } from '../ui/states/QueryView.tsx'
import { toastDone, toastError } from '../ui/toasts/toast-store.ts'
import { labelOf } from './label-of.ts'
import { lifetimesMs } from './publish-times.ts'
import { publishTo } from './publish-to.ts'
import { useDeviceNames, useNames } from './use-names.ts'

const rowClass =
  'flex cursor-pointer items-center gap-3 border-line border-b px-3 py-2.5 text-sm last:border-b-0 hover:bg-hover has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:-outline-offset-2'

/** The names may arrive after the dialog has opened, with its focus on the close button. */
function focusChoice(radio: HTMLInputElement | null): void {
  radio?.focus()
}

/** Chooses the name that will point to a file: a name of the account, or a new one. */
export function PublishFileDialog({
  session,
  cid,
  onClose,
  onPublished,
}: {
  session: Session
  cid: string
  onClose: () => void
  onPublished: (name: NameState) => void
}) {
  const group = useId()
  const client = useClient()
  const queries = useQueryClient()
  const { data, error, refetch } = useNames(session)
  const { data: file } = useFileInfo(cid)
  const [picked, setPicked] = useState<string>()
  const [label, setLabel] = useState('')
  // A name can only be published where its key is.
  const onDevice = useDeviceNames(session.address)
  const names = data?.filter(({ keyHeld, name }) => keyHeld === 'service' || onDevice.has(name))
  const chosen = names?.find(({ id }) => id === picked) ?? (picked === undefined ? names?.[0] : undefined)
  const publish = useMutation({
    mutationFn: async (): Promise<NameState> => {
      const name = chosen ?? (await createName(client, label.trim() === '' ? {} : { label: label.trim() }))
      // Another try publishes to the name that was made.
      setPicked(name.id)
      await publishTo(client, name, cid, name.keyHeld === 'service' ? {} : { lifetimeMs: lifetimesMs.year })
      return name
    },
    onSuccess: (name) => toastDone(messages.names.published(labelOf(name))),
    onError: (failure) => toastError(messages.names.publishFailed, failure),
    onSettled: () => queries.invalidateQueries({ queryKey: ['names'] }),
  })
  return (
    <FormDialog
      onClose={onClose}
      title={messages.names.chooseTitle}
      hint={messages.names.chooseHint(shorten(cid))}
      submitLabel={publish.isPending ? messages.names.publishing : messages.names.publishGo}
      isDisabled={names === undefined}
      isBusy={publish.isPending}
      onSubmit={() => publish.mutate(undefined, { onSuccess: onPublished })}
    >
      {names === undefined ? (
        <QueryPending query={{ error, refetch }} skeleton="h-32 w-full" />
      ) : (
        <>
          <fieldset className="overflow-hidden rounded-lg border border-line">
            <legend className="sr-only">{messages.pages.names}</legend>
            {names.map((name) => (
              <label key={name.id} className={rowClass}>
                <input
                  ref={chosen?.id === name.id && picked === undefined ? focusChoice : undefined}
                  type="radio"
                  name={group}
                  className="size-4 accent-accent outline-none"
                  checked={chosen?.id === name.id}
                  onChange={() => setPicked(name.id)}
                />
                <span className="min-w-0 flex-1 truncate font-medium">{labelOf(name)}</span>
                <span className="shrink-0 text-ink-soft">
                  {name.value === null ? messages.names.never : shorten(name.value, 12, 6)}
                </span>
              </label>
            ))}
            <label className={rowClass}>
              <input
                ref={chosen === undefined && picked === undefined ? focusChoice : undefined}
                type="radio"
                name={group}
                className="size-4 accent-accent outline-none"
                checked={chosen === undefined}
                onChange={() => setPicked('new')}
              />
              <span className="font-medium">{messages.names.newName}</span>
            </label>
          </fieldset>
          {chosen === undefined ? (
            <TextField
              label={messages.names.label}
              hint={messages.names.labelHint}
              placeholder={messages.names.labelPlaceholder}
              value={label}
              maxLength={maxNameLabelCharacters}
              onChange={({ target }) => setLabel(target.value)}
            />
          ) : undefined}
        </>
      )}
      <p role="status" className="text-sm text-warn empty:hidden">
        {file?.encryption ? messages.names.recentEncrypted : undefined}
      </p>
    </FormDialog>
  )
}
