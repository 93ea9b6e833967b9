import { CairnError, zeroAddress } from '@cairn/protocol'

/** An address that can sign, in the words that published clients look for. @throws CairnError INVALID_ADDRESS */
export function requireSigner(address: string): string {
  if (address !== '' && address !== zeroAddress) return address
  throw new CairnError('INVALID_ADDRESS', { message: 'Invalid address' })
}
