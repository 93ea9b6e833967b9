import { CairnError } from '@cairn/protocol'
import type { KeyNodeConfig } from './config.ts'
import type { Database } from './db/database.ts'
import { findNode, isRestoring } from './db/node-row.ts'
import { deriveNodeKeys, type NodeKeys } from './identity.ts'
import { openBytes, sealBytes } from './seal-bytes.ts'
import { publicKeyOf } from './sessions/tokens.ts'

type Owner = Pick<KeyNodeConfig, 'networkName' | 'node' | 'secret' | 'secondarySecret'>

/** The node that a database belongs to: its keys, and when it was restored, in ms; 0 if never. */
export type OpenedNode = { keys: NodeKeys; restoredAt: number }

/**
 * Opens the keys of the node that a database belongs to; undefined when no node has used it. Shards are sealed with the
 * secrets of the settings. The signing key is that of the first secret, which peers know.
 * @throws CairnError INVALID_CONFIGURATION when it was created with another number, network or secret, or a restore of it
 *   did not end
 */
export async function openNode(db: Pick<Database, 'read'>, owner: Owner): Promise<OpenedNode | undefined> {
  const row = await findNode(db)
  if (row === undefined) return undefined
  if (isRestoring(row)) throw unfinished()
  const derived = [owner.secret, owner.secondarySecret].flatMap((secret) =>
    secret === undefined ? [] : [deriveNodeKeys(secret)],
  )
  const [primary, secondary] = derived
  if (primary === undefined) throw strange()
  const keys: NodeKeys = secondary === undefined ? primary : { ...primary, secondarySealing: secondary.sealing }
  const seeds = derived.map(({ signing }) => signing)
  if (row.signing_seal !== null) {
    try {
      seeds.unshift(new Uint8Array(openBytes(keys, subjectOf(owner), row.signing_seal)))
    } catch (cause) {
      throw strange(cause)
    }
  }
  const signing = seeds.find((seed) => row.name === nameNode(owner, seed))
  if (signing === undefined) throw strange()
  return { keys: { ...keys, signing }, restoredAt: row.restored_at ?? 0 }
}

/** Returns the name of a node's data. */
export function nameNode({ networkName, node }: Pick<Owner, 'networkName' | 'node'>, signing: Uint8Array): string {
  return `${networkName} ${node} ${publicKeyOf(signing)}`
}

/** Seals the signing key with the primary secret. */
export function sealSigning(owner: Owner, keys: NodeKeys): Uint8Array {
  return sealBytes(keys, subjectOf(owner), keys.signing)
}

function subjectOf({ networkName, node }: Pick<Owner, 'networkName' | 'node'>): Buffer {
  return Buffer.from(['cairn/signing/1', networkName, node].join('|'))
}

function strange(cause?: unknown): CairnError {
  return new CairnError('INVALID_CONFIGURATION', {
    message: `The data of this key node was created with another number, network or secret`,
    hint: 'Restore the original settings. Without the original secret, no shard can be opened.',
    cause,
  })
}

function unfinished(): CairnError {
  return new CairnError('INVALID_CONFIGURATION', {
    message: 'A restore into the database of this key node did not finish',
    hint: 'Run cairn-keynode-admin restore again. A node without keys needs a new CAIRN_KEYNODE_HOME, or a new database of CAIRN_KEYNODE_DATABASE_URL.',
  })
}
