import { CairnError } from '@cairn/protocol'
import { type Kysely, sql } from 'kysely'
import { columnTypes, type Migration } from './migration.ts'

/** Any number; the same for all replicas, so that one migrates at a time. */
const migrationLock = 7_240_611_093

/**
 * Runs the pending migrations in one transaction.
 * @throws CairnError INVALID_CONFIGURATION if newer code migrated the database
 */
export async function migrate<Schema>(
  kind: 'sqlite' | 'postgres',
  write: <T>(unit: (trx: Kysely<Schema>) => Promise<T>) => Promise<T>,
  known: readonly Migration[],
): Promise<void> {
  const types = columnTypes[kind]
  await write(async (trx) => {
    if (kind === 'postgres') await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(trx)
    await sql
      .raw(
        `create table if not exists migration (name ${types.text} primary key, applied_at ${types.integer} not null)${types.strict}`,
      )
      .execute(trx)
    const done = new Set(
      (await sql<{ name: string }>`select name from migration`.execute(trx)).rows.map(({ name }) => name),
    )
    const names = new Set(known.map(({ name }) => name))
    const strange = [...done].find((name) => !names.has(name))
    if (strange !== undefined) {
      throw new CairnError('INVALID_CONFIGURATION', {
        message: `The database has the migration ${strange}, which is unknown to this version`,
        hint: 'Run the newer version of Cairn that created it, or restore an older backup.',
      })
    }
    for (const { name, statements } of known) {
      if (done.has(name)) continue
      for (const statement of statements(types)) await sql.raw(statement).execute(trx)
      await sql`insert into migration (name, applied_at) values (${name}, ${Date.now()})`.execute(trx)
    }
  })
}
