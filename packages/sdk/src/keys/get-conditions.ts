import {
  CairnError,
  type CallResult,
  conditionFields,
  getConditions as getConditionsCall,
  keyShardCount,
  keyShardThreshold,
  mapConditionFields,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { callKeyNode, nodeNumbers } from './call-node.ts'
import { callWithSession } from './call-with-session.ts'
import { findRefusal } from './find-refusal.ts'
import { groupBy } from './group-by.ts'
import { defaultLateMs, type NodeQueryOptions } from './query-nodes.ts'
import { settleNodes } from './settle-nodes.ts'

type Rights = CallResult<typeof getConditionsCall>

/**
 * Returns the owner and the conditions of a file, as three key nodes agree on them: no single node decides what the owner sees
 * and changes. The addresses are shown only to the owner and recipients. They are those that three nodes may list, because a node
 * that does not answer may list them too.
 * @throws CairnError KEY_NOT_FOUND, CONFLICT if no three nodes agree, NETWORK_ERROR or TIMEOUT if fewer than three answer,
 *   NO_KEY_NODES, ABORTED
 */
export async function getConditions(
  client: Client,
  cid: string,
  { lateMs = defaultLateMs, signal }: NodeQueryOptions = {},
): Promise<Rights> {
  const input = { params: { cid } }
  const answers = await settleNodes(
    nodeNumbers,
    (node, ended) =>
      client.keySession === undefined
        ? callKeyNode(client, getConditionsCall, node, input, { signal: ended })
        : callWithSession(client, getConditionsCall, node, input, { signal: ended }),
    { lateMs, signal },
  )
  if (signal?.aborted) throw new CairnError('ABORTED', { cause: signal.reason })
  const found = answers.flatMap((answer) => ('value' in answer ? [answer.value] : []))
  const errors = answers.flatMap((answer) => ('error' in answer ? [answer.error] : []))
  if (found.length < keyShardThreshold) throw findRefusal(errors)
  const [agreed] = groupBy(found, nameRights).find(([, alike]) => alike.length >= keyShardThreshold)?.[1] ?? []
  if (agreed === undefined) {
    throw new CairnError('CONFLICT', {
      message: 'Fewer than three key nodes agree on the conditions of this file',
      hint: 'Repair the key with `repairKey` or `cairn keys repair`, then try again.',
    })
  }
  const listed = groupBy(
    found.flatMap(({ sharedTo }) => [...new Set(sharedTo)]),
    (address) => address,
  )
  const silent = keyShardCount - found.length
  const sharedTo = listed.flatMap(([address, by]) => (by.length + silent >= keyShardThreshold ? [address] : []))
  return { ...agreed, cid, sharedTo: sharedTo.sort() }
}

/** Serialises what nodes must agree on. */
function nameRights(rights: Rights): string {
  const conditions = mapConditionFields((family) => rights[conditionFields[family]])
  return JSON.stringify([rights.aggregator, conditions, rights.owner])
}
