import * as v from 'valibot'
import { type KeyRow, maxChanges, type Trx } from './store.ts'

/** How often an address was revoked here. */
export type Revocation = { address: string; times: number }

/** Changes that revoke addresses; a transfer clears those of the previous owner. */
const revoking = v.object({ revokeTo: v.array(v.string()) })
const changingOwner = v.object({ to: v.string() })

/**
 * Counts how often each address was revoked on this node under the current owner. The count orders nodes that
 * disagree about an address: the one with more received a revocation that the other missed.
 */
export async function findRevocations(db: Trx, { cid }: Pick<KeyRow, 'cid'>): Promise<Revocation[]> {
  const rows = await db
    .selectFrom('change')
    .select(['kind', 'arguments'])
    .where('cid', '=', cid)
    .where('kind', 'in', ['revoke', 'repair', 'transfer'])
    .orderBy('seq', 'desc')
    .limit(maxChanges)
    .execute()
  const times = new Map<string, number>()
  for (const row of rows) {
    const given: unknown = JSON.parse(row.arguments)
    if (v.is(changingOwner, given)) break
    if (!v.is(revoking, given)) continue
    for (const address of given.revokeTo) times.set(address, (times.get(address) ?? 0) + 1)
  }
  return [...times]
    .map(([address, count]) => ({ address, times: count }))
    .sort((a, b) => (a.address < b.address ? -1 : 1))
}
