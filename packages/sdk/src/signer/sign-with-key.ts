import { signMessage, walletFromPrivateKey } from '@cairn/crypto'
import type { ResolvedSigner } from './signer.ts'

/**
 * Signs with a private key, as EVM wallets do.
 * @throws CairnError INVALID_PRIVATE_KEY
 */
export function signWithKey(privateKey: string): ResolvedSigner {
  const { address } = walletFromPrivateKey(privateKey)
  return { address, sign: async (message) => signMessage(privateKey, message) }
}
