import { signMessage, walletFromPrivateKey } from '@cairn/crypto'
import { CairnError } from '@cairn/protocol'
import type { ResolvedSigner } from './signer.ts'

/**
 * Signs with a private key, as EVM wallets do.
 * @throws CairnError INVALID_PRIVATE_KEY, also without one
 */
export function signWithKey(privateKey: string | undefined): ResolvedSigner {
  if (privateKey === undefined) throw noPrivateKey()
  const { address } = walletFromPrivateKey(privateKey)
  return { address, sign: async (message) => signMessage(privateKey, message) }
}

/** The error of a call without a signer. */
export function noPrivateKey(): CairnError {
  return new CairnError('INVALID_PRIVATE_KEY', {
    message: 'Private key not provided!!!',
    hint: 'Pass { privateKey }, or an address with a function that signs.',
  })
}
