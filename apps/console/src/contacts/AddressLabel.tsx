import { useState } from 'react'
import { UserPen } from '#icons'
import { messages } from '../messages/messages.ts'
import { NameDialog } from '../ui/dialogs/NameDialog.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { ShortCode } from '../ui/values/ShortCode.tsx'
import type { useContacts } from './use-contacts.ts'

type Contacts = Pick<ReturnType<typeof useContacts>, 'canKeep' | 'labelOf' | 'save'>

/** An address with its label in the address book, and a button to add one. */
export function AddressLabel({ address, contacts }: { address: string; contacts: Contacts }) {
  const { canKeep, labelOf, save } = contacts
  const [isNaming, setNaming] = useState(false)
  const label = labelOf(address)
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2">
      {label === undefined ? undefined : (
        <bdi className="min-w-0 truncate font-medium text-sm" title={label}>
          {label}
        </bdi>
      )}
      {/* Wraps as one. */}
      <span className="inline-flex items-center gap-x-2">
        <ShortCode text={address} label={messages.session.copyAddress} />
        {canKeep ? (
          <IconButton
            icon={UserPen}
            size="small"
            label={messages.contacts.nameAddress(label ?? address)}
            onClick={() => setNaming(true)}
          />
        ) : undefined}
      </span>
      {isNaming ? (
        <NameDialog
          title={messages.contacts.nameTitle}
          label={messages.contacts.label}
          hint={messages.contacts.labelHint}
          submitLabel={messages.contacts.save}
          {...(label === undefined ? {} : { name: label })}
          onSave={(next) => save(address, next)}
          onClose={() => setNaming(false)}
        />
      ) : undefined}
    </span>
  )
}
