import { transferFile } from '@cairn/sdk'
import { useState } from 'react'
import type { KeyChange } from '../key-changes/use-key-change.ts'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { Choice } from '../ui/Choice.tsx'
import { FormDialog } from '../ui/FormDialog.tsx'
import { TextField } from '../ui/TextField.tsx'
import { toastError } from '../ui/toast-store.ts'
import { parseAddresses } from './parse-addresses.ts'

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
  const [text, setText] = useState('')
  const [last, setLast] = useState('')
  const [people, setPeople] = useState<'drop' | 'keep'>('drop')
  const [wasTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const { addresses, bad } = parseAddresses(text)
  const [address] = addresses
  const wanted = address?.slice(-4) ?? ''
  const addressFault =
    address === undefined || addresses.length > 1 || bad.length > 0
      ? messages.access.transferBad
      : address === owner
        ? messages.access.transferSelf
        : undefined
  const isSame = last.trim().toLowerCase() === wanted.toLowerCase()
  const transfer = async () => {
    setTried(true)
    if (addressFault !== undefined || address === undefined || !isSame) return
    setBusy(true)
    try {
      await start({
        name: messages.access.pendingTransfer(name),
        doneName: messages.access.doneTransfer(name),
        run: (client, options) => transferFile(client, cid, address, { ...options, resetSharedTo: people === 'drop' }),
      })
      onClose()
    } catch (error) {
      setBusy(false)
      if (!isAborted(error)) toastError(messages.access.transferTitle, error)
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
      <TextField
        label={messages.access.transferLabel}
        value={text}
        spellCheck={false}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        error={wasTried || address !== undefined ? addressFault : undefined}
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
      {address === undefined || addressFault !== undefined ? undefined : (
        <TextField
          label={messages.access.transferConfirm(wanted)}
          value={last}
          maxLength={8}
          spellCheck={false}
          onChange={({ currentTarget }) => setLast(currentTarget.value)}
          error={wasTried && !isSame ? messages.access.transferConfirmBad : undefined}
        />
      )}
    </FormDialog>
  )
}
