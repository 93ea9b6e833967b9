import { canonicalCid } from '@cairn/crypto'
import { CairnError, type CallResult, type getConditions } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { conditionsOf, listConditions } from './changes/conditions-of.ts'
import { findRecord } from './store.ts'

/**
 * Returns this node's conditions of a file, in the form of published clients.
 * @param address the caller's; an anonymous caller does not see the shares
 * @throws CairnError KEY_NOT_FOUND
 */
export async function describeConditions(
  { db }: Pick<Context, 'db'>,
  cid: string,
  address: string | undefined,
): Promise<CallResult<typeof getConditions>> {
  const record = await findRecord(db.read, canonicalCid(cid))
  if (record === undefined) throw new CairnError('KEY_NOT_FOUND')
  const { row, sharedTo } = record
  const set = conditionsOf(row)
  const mayKnow = address !== undefined && (row.owner === address || sharedTo.includes(address))
  return {
    aggregator: set?.aggregator ?? '',
    ...listConditions(set),
    sharedTo: mayKnow ? sharedTo : [],
    owner: row.owner,
    cid,
  }
}
