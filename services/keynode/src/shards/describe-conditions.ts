import { CairnError, type CallResult, type getConditions } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { canonicalCid } from './canonical-cid.ts'
import { conditionsOf, listConditions } from './conditions-of.ts'
import { findRecord } from './store.ts'

/**
 * What this node holds of a file's conditions, as published clients read it.
 * @param address the caller's; absent for one who does not say who they are, and is not told whom the file is shared with
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
