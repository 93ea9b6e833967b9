import { CairnError } from '@cairn/protocol'
import { type Kysely, sql } from 'kysely'
import { columnTypes, type Migration } from './migration.ts'

/** Any number; the same for all replicas, so that one migrates at a time. */
const migrationLock = 7_240_611_093
/** How long a migration waits for a table that another transaction uses. */
const lockTimeoutSeconds = 30

/**
 * Runs the pending migrations in one transaction. A database that newer code migrated is accepted if its unknown
 * migrations only expanded the schema, so that a replica of the previous version restarts during an upgrade.
 * @throws CairnError INVALID_CONFIGURATION if newer code contracted the schema
 */
export async function migrate<Schema>(
  kind: 'sqlite' | 'postgres',
  write: <T>(unit: (trx: Kysely<Schema>) => Promise<T>) => Promise<T>,
  known: readonly Migration[],
): Promise<void> {
  const types = columnTypes[kind]
  await write(async (trx) => {
    if (kind === 'postgres') {
      // An index of a large table takes minutes, and so does the wait for another replica that creates it.
      await sql.raw('set local statement_timeout = 0').execute(trx)
      await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(trx)
      // All others wait behind a statement that waits for a table, for example until a backup has read it.
      await sql.raw(`set local lock_timeout = '${lockTimeoutSeconds}s'`).execute(trx)
    }
    await sql
      .raw(
        `create table if not exists migration (name ${types.text} primary key, applied_at ${types.integer} not null)${types.strict}`,
      )
      .execute(trx)
    await addChangeColumn(kind, trx)
    const { rows } = await sql<{ name: string; change: string | null }>`select name, change from migration`.execute(trx)
    const done = new Set(rows.map(({ name }) => name))
    const names = new Set(known.map(({ name }) => name))
    const strange = rows.find(({ name, change }) => !names.has(name) && change !== 'expand')
    if (strange !== undefined) {
      throw new CairnError('INVALID_CONFIGURATION', {
        message: `The database has the migration ${strange.name}, with which this version cannot run`,
        hint: 'Run the newer version of Cairn that created it, or restore an older backup.',
      })
    }
    for (const { name, change, statements } of known) {
      if (done.has(name)) continue
      for (const statement of statements(types)) await sql.raw(statement).execute(trx)
      await sql`insert into migration (name, applied_at, change) values (${name}, ${Date.now()}, ${change})`.execute(
        trx,
      )
    }
  })
}

/** Adds the column that shows older versions what a migration did. Databases of the first versions lack it. */
async function addChangeColumn<Schema>(kind: 'sqlite' | 'postgres', trx: Kysely<Schema>): Promise<void> {
  const { text } = columnTypes[kind]
  if (kind === 'postgres') {
    await sql.raw(`alter table migration add column if not exists change ${text}`).execute(trx)
    return
  }
  const { rows } = await sql`select 1 from pragma_table_info('migration') where name = 'change'`.execute(trx)
  if (rows.length === 0) await sql.raw(`alter table migration add column change ${text}`).execute(trx)
}
