import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { takeFreeAccount } from './free-storage.ts'
import { openAccount } from './ledger.ts'

/**
 * Creates the account if there is none yet, with the operator's free allowance. Beyond the accounts that one IP address may open
 * per day it has none: its owner can pay, and gets the allowance when they sign in on another day.
 * @param ip of the caller
 */
export async function ensureAccount(context: Context, address: string, ip: string): Promise<void> {
  const { clock, config, db, metrics } = context
  const terms = { freeBytes: config.freeBytes, now: clock.now() }
  const outcome = await db.write((trx) => openAccount(trx, address, terms, () => takeFreeAccount(context, trx, ip)))
  if (outcome === 'opened') metrics.freeAccounts.inc()
  if (outcome === 'waits') metrics.freeRefusals.inc({ bound: 'accounts' })
}

export async function readUsage(context: Context, address: string): Promise<{ limitBytes: number; usedBytes: number }> {
  const row = await context.db.read
    .selectFrom('account')
    .select(['data_limit_bytes', 'data_used_bytes'])
    .where('address', '=', address)
    .executeTakeFirst()
  if (row === undefined) throw new CairnError('NOT_FOUND', { message: 'There is no such account' })
  return { limitBytes: row.data_limit_bytes, usedBytes: row.data_used_bytes }
}
