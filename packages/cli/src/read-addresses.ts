import { CairnError, normalizeAddress } from '@cairn/sdk'

/**
 * Checks addresses before anything is encrypted or sent, and names the first that is not one.
 * @throws CairnError INVALID_ADDRESS
 */
export function readAddresses(addresses: readonly string[]): string[] {
  const wrong = addresses.find((address) => normalizeAddress(address) === '')
  if (wrong === undefined) return [...addresses]
  throw new CairnError('INVALID_ADDRESS', { message: `${JSON.stringify(wrong)} is not an address` })
}
