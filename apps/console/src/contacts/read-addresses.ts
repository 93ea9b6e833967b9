import { normalizeIdentity, zeroAddress } from '@cairn/protocol'
import type { DriveContact } from '@cairn/sdk'
import { isMistyped } from './mistyped.ts'

type Contact = Pick<DriveContact, 'address' | 'label'>

/**
 * Reads addresses and labels of contacts from typed or pasted text: each address once, in normalised form; and the words that
 * are neither, or are an address with a typo. A label of several words stands between commas or on a line of its own.
 */
export function readAddresses(text: string, contacts: readonly Contact[] = []): { addresses: string[]; bad: string[] } {
  const addresses = new Set<string>()
  const bad: string[] = []
  const take = (word: string): boolean => {
    const found = contacts.filter(({ label }) => label !== '' && isSame(label, word))
    // A label of two contacts is ambiguous.
    const address = found.length > 1 ? '' : (found[0]?.address ?? (isMistyped(word) ? '' : normalizeIdentity(word)))
    if (address === '' || address === zeroAddress) return false
    addresses.add(address)
    return true
  }
  for (const part of text.split(/[,;\n]+/)) {
    const whole = part.trim()
    if (whole === '' || take(whole)) continue
    for (const word of whole.split(/\s+/)) if (!take(word)) bad.push(word)
  }
  return { addresses: [...addresses], bad }
}

/** Returns the text without its last, unfinished word, and that word. */
export function splitLastWord(text: string): { before: string; word: string } {
  const at = Math.max(text.lastIndexOf(','), text.lastIndexOf(';'), text.lastIndexOf('\n')) + 1
  return { before: text.slice(0, at), word: text.slice(at).trim() }
}

/** Returns the contacts that a word may mean: by their label or address; all for an empty word. */
export function suggestContacts<C extends Contact>(
  contacts: readonly C[],
  word: string,
  taken: readonly string[],
): C[] {
  const wanted = word.toLocaleLowerCase()
  return contacts.filter(
    ({ address, label }) =>
      !taken.includes(address) &&
      (wanted === '' || label.toLocaleLowerCase().includes(wanted) || address.toLowerCase().startsWith(wanted)),
  )
}

function isSame(one: string, other: string): boolean {
  return one.toLocaleLowerCase() === other.toLocaleLowerCase()
}
