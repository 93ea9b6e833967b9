import { transferFile } from '@cairn/sdk'
import { useState } from 'react'
import { isAborted } from '../session/is-aborted.ts'
import { Button } from '../ui/Button.tsx'
import { Choice } from '../ui/Choice.tsx'
import { Modal } from '../ui/Modal.tsx'
import { TextField } from '../ui/TextField.tsx'
import { toastError } from '../ui/toast-store.ts'
import { words } from '../words/words.ts'
import { parseAddresses } from './parse-addresses.ts'
import type { KeyChange } from './use-key-change.ts'

/** Gives a file away. It cannot be taken back, so the end of the address is typed once more. */
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
      ? words.access.transferBad
      : address === owner
        ? words.access.transferSelf
        : undefined
  const isSame = last.trim().toLowerCase() === wanted.toLowerCase()
  const transfer = async () => {
    setTried(true)
    if (addressFault !== undefined || address === undefined || !isSame) return
    setBusy(true)
    try {
      await start({
        name: words.access.pendingTransfer(name),
        run: (client, options) => transferFile(client, cid, address, { ...options, resetSharedTo: people === 'drop' }),
      })
      onClose()
    } catch (error) {
      setBusy(false)
      if (!isAborted(error)) toastError(words.access.transferTitle, error)
    }
  }
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={words.access.transferTitle}
      hint={words.access.transferHint}
      footer={
        <>
          <Button onClick={onClose}>{words.shell.cancel}</Button>
          <Button kind="danger" isBusy={isBusy} onClick={() => void transfer()}>
            {words.access.transferGo}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <TextField
          label={words.access.transferLabel}
          value={text}
          spellCheck={false}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={wasTried || address !== undefined ? addressFault : undefined}
        />
        <Choice
          label={words.access.transferPeople}
          value={people}
          onChange={setPeople}
          options={[
            { value: 'drop', label: words.access.transferDrop, hint: words.access.transferDropHint },
            { value: 'keep', label: words.access.transferKeep, hint: words.access.transferKeepHint },
          ]}
        />
        {address === undefined || addressFault !== undefined ? undefined : (
          <TextField
            label={words.access.transferConfirm(wanted)}
            value={last}
            maxLength={8}
            spellCheck={false}
            onChange={({ currentTarget }) => setLast(currentTarget.value)}
            error={wasTried && !isSame ? words.access.transferConfirmBad : undefined}
          />
        )}
      </div>
    </Modal>
  )
}
