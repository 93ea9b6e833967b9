import { CairnError } from '@cairn/protocol'
import { openDatabase } from '@cairn/service'
import { type DumpPart, insertDump } from '@cairn/service/backup'
import { type Kysely, sql } from 'kysely'
import type { StorageConfig } from '../config.ts'
import type { Clock } from '../context.ts'
import { migrations } from '../db/database.ts'
import { createIpni } from '../db/migrations/0020_create-ipni.ts'
import type { Schema } from '../db/schema.ts'
import { restartRestoredChain } from '../ipni/ipni.ts'

/** Adds a restore to the audit log. */
export type RecordRestore = (trx: Kysely<Schema>, restored: { missing: number }) => Promise<void>

/** The input of a load. */
export type LoadParts = {
  config: StorageConfig
  clock: Clock
  /** Migrations of the dump. */
  known: readonly string[]
  /** Begins to read the dump; called again when the database asks for another attempt. */
  openDump(): AsyncGenerator<DumpPart>
  /** Whether other systems may have seen newer rows than these, as with a backup. */
  isOlder: boolean
  /** Objects that the rows name and that were not restored. */
  missing: readonly string[]
  /** Adds an entry to the audit log, in the same unit of work. */
  record: RecordRestore
  onRows(rows: number): void
}

/**
 * Creates the tables as the dump has them and loads its rows, in one unit of work: after an interruption the database is still
 * empty. A later start migrates the tables further.
 * @throws CairnError CONFLICT for a database that is in use, BACKUP_NEWER, BACKUP_DAMAGED
 */
export async function loadRows(parts: LoadParts): Promise<number> {
  const due = migrations.filter(({ name }) => parts.known.includes(name))
  await using db = await openDatabase<Schema>(parts.config.database, { migrations: due })
  // Awaited here, so that the database stays open until the rows are in it.
  return await db.write(async (trx) => {
    await requireEmpty(trx)
    const rows = await insertDump(trx, db.kind, parts.openDump(), parts.onRows)
    await settleRows(trx, parts)
    return rows
  })
}

async function requireEmpty(db: Kysely<Schema>): Promise<void> {
  const store = await db.selectFrom('store').select('name').executeTakeFirst()
  if (store !== undefined) throw databaseInUse(store.name)
}

/** Returns the error for a database that a service has used. */
export function databaseInUse(name: string): CairnError {
  return new CairnError('CONFLICT', {
    message: `The database contains the rows of a service (${name})`,
    hint: 'Use a new CAIRN_HOME, or a new database in CAIRN_DATABASE_URL. Nothing was changed.',
  })
}

/** Ends what the processes of the saved service left open, as after a crash. */
async function settleRows(trx: Kysely<Schema>, { clock, known, isOlder, missing, record }: LoadParts): Promise<void> {
  const now = clock.now()
  if (isOlder && known.includes(createIpni.name)) await restartRestoredChain(trx)
  await trx.updateTable('lease').set({ expires_at: 0 }).execute()
  // Uploads in progress left rows, but their packs do not belong to a backup.
  await trx
    .updateTable('pack')
    .set({ state: 'removing', hold: 'abandoned', unreferenced_at: now })
    .where('hold', '=', 'pending')
    .execute()
  for (const key of missing) {
    await trx
      .updateTable('pack')
      .set({ missing_at: now })
      .where(({ eb, or, selectFrom }) =>
        or([
          eb('object_key', '=', key),
          eb('merged_id', 'in', selectFrom('pack as merged').select('merged.id').where('merged.object_key', '=', key)),
        ]),
      )
      .where('state', '=', 'live')
      .execute()
    // Clients start these uploads again.
    await trx
      .updateTable('resumable_upload')
      .set({ expires_at: 0 })
      .where('id', 'in', trx.selectFrom('resumable_part').select('upload_id').where('object_key', '=', key))
      .execute()
    await trx
      .updateTable('resumable_upload')
      .set({ expires_at: 0 })
      .where(
        'id',
        'in',
        trx
          .selectFrom('held_pack')
          .innerJoin('pack', 'pack.id', 'held_pack.pack_id')
          .select('held_pack.holder_id')
          .where('pack.missing_at', '=', now),
      )
      .execute()
    await trx
      .updateTable('s3_multipart')
      .set({ expires_at: 0 })
      .where('id', 'in', trx.selectFrom('s3_part').select('upload_id').where('object_key', '=', key))
      .execute()
  }
  await sql`update store set removals = removals + 1`.execute(trx)
  await record(trx, { missing: missing.length })
}
