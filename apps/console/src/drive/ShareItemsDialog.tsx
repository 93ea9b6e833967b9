import { normalizeIdentity } from '@cairn/protocol'
import type { Drive, DriveItem } from '@cairn/sdk'
import { useState } from 'react'
import { UserPlus } from '#icons'
import { AddressesField } from '../contacts/AddressesField.tsx'
import { describeTypo } from '../contacts/mistyped.ts'
import { useAddresses } from '../contacts/use-addresses.ts'
import { useContacts } from '../contacts/use-contacts.ts'
import { toChangeRequest } from '../key-changes/change-request.ts'
import { shareWithAll } from '../key-changes/share-with-all.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { isAborted } from '../session/is-aborted.ts'
import { useSession } from '../session/session-store.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { showTransfers } from '../transfers/panel-store.ts'
import { startTransfer } from '../transfers/transfer-store.ts'
import { FormDialog } from '../ui/dialogs/FormDialog.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'
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
  const { contacts, markUsed } = useContacts()
  const network = useNetwork()
  const needKeyClient = useKeyClient()
  const [text, setText] = useState('')
  const [wasTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const files = filesOf(drive, items).filter(({ isEncrypted }) => isEncrypted)
  const owner = normalizeIdentity(useSession()?.address ?? '')
  const { addresses: named, bad, ens } = useAddresses(text, contacts)
  const addresses = named.filter((address) => address !== owner)
  const failure =
    bad.length > 0
      ? (describeTypo(bad) ?? messages.access.shareBad(bad))
      : addresses.length === 0
        ? messages.access.shareEmpty
        : undefined
  const [first] = files
  const title = messages.drive.shareTitle(files.length, first && markControls(first.name))
  const share = async () => {
    setTried(true)
    if (failure !== undefined) return
    setBusy(true)
    try {
      await needKeyClient()
    } catch (error) {
      setBusy(false)
      const what = files.length === 1 && first !== undefined ? first.name : messages.drive.count(files.length)
      if (!isAborted(error)) toastError(messages.access.failedShare(addresses.length, what), error)
      return
    }
    for (const { cid, name } of files) {
      startTransfer(
        toChangeRequest(network, cid, {
          name: messages.access.pendingShare(addresses.length, name),
          doneName: messages.access.doneShare(addresses.length, name),
          failedName: messages.access.failedShare(addresses.length, name),
          run: (client, options) => shareWithAll(client, cid, addresses, options),
        }),
      )
    }
    markUsed(addresses)
    showTransfers(true)
    onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      title={title}
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
      <AddressesField
        label={messages.access.shareLabel}
        hint={named.length > addresses.length ? messages.access.shareOwner : undefined}
        text={text}
        error={wasTried ? failure : undefined}
        contacts={contacts}
        ens={ens}
        onText={setText}
      />
    </FormDialog>
  )
}
