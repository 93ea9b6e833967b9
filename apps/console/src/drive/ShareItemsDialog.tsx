import { maxSharedAddressesPerCall } from '@cairn/protocol'
import { type ChangeResult, type Drive, type DriveItem, shareFile } from '@cairn/sdk'
import { useId, useState } from 'react'
import { UserPlus } from '#icons'
import { parseAddresses } from '../access/parse-addresses.ts'
import { toChangeRequest } from '../key-changes/change-request.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { isAborted } from '../session/is-aborted.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { showTransfers } from '../transfers/panel-store.ts'
import { startTransfer } from '../transfers/transfer-store.ts'
import { FormDialog } from '../ui/FormDialog.tsx'
import { fieldClass } from '../ui/TextField.tsx'
import { toastError } from '../ui/toast-store.ts'
import { filesOf } from './files-of.ts'

/** Shares all encrypted files of a selection, folders with what they contain now. */
export function ShareItemsDialog({
  drive,
  items,
  onClose,
}: {
  drive: Drive
  items: readonly DriveItem[]
  onClose: () => void
}) {
  const id = useId()
  const network = useNetwork()
  const needKeyClient = useKeyClient()
  const [text, setText] = useState('')
  const [wasTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const files = filesOf(drive, items).filter(({ isEncrypted }) => isEncrypted)
  const { addresses, bad } = parseAddresses(text)
  const fault =
    bad.length > 0 ? messages.access.shareBad(bad) : addresses.length === 0 ? messages.access.shareEmpty : undefined
  const share = async () => {
    setTried(true)
    if (fault !== undefined) return
    setBusy(true)
    try {
      await needKeyClient()
    } catch (error) {
      setBusy(false)
      if (!isAborted(error)) toastError(messages.access.shareTitle, error)
      return
    }
    for (const { cid, name } of files) {
      startTransfer(
        toChangeRequest(network, cid, {
          name: messages.access.pendingShare(addresses.length, name),
          doneName: messages.access.doneShare(addresses.length, name),
          run: async (client, options) => {
            let last: ChangeResult = { done: [], pending: [], isEffective: true, withstands: 0 }
            for (let at = 0; at < addresses.length; at += maxSharedAddressesPerCall) {
              last = await shareFile(client, cid, addresses.slice(at, at + maxSharedAddressesPerCall), options)
            }
            return last
          },
        }),
      )
    }
    showTransfers(true)
    onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      title={messages.drive.shareTitle(files.length)}
      hint={files.length === 0 ? messages.drive.shareNone : messages.access.shareHint}
      submitLabel={
        <>
          <UserPlus aria-hidden="true" size={16} />
          {messages.access.shareGo(addresses.length)}
        </>
      }
      isDisabled={files.length === 0}
      isBusy={isBusy}
      onSubmit={() => void share()}
    >
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="font-medium text-sm">
          {messages.access.shareLabel}
        </label>
        <textarea
          id={id}
          rows={4}
          value={text}
          spellCheck={false}
          autoComplete="off"
          placeholder={messages.access.sharePlaceholder}
          {...(wasTried && fault !== undefined ? { 'aria-invalid': true } : {})}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          className={`${fieldClass} py-2 font-mono`}
        />
        {wasTried && fault !== undefined ? (
          <p role="alert" className="text-bad text-sm">
            {fault}
          </p>
        ) : undefined}
      </div>
    </FormDialog>
  )
}
