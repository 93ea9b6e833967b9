import { CairnError, normalizeIdentity, zeroAddress } from '@cairn/protocol'
import type { Registers } from './log/registers.ts'

/** An address that the account shares with, in the index of its drive. */
export type DriveContact = {
  /** Normalised, of any chain family. */
  address: string
  /** Empty for an address that was only used. */
  label: string
  /** When a file was last shared with it, in ms since 1970; 0 if never. */
  usedAt: number
}

const idPrefix = 'c-'
/** No CID and no folder has an id that starts like this. */
const contactIdPattern = /^c-[\w-]+$/

/** Fields of the entry of a contact. */
export const contactFields = { label: 'name', usedAt: 'usedAt' } as const

/** @throws CairnError INVALID_ADDRESS */
export function contactId(address: string): string {
  const normalized = normalizeIdentity(address.trim())
  if (normalized !== '' && normalized !== zeroAddress) return `${idPrefix}${normalized}`
  throw new CairnError('INVALID_ADDRESS', { message: `${JSON.stringify(address)} is not an address` })
}

export function isContactId(id: string): boolean {
  return contactIdPattern.test(id)
}

/** Lists the contacts with these ids: last used first, then by label. */
export function readContacts({ entries }: Registers, ids: Iterable<string>): DriveContact[] {
  const contacts: DriveContact[] = []
  for (const id of ids) {
    const fields = entries.get(id)?.fields
    if (fields === undefined || fields.size === 0) continue
    const label = fields.get(contactFields.label)?.value
    const usedAt = fields.get(contactFields.usedAt)?.value
    contacts.push({
      address: id.slice(idPrefix.length),
      label: typeof label === 'string' ? label : '',
      usedAt: typeof usedAt === 'number' ? usedAt : 0,
    })
  }
  return contacts.sort((a, b) => b.usedAt - a.usedAt || collator.compare(a.label, b.label))
}

const collator = new Intl.Collator('en', { numeric: true })
