import { hkdfSync } from 'node:crypto'

/** A key that shards are sealed with at rest, and its id, which reveals nothing about it. */
export type SealingKey = { readonly id: Uint8Array; readonly key: Uint8Array }

/** Keys derived from a node's secret. None of them leaves the node, except the public half of the signing key. */
export type NodeKeys = {
  /**
   * Ed25519 seed: signs session tokens and statements. Always derived from the first secret, because peers know its public half.
   */
  readonly signing: Uint8Array
  /** Authenticates the node's own nonces. */
  readonly nonce: Uint8Array
  /** AES-256 key for new seals. */
  readonly sealing: SealingKey
  /** Key of the second secret during a rotation, which only opens. */
  readonly secondarySealing?: SealingKey
}

/** Length of a node's secret in bytes. */
export const nodeSecretBytes = 32
/** Length of the id of a sealing key in bytes. */
export const sealingIdBytes = 8

/**
 * Derives the keys of a node from its secret, one per purpose.
 * @see https://www.rfc-editor.org/rfc/rfc5869
 */
export function deriveNodeKeys(secret: Uint8Array): NodeKeys {
  const derive = (purpose: string, bytes = nodeSecretBytes) =>
    new Uint8Array(hkdfSync('sha256', secret, 'cairn/key-node/1', purpose, bytes))
  const sealing = { id: derive('sealing-id', sealingIdBytes), key: derive('sealing') }
  return { signing: derive('signing'), nonce: derive('nonce'), sealing }
}
