import { verifyWalletSignature } from '@cairn/crypto'
import { isEvmAddress } from '@cairn/protocol'
import { isHex } from 'viem'
import type { ContractVerifier } from './verify-contract.ts'

/** Which of the messages was signed; `needsChain` tells that only a contract could have accepted it and none was asked. */
export type SignatureCheck = { index: number | undefined; needsChain: boolean }

/**
 * Finds the message that a wallet signed: EIP-191 for EVM addresses, EIP-1271 and ERC-6492 through the chain for contract wallets,
 * ed25519 for Solana addresses (signature in base58, base64 or hex).
 * @throws CairnError UPSTREAM_FAILED when the chain cannot be asked
 */
export async function verifySignature(
  address: string,
  messages: readonly string[],
  signature: string,
  verifyContract: ContractVerifier | undefined,
): Promise<SignatureCheck> {
  const index = messages.findIndex((message) => verifyWalletSignature(address, message, signature) === 'valid')
  if (index >= 0) return { index, needsChain: false }
  if (!isEvmAddress(address) || !isHex(signature) || signature.length % 2 !== 0)
    return { index: undefined, needsChain: false }
  if (verifyContract === undefined) {
    // 64 and 65 bytes are those of a key; anything else can only be a contract's.
    return { index: undefined, needsChain: signature.length !== 132 && signature.length !== 130 }
  }
  return { index: await verifyContract(address, messages, signature), needsChain: false }
}
