import { type ChainFamilyName, familyOfAddress, zeroAddress } from '@cairn/protocol'
import { verifyCoreum } from './verify-coreum.ts'
import { type EvmCheck, verifyEvm } from './verify-evm.ts'
import { verifySolana } from './verify-solana.ts'

type Verify = (address: string, message: string, signature: string) => EvmCheck | boolean

/** EIP-191 for EVM, ed25519 for Solana, ADR-036 for Coreum. */
const verifiers: Readonly<Record<ChainFamilyName, Verify>> = {
  evm: verifyEvm,
  solana: verifySolana,
  coreum: verifyCoreum,
}

/**
 * Checks whether an address signed a message. `needs-chain` means that only a contract at that EVM address could have
 * accepted the signature.
 * @param address normalised
 */
export function verifyWalletSignature(address: string, message: string, signature: string): EvmCheck {
  const family = familyOfAddress(address)
  if (family === undefined || address === zeroAddress) return 'invalid'
  const check = verifiers[family](address, message, signature)
  return typeof check === 'string' ? check : check ? 'valid' : 'invalid'
}
