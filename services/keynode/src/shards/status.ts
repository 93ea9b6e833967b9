import { createHash } from 'node:crypto'
import { CairnError, type KeyStatus } from '@cairn/protocol'
import type { Caller, Context } from '../context.ts'
import { findTransfers } from './changes/transfer.ts'
import { findRevocations } from './changes/withdrawals.ts'
import { promoteRecord } from './peers/promote.ts'
import { confirmRestored } from './peers/repair.ts'
import { isUnconfirmed } from './peers/restored.ts'
import { settlesIn } from './peers/settles-in.ts'
import { hasSpare } from './spares.ts'
import { findRecord, findWaitingSets, type KeyRecord } from './store.ts'

/**
 * Returns this node's state of a file. @throws CairnError KEY_NOT_FOUND, ACCESS_DENIED unless owned by or shared with
 * the caller
 */
export async function describeRecord(context: Context, caller: Caller, cid: string): Promise<KeyStatus> {
  // Peers are queried only for callers who may see the record.
  await findVisible(context, caller, cid)
  await confirmRestored(context, cid)
  await promoteRecord(context, cid)
  const record = await findVisible(context, caller, cid)
  const { row, sharedTo } = record
  const isOwner = row.owner === caller.address
  const [pending] = await findWaitingSets(context.db.read, row)
  return {
    node: context.config.node,
    cid: row.cid_as_given,
    owner: row.owner,
    ...(isUnconfirmed(record) ? { isRestored: true } : {}),
    state: pending !== undefined && row.state !== 'retired' ? 'pending' : row.state,
    version: row.version,
    setId: row.set_id,
    pendingSetId: pending?.set_id ?? null,
    digest: row.digest,
    sharedTo: isOwner || sharedTo.includes(caller.address) ? sharedTo : [],
    hasConditions: row.conditions !== null,
    conditionsId: row.conditions === null ? null : createHash('sha256').update(row.conditions).digest('hex'),
    revocations: isOwner ? await findRevocations(context.db.read, row) : [],
    successor: row.successor,
    lastChange: { kind: row.change_kind, at: row.updated_at, id: row.change_id },
    settlesInMs: settlesIn(context, row),
    ...(isOwner ? { hasSpare: await hasSpare(context.db.read, row) } : {}),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

async function findVisible({ db }: Context, { address }: Caller, cid: string): Promise<KeyRecord> {
  const record = await findRecord(db.read, cid)
  if (record === undefined) throw new CairnError('KEY_NOT_FOUND')
  if (record.row.owner === address || record.sharedTo.includes(address)) return record
  // A previous owner must be able to see whether all nodes received the transfer.
  if ((await findTransfers(db.read, cid)).some(({ from }) => from === address)) return record
  throw new CairnError('ACCESS_DENIED')
}
