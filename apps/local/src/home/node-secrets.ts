import { join } from 'node:path'
import { openSecret } from './open-secret.ts'

/** Returns the folder of one key node of a local network, with its own data and secret. */
export function keyNodeFolder(home: string, node: number): string {
  return join(home, `keynode-${node}`)
}

/** Returns the path of the secret of a key node. */
export function secretFile(home: string, node: number): string {
  return join(keyNodeFolder(home, node), 'secret.key')
}

/**
 * Returns the secret of a key node, created on first start.
 * @throws CairnError INVALID_CONFIGURATION if the file is damaged or others can read it; it is never created again
 */
export async function openNodeSecret(home: string, node: number): Promise<Uint8Array> {
  const text = await openSecret(secretFile(home, node), 'without it, no shard of this node can be opened')
  return new Uint8Array(Buffer.from(text, 'hex'))
}
