import { CairnError, maxSharedAddresses, zeroAddress } from '@cairn/protocol'
import { ConflictError } from '@cairn/service'
import type { Caller, Context } from '../../context.ts'
import { writeChangeOnce } from '../../sessions/check-proof.ts'
import { removeSpares } from '../spares.ts'
import {
  digestOf,
  findRecordToChange,
  type KeyRecord,
  type KeyRow,
  type Trx,
  writeChange,
  writeShared,
} from '../store.ts'
import { noteWithdrawal } from './withdrawals.ts'

/** Identity of a change, and its arguments for peers and the owner. */
export type ChangeName = { kind: KeyRow['change_kind']; arguments?: Record<string, unknown> }

/** Updated fields of a record; absent fields stay. */
export type ChangedRecord = Partial<Omit<KeyRow, 'cid' | 'version' | 'digest'>> & { sharedTo?: readonly string[] }

/** The five calls of one change have the same challenge, so its id is the same on all nodes. */
export function nameChange(caller: Caller, kind: KeyRow['change_kind']): string {
  return `${caller.challengeId}:${kind}`
}

/**
 * Changes a record that its owner may change, in one transaction. A change without effect succeeds and keeps the
 * version.
 * @param decide receives the record and returns the update, or `same`; rejects by throwing
 * @throws CairnError KEY_NOT_FOUND, ACCESS_DENIED unless the caller owns it (or `decide` allows more)
 */
export async function changeRecord(
  context: Context,
  cid: string,
  caller: Caller,
  name: ChangeName,
  decide: (record: KeyRecord, trx: Trx) => Promise<ChangedRecord | 'same'> | ChangedRecord | 'same',
): Promise<{ version: number }> {
  return writeChangeOnce(context, caller, async (trx) => {
    const record = await findRecordToChange(context, trx, cid)
    if (record === undefined) throw new CairnError('KEY_NOT_FOUND')
    const changed = await decide(record, trx)
    if (changed === 'same') return { version: record.row.version }
    return applyChange(context, trx, record, changed, {
      ...name,
      id: nameChange(caller, name.kind),
      by: caller.address,
    })
  })
}

/** Allows only the owner to change a record. @throws CairnError ACCESS_DENIED */
export function requireOwner({ row }: KeyRecord, caller: Caller): void {
  if (row.owner !== caller.address) throw new CairnError('ACCESS_DENIED')
}

/** Writes a change with its version; a concurrent change makes the unit run again. */
export async function applyChange(
  context: Context,
  trx: Trx,
  { row, sharedTo }: KeyRecord,
  { sharedTo: wanted = sharedTo, ...fields }: ChangedRecord,
  name: ChangeName & { id: string; by: string; version?: number },
): Promise<{ version: number }> {
  if (wanted.length > maxSharedAddresses) {
    throw new CairnError('KEY_LIMIT', {
      message: `A file can be shared with at most ${maxSharedAddresses} addresses`,
      hint: 'Revoke addresses that no longer need access, or use a condition.',
      details: { limit: maxSharedAddresses },
    })
  }
  const after = { ...row, ...fields }
  const isRetired = after.state === 'retired'
  const digest = digestOf({ ...after, isRetired, sharedTo: wanted })
  const isResealed = fields.sealed !== undefined
  const at = context.clock.now()
  if (digest === row.digest && !isResealed && after.state === row.state) {
    await noteWithdrawal(trx, row, name, at)
    return { version: row.version }
  }
  const version = name.version ?? row.version + 1
  const written = await trx
    .updateTable('key')
    .set({ ...fields, version, digest, change_kind: name.kind, change_id: name.id, updated_at: at })
    .where('cid', '=', row.cid)
    .where('version', '=', row.version)
    .where('digest', '=', row.digest)
    .returning('cid')
    .executeTakeFirst()
  if (written === undefined) throw new ConflictError('The record changed in the meantime')
  await writeShared(trx, row.cid, sharedTo, wanted, at)
  // No node can tell whether spare shards are of the same key: only those of the present owner replace the others.
  if (after.owner !== row.owner && after.owner !== zeroAddress) await removeSpares(trx, row.cid)
  const { kind, id, by } = name
  const given = JSON.stringify(name.arguments ?? {})
  await writeChange(trx, { cid: row.cid, version, kind, id, by_address: by, arguments: given, at })
  return { version }
}
