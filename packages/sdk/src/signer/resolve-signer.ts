import { CairnError } from '@cairn/protocol'
import type { ResolvedSigner } from './signer.ts'

/** A private key, or an address with a function that signs a text (an injected wallet, a viem client). */
export type Signer = { privateKey: string } | { address: string; sign(message: string): Promise<string> }

/**
 * Resolves a signer to an address and a function. Signing with a private key loads on demand, so pages with an injected
 * wallet never download it.
 * @throws CairnError PRIVATE_KEY_MISSING, INVALID_PRIVATE_KEY
 */
export async function resolveSigner(signer: Signer): Promise<ResolvedSigner> {
  requireSigner(signer)
  if (!('privateKey' in signer)) return signer
  const { signWithKey } = await import('./sign-with-key.ts')
  return signWithKey(signer.privateKey)
}

/** Programs without types pass the wallet of a network that has none. @throws CairnError PRIVATE_KEY_MISSING */
export function requireSigner(signer: unknown): void {
  if (typeof signer !== 'object' || signer === null) throw new CairnError('PRIVATE_KEY_MISSING')
}
