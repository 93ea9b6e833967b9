import { hkdfSync } from 'node:crypto'

/** What a node derives from its one secret. None of it leaves the node, but for the public half of the signing key. */
export type NodeKeys = {
  /** Ed25519 seed: signs session tokens and statements. */
  readonly signing: Uint8Array
  /** Recognises the node's own nonces. */
  readonly nonce: Uint8Array
  /** AES-256 key that shards are sealed with at rest. */
  readonly sealing: Uint8Array
}

/** Length of a node's secret in bytes. */
export const nodeSecretBytes = 32

/**
 * Derives the keys of a node from its secret, each for one purpose.
 * @see https://www.rfc-editor.org/rfc/rfc5869
 */
export function deriveNodeKeys(secret: Uint8Array): NodeKeys {
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', secret, 'cairn/key-node/1', purpose, nodeSecretBytes))
  return { signing: derive('signing'), nonce: derive('nonce'), sealing: derive('sealing') }
}
