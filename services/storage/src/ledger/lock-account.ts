import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'

/** Locks an account: concurrent changes wait here, so that checks of its limits are exact. */
export async function lockAccount(trx: Kysely<Schema>, address: string): Promise<void> {
  await trx
    .updateTable('account')
    .set(({ ref }) => ({ upload_count: ref('upload_count') }))
    .where('address', '=', address)
    .execute()
}
