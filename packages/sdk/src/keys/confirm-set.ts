import { CairnError, keyNodeTries } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type ChangeOptions, type ChangeResult, describeChange } from './change-nodes.ts'
import { getKeyStatus } from './status.ts'

/**
 * Reads back whether a set that was saved next to another one is in force. A node activates it once two other nodes
 * confirm that they store it, and a status request makes the node check.
 * @throws CairnError as `getKeyStatus`, CHANGE_INCOMPLETE if fewer than three nodes have it in force
 */
export async function confirmSet(
  client: Client,
  cid: string,
  setId: string,
  changed: ChangeResult,
  { signal }: ChangeOptions,
): Promise<ChangeResult> {
  let result = changed
  for (let tries = 1; tries <= keyNodeTries; tries++) {
    const { nodes } = await getKeyStatus(client, cid, signal === undefined ? {} : { signal })
    const inForce = nodes.flatMap(({ node, status }) => (status?.setId === setId ? [node] : []))
    const waiting = changed.done.filter((node) => !inForce.includes(node))
    const pending = waiting.map((node) => ({
      node,
      error: new CairnError('CHANGE_INCOMPLETE', {
        message: 'The new key is pending on this node, and another key is active',
      }),
    }))
    result = describeChange(inForce, [...changed.pending, ...pending])
    if (result.isEffective) return result
  }
  throw new CairnError('CHANGE_INCOMPLETE', {
    message: 'The new key was saved, but the previous key is still active',
    details: { done: result.done, pending: result.pending.map(({ node, error }) => ({ node, code: error.code })) },
  })
}
