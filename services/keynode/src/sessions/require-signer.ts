import { CairnError, zeroAddress } from '@cairn/protocol'

/**
 * Requires an address that can sign, with the error text that published clients expect. @throws CairnError
 * INVALID_ADDRESS
 */
export function requireSigner(address: string): string {
  if (address !== '' && address !== zeroAddress) return address
  throw new CairnError('INVALID_ADDRESS', { message: 'Invalid address' })
}
