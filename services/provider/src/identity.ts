import { hkdfSync } from 'node:crypto'

/**
 * Keys derived from a provider's secret. None of them leaves the process, except the public half of the signing key.
 */
export type ProviderKeys = {
  /** Ed25519 seed: signs answers to challenges. */
  readonly signing: Uint8Array
  /** AES-256 key that the credentials of sources are sealed with at rest. */
  readonly sealing: Uint8Array
}

/** Length of a provider's secret in bytes. */
export const providerSecretBytes = 32

/**
 * Derives the keys of a provider from its secret, one per purpose.
 * @see https://www.rfc-editor.org/rfc/rfc5869
 */
export function deriveProviderKeys(secret: Uint8Array): ProviderKeys {
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', secret, 'cairn/provider/1', purpose, providerSecretBytes))
  return { signing: derive('signing'), sealing: derive('sealing') }
}
