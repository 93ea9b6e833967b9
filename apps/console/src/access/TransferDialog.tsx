import { transferFile } from '@cairn/sdk'
import { useState } from 'react'
import { AddressField } from '../contacts/AddressField.tsx'
import { describeTypo } from '../contacts/mistyped.ts'
import { useAddresses } from '../contacts/use-addresses.ts'
import { useContacts } from '../contacts/use-contacts.ts'
import type { KeyChange } from '../key-changes/use-key-change.ts'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { FormDialog } from '../ui/dialogs/FormDialog.tsx'
import { Choice } from '../ui/forms/Choice.tsx'
import { TextField } from '../ui/forms/TextField.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'

/** Transfers a file. It cannot be undone, so the user types the end of the address once more. */
export function TransferDialog({
  cid,
  name,
  owner,
  onClose,
  start,
}: {
  cid: string
  name: string
  owner: string
  onClose: () => void
  start: (change: KeyChange) => Promise<void>
}) {
  const { contacts } = useContacts()
  const [text, setText] = useState('')
  const [last, setLast] = useState('')
  const [people, setPeople] = useState<'drop' | 'keep'>('drop')
  const [isBusy, setBusy] = useState(false)
  const { addresses, bad, ens } = useAddresses(text, contacts)
  const [address] = addresses
  const wanted = address?.slice(-4) ?? ''
  const addressFailure =
    address === undefined || addresses.length > 1 || bad.length > 0
      ? (describeTypo(bad) ?? messages.access.transferBad)
      : address === owner
        ? messages.access.transferSelf
        : undefined
  const isSame = last.trim().toLowerCase() === wanted.toLowerCase()
  const transfer = async () => {
    if (addressFailure !== undefined || address === undefined || !isSame) return
    setBusy(true)
    const failedName = messages.access.failedTransfer(name)
    try {
      await start({
        name: messages.access.pendingTransfer(name),
        doneName: messages.access.doneTransfer(name),
        failedName,
        run: (client, options) => transferFile(client, cid, address, { ...options, resetSharedTo: people === 'drop' }),
      })
      onClose()
    } catch (error) {
      setBusy(false)
      if (!isAborted(error)) toastError(failedName, error)
    }
  }
  return (
    <FormDialog
      onClose={onClose}
      title={messages.access.transferTitle}
      hint={messages.access.transferHint}
      submitLabel={messages.access.transferGo}
      kind="danger"
      isBusy={isBusy}
      onSubmit={() => void transfer()}
    >
      <AddressField
        label={messages.access.transferLabel}
        text={text}
        lateError={addressFailure}
        contacts={contacts}
        ens={ens}
        onText={setText}
      />
      <Choice
        label={messages.access.transferPeople}
        value={people}
        onChange={setPeople}
        options={[
          { value: 'drop', label: messages.access.transferDrop, hint: messages.access.transferDropHint },
          { value: 'keep', label: messages.access.transferKeep, hint: messages.access.transferKeepHint },
        ]}
      />
      {address === undefined || addressFailure !== undefined ? undefined : (
        <TextField
          label={messages.access.transferConfirm(wanted)}
          value={last}
          maxLength={8}
          spellCheck={false}
          onChange={({ currentTarget }) => setLast(currentTarget.value)}
          lateError={isSame ? undefined : messages.access.transferConfirmBad}
        />
      )}
    </FormDialog>
  )
}
