import { useState } from 'react'
import { BookUser, UserMinus, UserPlus } from '#icons'
import { formatAgo } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { Button } from '../ui/Button.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { QueryPending } from '../ui/states/QueryView.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'
import { AddContactDialog } from './AddContactDialog.tsx'
import { AddressLabel } from './AddressLabel.tsx'
import { useContacts } from './use-contacts.ts'

/** The address book: labels of addresses, last used first. */
export function ContactList() {
  const book = useContacts()
  const { contacts, canKeep, query, remove } = book
  const [isAdding, setAdding] = useState(false)
  const removeOne = (address: string) => {
    remove(address).catch((error: unknown) => {
      if (!isAborted(error)) toastError(messages.contacts.failed, error)
    })
  }
  const add = canKeep ? (
    <Button kind={contacts.length === 0 ? 'primary' : 'plain'} onClick={() => setAdding(true)}>
      <UserPlus aria-hidden="true" size={16} />
      {messages.contacts.add}
    </Button>
  ) : undefined
  if (canKeep && query.data === undefined) return <QueryPending query={query} skeleton="h-32 w-full" />
  return (
    <>
      {contacts.length === 0 ? (
        <EmptyState icon={BookUser} title={messages.contacts.none} hint={messages.contacts.noneHint}>
          {add}
        </EmptyState>
      ) : (
        <>
          <div className="mb-3 flex justify-end">{add}</div>
          <ul
            aria-label={messages.contacts.title}
            className="divide-y divide-line rounded-lg border border-line bg-surface"
          >
            {contacts.map(({ address, label, usedAt }) => (
              <li key={address} className="flex items-center gap-3 px-3 py-1.5 sm:px-4">
                <div className="min-w-0 flex-1">
                  <AddressLabel address={address} contacts={book} />
                  <p className="text-ink-soft text-sm">
                    {usedAt === 0 ? messages.contacts.unused : messages.contacts.used(formatAgo(usedAt))}
                  </p>
                </div>
                <IconButton
                  icon={UserMinus}
                  size="small"
                  label={messages.contacts.remove(label === '' ? address : label)}
                  onClick={() => removeOne(address)}
                />
              </li>
            ))}
          </ul>
        </>
      )}
      {isAdding ? <AddContactDialog book={book} onClose={() => setAdding(false)} /> : undefined}
    </>
  )
}
