import { isEvmAddress } from '@cairn/protocol'
import { getAddress } from 'viem'
import { shorten } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'

/**
 * Returns whether a text is an EVM address with a typo: letters of both cases are a checksum, those of one case have none.
 * @see https://eips.ethereum.org/EIPS/eip-55
 */
export function isMistyped(text: string): boolean {
  if (!isEvmAddress(text)) return false
  const digits = text.slice(2)
  const hasChecksum = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  return hasChecksum && getAddress(text.toLowerCase()) !== text
}

/** Says which of these words is an address with a typo; undefined if none is. */
export function describeTypo(words: readonly string[]): string | undefined {
  const found = words.find(isMistyped)
  return found === undefined ? undefined : messages.contacts.mistyped(shorten(found))
}
