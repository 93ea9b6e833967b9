import * as v from 'valibot'
import { type KeyRow, maxChanges, type Trx, writeChange } from '../store.ts'

/** How often an address was revoked here. */
export type Revocation = { address: string; times: number }

/** Rights that calls of the current owner withdrew on this node. */
export type Withdrawn = {
  /** How often each address was revoked. */
  revoked: ReadonlyMap<string, number>
  /** Whether the conditions were changed after the first save. */
  hasConditions: boolean
  isRetired: boolean
  /** Id of the first save, if it had conditions. */
  firstId: string | undefined
}

type NamedChange = {
  kind: KeyRow['change_kind']
  arguments?: Record<string, unknown>
  id: string
  by: string
}

/** Changes that revoke addresses; a transfer clears those of the previous owner. */
const revoking = v.object({ revokeTo: v.array(v.string()) })
const changingOwner = v.object({ to: v.string() })

/**
 * Counts how often each address was revoked on this node under the current owner. The count orders nodes that
 * disagree about an address: the one with more received a revocation that the other missed.
 */
export async function findRevocations(db: Trx, { cid }: Pick<KeyRow, 'cid'>): Promise<Revocation[]> {
  const { revoked } = await readWithdrawn(db, cid)
  return [...revoked].map(([address, times]) => ({ address, times })).sort((a, b) => (a.address < b.address ? -1 : 1))
}

/**
 * Stores a call of the owner that takes away what this node, having missed an earlier change, does not grant: peers that
 * grant it may receive the call later. One like an earlier one is not stored.
 */
export async function noteWithdrawal(
  trx: Trx,
  { cid, version, restored_at }: KeyRow,
  { kind, arguments: given, id, by }: NamedChange,
  at: number,
): Promise<void> {
  if (kind !== 'revoke' && kind !== 'conditions' && kind !== 'retire') return
  const known = await readWithdrawn(trx, cid, restored_at ?? 0)
  // The first save, repeated.
  if (given === undefined && known.firstId === id) return
  if ((kind === 'conditions' && known.hasConditions) || (kind === 'retire' && known.isRetired)) return
  const revokeTo = v.is(revoking, given) ? given.revokeTo.filter((address) => !known.revoked.has(address)) : undefined
  if (revokeTo?.length === 0) return
  const noted = JSON.stringify(revokeTo === undefined ? (given ?? {}) : { revokeTo })
  await writeChange(trx, { cid, version, kind, id, by_address: by, arguments: noted, at })
}

/**
 * Returns what calls of the current owner took away on this node, whether or not its record had it.
 * @param since only changes from this time on, in ms since 1970
 */
export async function readWithdrawn(db: Trx, cid: string, since = 0): Promise<Withdrawn> {
  const rows = await db
    .selectFrom('change')
    .select(['seq', 'kind', 'id', 'arguments'])
    .where('cid', '=', cid)
    .where('kind', 'in', ['revoke', 'repair', 'transfer', 'conditions', 'retire'])
    .where('at', '>=', since)
    .orderBy('seq', 'desc')
    .limit(maxChanges)
    .execute()
  const revoked = new Map<string, number>()
  let firstId: string | undefined
  let hasConditions = false
  let isRetired = false
  for (const { seq, kind, id, arguments: stored } of rows) {
    const given: unknown = JSON.parse(stored)
    if (v.is(changingOwner, given)) break
    if (kind === 'conditions' && seq === 1) firstId = id
    hasConditions ||= kind === 'conditions' && seq > 1
    isRetired ||= kind === 'retire'
    if (!v.is(revoking, given)) continue
    for (const address of given.revokeTo) revoked.set(address, (revoked.get(address) ?? 0) + 1)
  }
  return { revoked, hasConditions, isRetired, firstId }
}
