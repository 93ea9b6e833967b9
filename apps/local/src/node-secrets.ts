import { join } from 'node:path'
import { openSecret } from './open-secret.ts'

/** Folder of one key node of a local network; its data and its secret are nobody else's. */
export function keyNodeFolder(home: string, node: number): string {
  return join(home, `keynode-${node}`)
}

/** Where the secret of a key node is. */
export function secretFile(home: string, node: number): string {
  return join(keyNodeFolder(home, node), 'secret.key')
}

/**
 * The secret of a key node, made at its first start.
 * @throws CairnError INVALID_CONFIGURATION when the file is damaged or others can read it; it is never made anew then
 */
export async function openNodeSecret(home: string, node: number): Promise<Uint8Array> {
  const text = await openSecret(secretFile(home, node), 'without it no shard of this node can be opened')
  return new Uint8Array(Buffer.from(text, 'hex'))
}
