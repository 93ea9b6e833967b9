import { createPrivateKey, type KeyObject } from 'node:crypto'
import { exportNameKey, nameKeyFromSeed } from '@cairn/names'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { peerIdOf } from '../names/names.ts'
import { deriveKey } from '../secrets/derive-key.ts'

/** The libp2p identity that signs a chain of advertisements. */
export type Publisher = {
  /** Peer id in base58. */
  readonly peerId: string
  /** The peer id as bytes: a multihash. */
  readonly peerBytes: Uint8Array
  /** The public key in the libp2p format. */
  readonly publicKey: Uint8Array
  readonly key: KeyObject
}

/**
 * Derives the identity of a chain. A store with another id, another secret, and each generation has an identity of its own:
 * two chains under one identity would look like a fork to indexers.
 */
export async function openPublisher(secret: Uint8Array, storeName: string, generation: number): Promise<Publisher> {
  const named = await nameKeyFromSeed(deriveKey(secret, `ipni ${storeName} ${generation}`))
  const { multihash } = CID.parse(named.name, base36)
  return {
    peerId: peerIdOf(named.name),
    peerBytes: multihash.bytes,
    // Names of Ed25519 keys contain the key.
    publicKey: multihash.digest,
    key: createPrivateKey(exportNameKey(named, 'pem')),
  }
}
