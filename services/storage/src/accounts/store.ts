import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'

/** Makes the account where there is none yet, with the operator's free allowance. */
export async function ensureAccount(context: Context, address: string): Promise<void> {
  await context.db.write((trx) =>
    trx
      .insertInto('account')
      .values({
        address,
        created_at: context.clock.now(),
        data_limit_bytes: context.config.freeBytes,
        data_used_bytes: 0,
        reserved_bytes: 0,
      })
      .onConflict((conflict) => conflict.column('address').doNothing())
      .execute(),
  )
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
