import * as v from 'valibot'
import { type KeyRow, maxChanges, type Trx } from './store.ts'

/** How often an address lost its right here. */
export type Revocation = { address: string; times: number }

/** Changes by which addresses lose their right; what a transfer clears belongs to the owner before. */
const revoking = v.object({ revokeTo: v.array(v.string()) })
const changingOwner = v.object({ to: v.string() })

/**
 * How often each address was revoked on this node under the owner there is. Nodes that differ about an address are told apart
 * by it: the one that counts more has heard of a revocation that the other missed.
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
