import type { Signer } from './api-keys.ts'

/** An address and what signs for it. */
export type ResolvedSigner = { address: string; sign(message: string): Promise<string> }

/**
 * Makes one form of both. What signs with a private key is loaded only then: pages whose wallets sign by themselves never
 * need it.
 * @throws CairnError INVALID_PRIVATE_KEY
 */
export async function resolveSigner(signer: Signer): Promise<ResolvedSigner> {
  if (!('privateKey' in signer)) return signer
  const { signWithKey } = await import('./sign-with-key.ts')
  return signWithKey(signer.privateKey)
}
