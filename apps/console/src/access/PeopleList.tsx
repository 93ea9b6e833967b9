import { revokeAccess } from '@cairn/sdk'
import { useState } from 'react'
import { UserMinus } from '#icons'
import { AddressLabel } from '../contacts/AddressLabel.tsx'
import { useContacts } from '../contacts/use-contacts.ts'
import type { KeyChange } from '../key-changes/use-key-change.ts'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { Confirm } from '../ui/dialogs/Confirm.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'
import { ShortCode } from '../ui/values/ShortCode.tsx'

/** Lists the addresses that a file is shared with; its owner can revoke each. */
export function PeopleList({
  cid,
  name,
  sharedTo,
  canChange,
  start,
}: {
  cid: string
  name: string
  sharedTo: readonly string[]
  canChange: boolean
  start: (change: KeyChange) => Promise<void>
}) {
  const contacts = useContacts()
  const [leaving, setLeaving] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const revoke = async (address: string) => {
    setBusy(true)
    const failedName = messages.access.failedRevoke(name)
    try {
      await start({
        name: messages.access.pendingRevoke(name),
        doneName: messages.access.doneRevoke(name),
        failedName,
        run: (client, options) => revokeAccess(client, cid, [address], options),
      })
      setLeaving(undefined)
    } catch (error) {
      if (!isAborted(error)) toastError(failedName, error)
    } finally {
      setBusy(false)
    }
  }
  if (sharedTo.length === 0) {
    return (
      <p className="text-sm">
        {messages.access.notShared}.{' '}
        <span className="text-ink-soft">{canChange ? messages.access.notSharedHint : ''}</span>
      </p>
    )
  }
  return (
    <>
      <ul
        aria-label={messages.access.people}
        className="max-h-80 divide-y divide-line overflow-y-auto rounded-lg border border-line bg-surface"
      >
        {sharedTo.map((address) => (
          <li key={address} className="flex items-center justify-between gap-2 py-1 pr-1 pl-3">
            <AddressLabel address={address} contacts={contacts} />
            {canChange ? (
              <IconButton
                icon={UserMinus}
                size="small"
                label={messages.access.revoke(address)}
                onClick={() => setLeaving(address)}
              />
            ) : undefined}
          </li>
        ))}
      </ul>
      <Confirm
        isOpen={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={messages.access.revokeTitle}
        hint={messages.access.revokeHint}
        confirmLabel={messages.access.revokeGo}
        isBusy={isBusy}
        onConfirm={() => leaving !== undefined && void revoke(leaving)}
      >
        {leaving === undefined ? undefined : <ShortCode text={leaving} />}
      </Confirm>
    </>
  )
}
