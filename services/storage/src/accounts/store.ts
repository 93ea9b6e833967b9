import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { claimFreeAccount, openAccount } from '../ledger/ledger.ts'

/**
 * Creates the account if it does not exist, with the operator's free allowance. Beyond the number of accounts per IP
 * address and day it gets none: its owner can pay, or receives the allowance with a sign-in on another day.
 * @param ip of the caller
 * @throws CairnError ACCOUNT_BLOCKED
 */
export async function ensureAccount(context: Context, address: string, ip: string): Promise<void> {
  const { clock, config, db, metrics } = context
  const terms = { config, now: clock.now() }
  const known = await db.read
    .selectFrom('account')
    .select('blocked_at')
    .where('address', '=', address)
    .executeTakeFirst()
  if (known !== undefined && known.blocked_at !== null) throw new CairnError('ACCOUNT_BLOCKED')
  const outcome = await db.write((trx) => openAccount(trx, address, terms, () => claimFreeAccount(context, trx, ip)))
  if (outcome === 'opened') metrics.freeAccounts.inc()
  if (outcome === 'waits') metrics.freeRefusals.inc({ bound: 'accounts' })
}

export async function readUsage(context: Context, address: string): Promise<{ limitBytes: number; usedBytes: number }> {
  const row = await context.db.read
    .selectFrom('account')
    .select(['data_limit_bytes', 'data_used_bytes'])
    .where('address', '=', address)
    .executeTakeFirst()
  if (row === undefined) throw new CairnError('NOT_FOUND', { message: 'The account does not exist' })
  return { limitBytes: row.data_limit_bytes, usedBytes: row.data_used_bytes }
}
