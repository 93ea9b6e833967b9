import type { ResolvedSigner } from './signer.ts'

/** A private key, or an address with a function that signs a text (an injected wallet, a viem client). */
export type Signer = { privateKey: string } | { address: string; sign(message: string): Promise<string> }

/**
 * Resolves a signer to an address and a function. Signing with a private key loads on demand, so pages with an injected
 * wallet never download it.
 * @throws CairnError INVALID_PRIVATE_KEY, also without a signer
 */
export async function resolveSigner(signer: Signer): Promise<ResolvedSigner> {
  // Programs without types pass the wallet of a network that has none.
  if (typeof signer === 'object' && signer !== null && !('privateKey' in signer)) return signer
  const { signWithKey } = await import('./sign-with-key.ts')
  return signWithKey(signer?.privateKey)
}
