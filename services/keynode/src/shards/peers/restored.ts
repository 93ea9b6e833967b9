import { CairnError } from '@cairn/protocol'
import type { Caller, Context } from '../../context.ts'
import { applyChange, nameChange } from '../changes/change-record.ts'
import { findRecordToChange, type KeyRecord, type KeyRow } from '../store.ts'
import type { PeerStatement } from './peer-statement.ts'
import { enoughNodes } from './peers.ts'

/**
 * Whether a record comes from a backup and was not confirmed since. A right in it may have been revoked after the
 * backup, so it counts neither for a reader nor for another node.
 */
export function isUnconfirmed({ row }: Pick<KeyRecord, 'row'>): boolean {
  return row.restored_at !== null
}

/** @throws CairnError KEY_UNCONFIRMED */
export function requireConfirmed(record: Pick<KeyRecord, 'row'>): void {
  if (!isUnconfirmed(record)) return
  throw new CairnError('KEY_UNCONFIRMED', {
    message: 'This key node was restored from a backup and does not know the present state of the key',
    hint: 'Use the other key nodes. This one answers again when three of them agree on the key, or when its owner repairs it.',
  })
}

/** Removes the mark of a restored record, unless the record changed since it was compared. */
export async function confirmRecord({ db }: Context, { cid, version, digest }: ComparedRow): Promise<void> {
  await db.write((trx) =>
    trx
      .updateTable('key')
      .set({ restored_at: null })
      .where('cid', '=', cid)
      .where('version', '=', version)
      .where('digest', '=', digest)
      .where('restored_at', 'is not', null)
      .execute(),
  )
}

/** State of a record when it was compared with its peers. */
export type ComparedRow = Pick<KeyRow, 'cid' | 'version' | 'digest'>

/**
 * Confirms a restored record for its owner although no three peers agree, with the fewest rights that any of them can
 * prove. Three peers include one that is honest and knows of every revocation in force, so the addresses that all of
 * them list are safe. With fewer, nothing is known, and only the owner keeps access.
 * @param peers statements of records that are confirmed
 * @returns whether the record was confirmed: not for a previous owner, nor for a record that changed meanwhile
 */
export async function replaceRestored(
  context: Context,
  caller: Caller,
  { row, sharedTo }: KeyRecord,
  peers: readonly PeerStatement[],
): Promise<boolean> {
  if (row.owner !== caller.address) return false
  if (peers.some(({ owner, version }) => owner !== row.owner && version >= row.version)) return false
  const isKnown = peers.length > 0 && peers.length >= enoughNodes(context)
  const isSame = isKnown && peers.every(({ conditions }) => conditions === row.conditions)
  const rights = {
    conditions: isSame ? row.conditions : null,
    sharedTo: isKnown ? sharedTo.filter((address) => peers.every((peer) => peer.sharedTo.includes(address))) : [],
  }
  return context.db.write(async (trx) => {
    const record = await findRecordToChange(context, trx, row.cid)
    if (record === undefined || record.row.version !== row.version || record.row.digest !== row.digest) return false
    const revokeTo = sharedTo.filter((address) => !rights.sharedTo.includes(address))
    await applyChange(context, trx, record, rights, {
      kind: 'repair',
      arguments: revokeTo.length === 0 ? {} : { revokeTo },
      id: nameChange(caller, 'repair'),
      by: caller.address,
    })
    await trx.updateTable('key').set({ restored_at: null }).where('cid', '=', row.cid).execute()
    return true
  })
}
