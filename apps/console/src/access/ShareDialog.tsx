import { chainFamilies, familyFacts } from '@cairn/protocol'
import { useState } from 'react'
import { Link2, UserPlus } from '#icons'
import { AddressesField } from '../contacts/AddressesField.tsx'
import { describeTypo } from '../contacts/mistyped.ts'
import { useAddresses } from '../contacts/use-addresses.ts'
import { useContacts } from '../contacts/use-contacts.ts'
import { shareWithAll } from '../key-changes/share-with-all.ts'
import type { KeyChange } from '../key-changes/use-key-change.ts'
import { LinkMade } from '../links/LinkMade.tsx'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { Button } from '../ui/Button.tsx'
import { FormDialog } from '../ui/dialogs/FormDialog.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'
import { CopyButton } from '../ui/values/CopyButton.tsx'

const familyNames = chainFamilies.map((family) => familyFacts[family].name)

/** Focuses the purpose of the dialog before its close button. */
function focusField(field: HTMLTextAreaElement | null): void {
  field?.focus()
}

/** Shares a file or folder with any number of addresses, in one pass over the nodes. */
export function ShareDialog({
  cid,
  name,
  isFolder,
  owner,
  sharedTo,
  onClose,
  onLink,
  start,
}: {
  cid: string
  name: string
  isFolder: boolean
  owner: string
  sharedTo: readonly string[]
  onClose: () => void
  /** Continues with a link, for people without a wallet. */
  onLink: () => void
  start: (change: KeyChange) => Promise<void>
}) {
  const { contacts, markUsed } = useContacts()
  const [shared, setShared] = useState(0)
  const [text, setText] = useState('')
  const [wasTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const { addresses, bad, ens } = useAddresses(text, contacts)
  const known = addresses.filter((address) => sharedTo.includes(address))
  const fresh = addresses.filter((address) => address !== owner && !sharedTo.includes(address))
  const failure =
    bad.length > 0
      ? (describeTypo(bad) ?? messages.access.shareBad(bad))
      : fresh.length === 0
        ? messages.access.shareEmpty
        : undefined
  const notes = [
    ...(known.length > 0 ? [messages.access.shareKnown(known.length)] : []),
    ...(addresses.includes(owner) ? [messages.access.shareOwner] : []),
  ]
  const share = async () => {
    setTried(true)
    if (failure !== undefined) return
    setBusy(true)
    const failedName = messages.access.failedShare(fresh.length, name)
    try {
      await start({
        name: messages.access.pendingShare(fresh.length, name),
        doneName: messages.access.doneShare(fresh.length, name),
        failedName,
        run: (client, options) => shareWithAll(client, cid, fresh, options),
      })
      markUsed(fresh)
      setShared(fresh.length)
    } catch (error) {
      setBusy(false)
      if (!isAborted(error)) toastError(failedName, error)
    }
  }
  const link = `${location.origin}/open/${cid}`
  if (shared > 0) {
    return (
      <LinkMade
        url={link}
        title={messages.access.sharedTitle(shared)}
        hint={messages.access.sentHint}
        note={messages.access.runningHint}
        onClose={onClose}
      />
    )
  }
  return (
    <FormDialog
      onClose={onClose}
      title={messages.access.shareTitle(isFolder)}
      hint={messages.access.shareHint}
      submitLabel={
        <>
          <UserPlus aria-hidden="true" size={16} />
          {messages.access.shareGo(fresh.length)}
        </>
      }
      isBusy={isBusy}
      onSubmit={() => void share()}
    >
      <AddressesField
        ref={focusField}
        label={messages.access.shareLabel}
        hint={[messages.access.shareFieldHint(familyNames), ...notes].join(' ')}
        text={text}
        error={wasTried ? failure : undefined}
        contacts={contacts}
        ens={ens}
        onText={setText}
      />
      <div>
        <p className="font-medium text-sm">{messages.access.link}</p>
        <p className="flex min-w-0 items-center gap-1">
          <span className="min-w-0 truncate font-mono text-ink-soft text-sm" title={link}>
            {link}
          </span>
          <CopyButton text={link} size="small" label={messages.access.copyLink} />
        </p>
        <p className="text-ink-soft text-sm">{messages.access.linkHint}</p>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-t pt-4">
        <p className="min-w-0 flex-1 basis-48 text-ink-soft text-sm">{messages.access.linkElse}</p>
        <Button size="small" onClick={onLink}>
          <Link2 aria-hidden="true" size={16} />
          {messages.access.linkMake}
        </Button>
      </div>
    </FormDialog>
  )
}
