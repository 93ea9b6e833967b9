import { isEvmAddress } from '@cairn/protocol'
import { CairnError, checksumAddress, normalizeAddress } from '@cairn/sdk'

/**
 * Checks addresses before anything is encrypted, sent or paid, and names the first that is wrong.
 * @throws CairnError INVALID_ADDRESS
 */
export function readAddresses(addresses: readonly string[]): string[] {
  return addresses.map(readAddress)
}

/** @see {@link readAddresses} */
export function readAddress(address: string): string {
  if (normalizeAddress(address) === '')
    throw new CairnError('INVALID_ADDRESS', { message: `${JSON.stringify(address)} is not an address` })
  if (isMistyped(address))
    throw new CairnError('INVALID_ADDRESS', {
      message: `${address} does not match its checksum, so a character is wrong`,
      hint: 'Copy the address again. In lower case, an address has no checksum.',
    })
  return address
}

/** Upper and lower case of an EVM address are its checksum. @see https://eips.ethereum.org/EIPS/eip-55 */
function isMistyped(address: string): boolean {
  if (!isEvmAddress(address)) return false
  const digits = address.slice(2)
  const hasChecksum = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  return hasChecksum && checksumAddress(address) !== address
}
