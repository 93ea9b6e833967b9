import type { DriveContact } from '@cairn/sdk'
import { UserRound } from '#icons'
import { shorten } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'

/** Maximum number of suggestions: the last used ones, or those that fit best. */
const maxShown = 6

/** Contacts to choose from below a field, last used first. */
export function ContactChips({
  contacts,
  onPick,
}: {
  contacts: readonly DriveContact[]
  onPick: (contact: DriveContact) => void
}) {
  if (contacts.length === 0) return undefined
  return (
    <ul aria-label={messages.contacts.suggestions} className="flex flex-wrap gap-1.5">
      {contacts.slice(0, maxShown).map((contact) => (
        <li key={contact.address} className="min-w-0">
          <button
            type="button"
            title={contact.address}
            onClick={() => onPick(contact)}
            className="inline-flex h-8 max-w-full items-center gap-1.5 rounded-full border border-line-strong px-2.5 text-sm hover:bg-hover pointer-coarse:h-11"
          >
            <UserRound aria-hidden="true" size={14} className="shrink-0 text-ink-faint" />
            {contact.label === '' ? (
              <span className="font-mono">{shorten(contact.address)}</span>
            ) : (
              <span className="truncate">{contact.label}</span>
            )}
          </button>
        </li>
      ))}
    </ul>
  )
}
