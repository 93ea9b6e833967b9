import { findTransfers } from '../changes/transfer.ts'
import { readWithdrawn } from '../changes/withdrawals.ts'
import type { KeyRecord, Trx } from '../store.ts'
import type { PeerStatement } from './peer-statement.ts'

/**
 * Whether a state would restore what the owner took away with a call to this node. The call may still be on its way
 * to the peers that state it. Versions do not show that: each node counts only the changes that it received.
 */
export async function restoresWithdrawn(
  db: Trx,
  { row, sharedTo }: KeyRecord,
  agreed: PeerStatement,
): Promise<boolean> {
  if (agreed.owner !== row.owner) return (await findTransfers(db, row.cid)).some(({ from }) => from === agreed.owner)
  if (agreed.state === 'retired') return false
  // A change that is in a backup is no longer on its way to others.
  const { revoked, hasConditions, isRetired } = await readWithdrawn(db, row.cid, row.restored_at ?? 0)
  if (isRetired && row.state === 'retired') return true
  if (hasConditions && agreed.conditions !== row.conditions) return true
  return agreed.sharedTo.some((address) => revoked.has(address) && !sharedTo.includes(address))
}
