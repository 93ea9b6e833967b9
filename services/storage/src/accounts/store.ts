import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { takeFreeAccount } from './free-storage.ts'
import { openAccount } from './ledger.ts'

/**
 * Makes the account where there is none yet, with the operator's free allowance. Who has opened as many free accounts as one
 * may in a day gets one without: it can be paid for, and gets its allowance when its owner signs in on another day.
 * @param ip who asks
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
