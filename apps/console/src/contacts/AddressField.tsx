import type { DriveContact } from '@cairn/sdk'
import type { EnsAnswer } from '../ens/use-ens.ts'
import { TextField } from '../ui/forms/TextField.tsx'
import { ContactChips } from './ContactChips.tsx'
import { EnsNote } from './EnsNote.tsx'
import { readAddresses, suggestContacts } from './read-addresses.ts'

/** One address, or the label of a contact, with the contacts to choose from. */
export function AddressField({
  label,
  isLabelHidden = false,
  text,
  error,
  lateError,
  contacts,
  ens,
  placeholder,
  className,
  onText,
}: {
  label: string
  isLabelHidden?: boolean
  text: string
  error?: string | undefined
  /** As for a text field. */
  lateError?: string | undefined
  contacts: readonly DriveContact[]
  ens: readonly EnsAnswer[]
  placeholder?: string
  className?: string
  onText: (text: string) => void
}) {
  const isRead = text.trim() !== '' && readAddresses(text, contacts).bad.length === 0
  return (
    <div className={`flex flex-col gap-1.5 ${className ?? ''}`}>
      <TextField
        label={label}
        isLabelHidden={isLabelHidden}
        value={text}
        spellCheck={false}
        {...(placeholder === undefined ? {} : { placeholder })}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
        error={error}
        lateError={lateError}
      />
      {isRead ? undefined : (
        <ContactChips
          contacts={suggestContacts(contacts, text.trim(), [])}
          onPick={({ label: name, address }) => onText(name === '' ? address : name)}
        />
      )}
      <EnsNote ens={ens} />
    </div>
  )
}
