import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { openAccount } from './ledger.ts'

/** Makes the account where there is none yet, with the operator's free allowance. */
export async function ensureAccount(context: Pick<Context, 'db' | 'clock' | 'config'>, address: string): Promise<void> {
  const { freeBytes } = context.config
  await context.db.write((trx) => openAccount(trx, address, { freeBytes, now: context.clock.now() }))
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
