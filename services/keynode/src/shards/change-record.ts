import { CairnError, sharedAddressesMost } from '@cairn/protocol'
import { ConflictError } from '@cairn/service'
import type { Caller, Context } from '../context.ts'
import {
  digestOf,
  findRecordToChange,
  type KeyRecord,
  type KeyRow,
  type Trx,
  writeChange,
  writeShared,
} from './store.ts'

/** What a change is called, and what peers and the owner are told of it. */
export type ChangeName = { kind: KeyRow['change_kind']; arguments?: Record<string, unknown> }

/** What a change makes of a record; what is absent stays. */
export type ChangedRecord = Partial<Omit<KeyRow, 'cid' | 'version' | 'digest'>> & { sharedTo?: readonly string[] }

/** The five calls of one change come with the same challenge, so its id is the same on all nodes. */
export function nameChange(caller: Caller, kind: KeyRow['change_kind']): string {
  return `${caller.challengeId}:${kind}`
}

/**
 * Changes a record that its owner may change, in one transaction: either all of it is there afterwards or nothing. A change
 * that changes nothing is success and leaves the version alone.
 * @param decide gets the record, and answers what becomes of it, or `same`; refuses by throwing
 * @throws CairnError KEY_NOT_FOUND, ACCESS_DENIED unless the caller owns it (where `decide` does not allow more)
 */
export async function changeRecord(
  context: Context,
  cid: string,
  caller: Caller,
  name: ChangeName,
  decide: (record: KeyRecord, trx: Trx) => Promise<ChangedRecord | 'same'> | ChangedRecord | 'same',
): Promise<{ version: number }> {
  return context.db.write(async (trx) => {
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

/** Only the owner changes a record. @throws CairnError ACCESS_DENIED */
export function requireOwner({ row }: KeyRecord, caller: Caller): void {
  if (row.owner !== caller.address) throw new CairnError('ACCESS_DENIED')
}

/** Writes a change with its version; a record that changed meanwhile makes the unit run again. */
export async function applyChange(
  context: Context,
  trx: Trx,
  { row, sharedTo }: KeyRecord,
  { sharedTo: wanted = sharedTo, ...fields }: ChangedRecord,
  name: ChangeName & { id: string; by: string; version?: number },
): Promise<{ version: number }> {
  if (wanted.length > sharedAddressesMost) {
    throw new CairnError('KEY_LIMIT', {
      message: `A file can be shared with ${sharedAddressesMost} addresses`,
      hint: 'Revoke addresses that need it no longer, or use a condition.',
      details: { most: sharedAddressesMost },
    })
  }
  const after = { ...row, ...fields }
  const isRetired = after.state === 'retired'
  const digest = digestOf({ ...after, isRetired, sharedTo: wanted })
  const isSealedAnew = fields.sealed !== undefined
  if (digest === row.digest && !isSealedAnew && after.state === row.state) return { version: row.version }
  const at = context.clock.now()
  const version = name.version ?? row.version + 1
  const written = await trx
    .updateTable('key')
    .set({ ...fields, version, digest, change_kind: name.kind, change_id: name.id, updated_at: at })
    .where('cid', '=', row.cid)
    .where('version', '=', row.version)
    .where('digest', '=', row.digest)
    .returning('cid')
    .executeTakeFirst()
  if (written === undefined) throw new ConflictError('The record changed meanwhile')
  await writeShared(trx, row.cid, sharedTo, wanted, at)
  const { kind, id, by } = name
  const given = JSON.stringify(name.arguments ?? {})
  await writeChange(trx, { cid: row.cid, version, kind, id, by_address: by, arguments: given, at })
  return { version }
}
