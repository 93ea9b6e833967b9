import type { DriveContact } from '@cairn/sdk'
import type { ReactNode, Ref } from 'react'
import type { EnsAnswer } from '../ens/use-ens.ts'
import { messages } from '../messages/messages.ts'
import { Field } from '../ui/forms/Field.tsx'
import { fieldClass } from '../ui/forms/TextField.tsx'
import { ContactChips } from './ContactChips.tsx'
import { EnsNote } from './EnsNote.tsx'
import { readAddresses, splitLastWord, suggestContacts } from './read-addresses.ts'

/** Addresses and labels of contacts, any number, with the contacts to choose from. */
export function AddressesField({
  ref,
  label,
  hint,
  text,
  error,
  contacts,
  ens,
  onText,
}: {
  ref?: Ref<HTMLTextAreaElement>
  label: string
  hint?: ReactNode
  text: string
  error: string | undefined
  contacts: readonly DriveContact[]
  ens: readonly EnsAnswer[]
  onText: (text: string) => void
}) {
  const { before, word } = splitLastWord(text)
  const isWhole = readAddresses(word, contacts).bad.length === 0
  const { addresses } = readAddresses(text, contacts)
  const pick = ({ label: name, address }: DriveContact) => {
    const kept = isWhole ? text.trim() : before.trim()
    const start = kept === '' || /[,;]$/.test(kept) ? kept : `${kept},`
    onText(`${start === '' ? '' : `${start} `}${name === '' ? address : name}, `)
  }
  const note = (
    <>
      <ContactChips contacts={suggestContacts(contacts, isWhole ? '' : word, addresses)} onPick={pick} />
      <EnsNote ens={ens} />
    </>
  )
  return (
    <Field label={label} hint={hint} error={error} note={note}>
      {(input) => (
        <textarea
          {...input}
          ref={ref}
          rows={3}
          value={text}
          spellCheck={false}
          autoComplete="off"
          placeholder={messages.access.sharePlaceholder}
          onChange={({ currentTarget }) => onText(currentTarget.value)}
          className={`${fieldClass} py-2 font-mono`}
        />
      )}
    </Field>
  )
}
