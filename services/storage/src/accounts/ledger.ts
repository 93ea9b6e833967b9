import { CairnError } from '@cairn/protocol'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { createUploadId } from '../uploads/upload-id.ts'

/** A change of what an account may store. */
export type LedgerEntry = {
  address: string
  kind: Schema['ledger_entry']['kind']
  /** Names what the entry is for; a cause is entered once, whoever tries again. */
  cause: string
  bytes: number
  note: string
}

/** Makes the account where there is none yet, and enters its free allowance. */
export async function openAccount(
  trx: Kysely<Schema>,
  address: string,
  { freeBytes, now }: { freeBytes: number; now: number },
): Promise<void> {
  const made = await trx
    .insertInto('account')
    .values({ address, created_at: now, data_limit_bytes: 0, data_used_bytes: 0, reserved_bytes: 0 })
    .onConflict((conflict) => conflict.column('address').doNothing())
    .returning('address')
    .executeTakeFirst()
  if (made === undefined) return
  const cause = `allowance:${address}`
  await enter(trx, { address, kind: 'allowance', cause, bytes: freeBytes, note: 'Free allowance' }, now)
}

/**
 * Adds an entry and, in the same unit, changes the limit of its account. Entries are never changed.
 * @returns false where the cause was entered before: nothing was done
 * @throws CairnError INVALID_REQUEST for a sum beyond what can be counted
 */
export async function enter(trx: Kysely<Schema>, entry: LedgerEntry, now: number): Promise<boolean> {
  if (!Number.isSafeInteger(entry.bytes))
    throw new CairnError('INVALID_REQUEST', { message: 'Too many bytes to count' })
  const added = await trx
    .insertInto('ledger_entry')
    .values({ id: createUploadId(now), ...entry, created_at: now })
    .onConflict((conflict) => conflict.column('cause').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (added === undefined) return false
  await trx
    .updateTable('account')
    .set({ data_limit_bytes: sql`data_limit_bytes + ${entry.bytes}` })
    .where('address', '=', entry.address)
    .execute()
  return true
}
