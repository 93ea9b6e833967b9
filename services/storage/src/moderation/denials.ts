import type { Kysely } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'

/** Counts a change of the operator's own rules, in its unit of work. Replicas read the rules again when the count changes. */
export async function countDenial(trx: Kysely<Schema>): Promise<void> {
  await trx
    .updateTable('store')
    .set(({ eb }) => ({ denials: eb('denials', '+', 1) }))
    .execute()
}

/** Returns the number of changes of the rules. */
export async function readDenialCount({ read }: Pick<Database, 'read'>): Promise<number> {
  return (await read.selectFrom('store').select('denials').executeTakeFirstOrThrow()).denials
}

/** Returns the operator's own rules as a list in the compact format. */
export async function readDenials({ read }: Pick<Database, 'read'>): Promise<string> {
  const rows = await read.selectFrom('denial').select('rule').orderBy('position').execute()
  return rows.map(({ rule }) => rule).join('\n')
}
