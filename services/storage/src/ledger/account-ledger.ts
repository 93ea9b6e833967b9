import { CairnError } from '@cairn/protocol'
import { uuidv7 } from '@cairn/service'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { changeAccount } from './free-storage.ts'
import { lockAccount } from './lock-account.ts'
import { type FreeSettings, readFreeSettings } from './operator-settings.ts'

/** A change of an account's storage limit. */
export type LedgerEntry = {
  address: string
  kind: Schema['ledger_entry']['kind']
  /** Identifies the cause of the entry; each cause is entered only once, even when retried. */
  cause: string
  bytes: number
  note: string
}

/**
 * Creates the account if it does not exist and enters its free allowance, which may have to wait.
 * @param mayHaveFree called once, in the unit that enters the allowance
 * @returns `waits` if the account has no allowance yet
 */
export async function openAccount(
  trx: Kysely<Schema>,
  address: string,
  { config, now }: { config: FreeSettings; now: number },
  mayHaveFree: () => Promise<boolean> = async () => true,
): Promise<'known' | 'opened' | 'waits'> {
  await trx
    .insertInto('account')
    .values({ address, created_at: now, data_limit_bytes: 0, data_used_bytes: 0, reserved_bytes: 0, free_bytes: null })
    .onConflict((conflict) => conflict.column('address').doNothing())
    .execute()
  // Only one of several concurrent calls claims the allowance; it releases the claim if it may not enter it.
  const claim = trx.updateTable('account').where('address', '=', address)
  const claimed = await claim
    .set({ free_bytes: 0 })
    .where('free_bytes', 'is', null)
    .returning('address')
    .executeTakeFirst()
  if (claimed === undefined) return 'known'
  const { freeBytes } = await readFreeSettings(trx, config)
  if (freeBytes > 0 && !(await mayHaveFree())) {
    await claim.set({ free_bytes: null }).execute()
    return 'waits'
  }
  const cause = `allowance:${address}`
  await enter(trx, { address, kind: 'allowance', cause, bytes: freeBytes, note: 'Free allowance' }, now)
  return 'opened'
}

/**
 * Adds an entry and, in the same unit, changes the limit of its account. Entries are never changed.
 * @returns false when the cause was entered before and nothing was done
 * @throws CairnError INVALID_REQUEST for a limit beyond the countable range
 */
export async function enter(trx: Kysely<Schema>, entry: LedgerEntry, now: number): Promise<boolean> {
  if (!Number.isSafeInteger(entry.bytes)) throw tooLarge()
  const added = await trx
    .insertInto('ledger_entry')
    .values({ id: uuidv7(now), ...entry, created_at: now })
    .onConflict((conflict) => conflict.column('cause').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (added === undefined) return false
  const { address, kind, bytes } = entry
  const change = { limitBytes: bytes, ...(kind === 'allowance' ? { freeBytes: bytes } : {}) }
  if ((await changeAccount(trx, address, change, 'countable')) === undefined) throw tooLarge()
  return true
}

/** The maximum limit that payments give an account. It leaves room for an allowance and adjustments. */
const maxPaidLimitBytes = 2 ** 52

/** Locks an account, and returns whether a payment may raise its limit by some bytes. */
export async function canGrowLimit(trx: Kysely<Schema>, address: string, bytes: number): Promise<boolean> {
  await lockAccount(trx, address)
  const row = await trx
    .selectFrom('account')
    .select('address')
    .where('address', '=', address)
    // Compared by the database: the sum may not be countable as a number.
    .where(sql<boolean>`data_limit_bytes + ${bytes} <= ${maxPaidLimitBytes}`)
    .executeTakeFirst()
  return row !== undefined
}

function tooLarge(): CairnError {
  return new CairnError('INVALID_REQUEST', { message: 'The number of bytes is too large' })
}
