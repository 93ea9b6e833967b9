import { translatable } from '../translatable.ts'

/** The address book of an account. */
export const contacts = translatable('contacts', {
  title: 'Contacts',
  hint: 'Labels are encrypted in your drive. Only you can read them, on any of your devices.',
  none: 'No contacts yet',
  noneHint: 'Give an address a label to share with it by name. Addresses you share with are added automatically.',
  add: 'Add contact',
  address: 'Address',
  mistyped: (address: string) =>
    `${address} has a typo: its capital letters, which are a checksum, do not match. Copy it again.`,
  label: 'Label',
  labelHint: 'A name that you recognise. Only you can see it.',
  labelEmpty: 'Enter a label.',
  save: 'Save',
  nameTitle: 'Label of this address',
  nameAddress: (who: string) => `Label ${who}`,
  remove: (who: string) => `Remove ${who} from contacts`,
  used: (ago: string) => `Shared ${ago}`,
  unused: 'Not shared with yet',
  suggestions: 'Contacts',
  failed: 'The contacts were not changed',
  ensLooking: (name: string) => `Looking up ${name}`,
  ensNone: (name: string) => `${name} has no address.`,
  ensIs: (name: string, address: string) => `${name} is ${address}`,
})
