import { isCoreumAddress, isEvmAddress, isSolanaAddress, zeroAddress } from '@cairn/protocol'
import { verifyCoreum } from './verify-coreum.ts'
import { type EvmCheck, verifyEvm } from './verify-evm.ts'
import { verifySolana } from './verify-solana.ts'

/**
 * Checks whether an address signed a message: EIP-191 for EVM, ed25519 for Solana, ADR-036 for Coreum. `needs-chain`
 * means that only a contract at that EVM address could have accepted the signature.
 * @param address normalised
 */
export function verifyWalletSignature(address: string, message: string, signature: string): EvmCheck {
  if (address === zeroAddress) return 'invalid'
  if (isEvmAddress(address)) return verifyEvm(address, message, signature)
  if (isCoreumAddress(address)) return verifyCoreum(address, message, signature) ? 'valid' : 'invalid'
  if (isSolanaAddress(address)) return verifySolana(address, message, signature) ? 'valid' : 'invalid'
  return 'invalid'
}
