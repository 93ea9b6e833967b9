import { CairnError, keyNodeTries } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type ChangeOptions, type ChangeResult, describeChange } from './change-nodes.ts'
import { getKeyStatus } from './status.ts'

/**
 * Reads back whether a set that was saved beside another one is in force. A node puts it in force once it has heard of two
 * others that hold it, and asking for its state makes it ask.
 * @throws CairnError as `getKeyStatus`, CHANGE_INCOMPLETE when fewer than three nodes have it in force
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
        message: 'The new key waits on this node: another one is in force',
      }),
    }))
    result = describeChange(inForce, [...changed.pending, ...pending])
    if (result.isEffective) return result
  }
  throw new CairnError('CHANGE_INCOMPLETE', {
    message: 'The new key was saved, and the one before is still in force',
    details: { done: result.done, pending: result.pending.map(({ node, error }) => ({ node, code: error.code })) },
  })
}
