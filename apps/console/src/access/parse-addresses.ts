import { normalizeIdentity, zeroAddress } from '@cairn/protocol'

/** Parses addresses from pasted text: each once, in normalised form; and the invalid ones. */
export function parseAddresses(text: string): { addresses: string[]; bad: string[] } {
  const addresses = new Set<string>()
  const bad: string[] = []
  for (const part of text.split(/[\s,;]+/).filter(Boolean)) {
    const address = normalizeIdentity(part)
    if (address === '' || address === zeroAddress) bad.push(part)
    else addresses.add(address)
  }
  return { addresses: [...addresses], bad }
}
