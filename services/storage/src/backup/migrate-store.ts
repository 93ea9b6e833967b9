import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CairnError, forEachOf } from '@cairn/protocol'
import { openSnapshot, type Snapshot } from '@cairn/service'
import { dumpRows, encodeValue, quote, readDump } from '@cairn/service/backup'
import type { ObjectStore } from '@cairn/service/objects'
import type { StorageConfig } from '../config.ts'
import type { Clock } from '../context.ts'
import { noteMoved } from '../db/moved-database.ts'
import { searchColumns } from '../db/upload-columns.ts'
import { lockStore } from '../lock-store.ts'
import { openObjects } from '../objects/open-objects.ts'
import { inspectObject } from './copy-object.ts'
import type { OnProgress } from './create-backup.ts'
import { loadRows, type RecordRestore } from './load-rows.ts'
import { listNamedObjects } from './named-objects.ts'
import { readSalvaged } from './read-salvaged.ts'
import {
  markOf,
  markPacks,
  requireEmptyPacks,
  requireKnownSchema,
  requireNoRows,
  requireStartable,
  restoreObject,
} from './restore-backup.ts'

/** Objects copied at a time. */
const copiesAtOnce = 4

/** Where a service moves to. Packs on S3 require PostgreSQL. */
export type MigrationTarget = 'postgres' | 's3'

/** Dependencies of a migration. */
export type MigrateParts = {
  /** Settings of the service after the migration. Its home contains the SQLite database that is moved. */
  config: StorageConfig
  to: MigrationTarget
  clock: Clock
  isDryRun: boolean
  signal: AbortSignal
  onProgress: OnProgress
  /** Adds the migration to the audit log of the new database, in the unit of work that loads its rows. */
  record: RecordRestore
  /** Called for each pack that is damaged or missing already. It stays so. */
  onFinding(key: string, reason: 'damaged' | 'missing'): void
}

/** Result of a migration. */
export type Migrated = { rows: number; tables: number; objects: number; copied: number; findings: number }

/**
 * Moves the rows of a stopped service from SQLite to PostgreSQL and, to S3, its packs from a folder. Each pack is read
 * again from S3 and compared, and so is each row from PostgreSQL. Packs come first and the rows last, in one unit of
 * work; until then the command can be interrupted and run again. The SQLite database and the folder stay as they are; a
 * note beside the database keeps a service from starting on it.
 *
 * @throws CairnError CONFLICT (the service runs, or the target is in use), INVALID_CONFIGURATION, DATA_DAMAGED (a copy
 * differs), BACKUP_NEWER (a newer version wrote the database)
 */
export async function migrateStore(parts: MigrateParts): Promise<Migrated> {
  const { config, to, isDryRun, onProgress } = parts
  requireTarget(config, to)
  const path = join(config.home, 'storage.sqlite')
  if (!existsSync(path)) throw invalid(`There is no database at ${path}`, 'CAIRN_HOME must be that of the old service.')
  await using _lock = await lockStore(config)
  await requireNoRows(config)
  await using snapshot = await openSnapshot({ kind: 'sqlite', path })
  const database = await readOne(snapshot, 'select name from store')
  const migrations: string[] = []
  for await (const batch of snapshot.readRows('select name from migration order by name'))
    for (const [name] of batch) migrations.push(String(name))
  requireKnownSchema(`The database ${path}`, migrations)
  const named = to === 's3' ? await listNamedObjects(snapshot) : []
  const tables = await snapshot.listTables()
  if (isDryRun) {
    let rows = 0
    for (const { name } of tables) rows += Number(await readOne(snapshot, `select count(*) from ${quote(name)}`))
    return { rows, tables: tables.length, objects: named.length, copied: 0, findings: 0 }
  }

  await using stack = new AsyncDisposableStack()
  const target = await openObjects(config, { isAlone: false })
  stack.defer(() => target.close())
  const copies =
    to === 's3' ? await copyPacks(parts, { database, target, keys: named.map(({ key }) => key) }) : noCopies
  const rows = await loadRows({
    config,
    clock: parts.clock,
    known: migrations,
    openDump: () =>
      readDump(
        dumpRows(snapshot, (done) => onProgress({ phase: 'database', done }), { omittedColumns: searchColumns }),
        path,
      ),
    isOlder: false,
    missing: copies.missing,
    record: parts.record,
    onRows: (done) => onProgress({ phase: 'database', done }),
  })
  await compareRows(snapshot, config)
  await requireStartable(config, target)
  if (to === 's3') await target.remove(markOf(database))
  await noteMoved(path, to === 's3' ? 'PostgreSQL and S3' : 'PostgreSQL')
  const { copied, findings } = copies
  return { rows, tables: tables.length, objects: named.length, copied, findings }
}

function requireTarget({ database, s3 }: StorageConfig, to: MigrationTarget): void {
  if (database.kind !== 'postgres')
    throw invalid('CAIRN_DATABASE_URL is empty', 'Set it to the new PostgreSQL database. CAIRN_HOME stays.')
  if (to === 's3' && s3 === undefined)
    throw invalid('CAIRN_OBJECTS_URL is empty', 'Set it to s3://bucket/prefix, with the settings CAIRN_S3_*.')
  if (to === 'postgres' && s3 !== undefined)
    throw invalid('CAIRN_OBJECTS_URL is set', 'Use --to s3, which moves the rows too, or leave the setting empty.')
}

function invalid(message: string, hint: string): CairnError {
  return new CairnError('INVALID_CONFIGURATION', { message, hint })
}

async function readOne(snapshot: Snapshot, query: string): Promise<string> {
  for await (const [row] of snapshot.readRows(query)) return String(row?.[0])
  throw invalid('The database has no rows of a service', 'CAIRN_HOME must be that of the old service.')
}

const noCopies = { copied: 0, findings: 0, missing: [] as readonly string[] }

/** Copies all packs and related objects, and reads each copy again. @throws CairnError CONFLICT, DATA_DAMAGED */
async function copyPacks(
  { config, signal, onProgress, onFinding }: MigrateParts,
  { database, target, keys }: { database: string; target: ObjectStore; keys: readonly string[] },
) {
  await requireEmptyPacks(target, database, new Set(keys))
  await markPacks(target, database, 'migration')
  const source = await openObjects({ packFolder: config.packFolder, s3: undefined }, { isAlone: false })
  const missing: string[] = []
  let [copied, findings, done, bytes] = [0, 0, 0, 0]
  try {
    await forEachOf(keys, copiesAtOnce, async (key) => {
      signal.throwIfAborted()
      const read = await inspectObject(source, key, signal)
      if (read === undefined) missing.push(key)
      if (read?.isSound !== true) {
        findings++
        onFinding(key, read === undefined ? 'missing' : 'damaged')
      }
      if (read !== undefined) {
        const pieces = readSalvaged(source, key, read.bytes, { signal, onUnreadable: () => undefined })
        if (await restoreObject(pieces, target, { key, ...read }, signal)) {
          copied++
          const copy = await inspectObject(target, key, signal)
          if (copy?.sha256 !== read.sha256)
            throw new CairnError('DATA_DAMAGED', {
              message: `The copy of ${key} differs`,
              hint: 'Run the command again.',
            })
        }
        bytes += read.bytes
      }
      onProgress({ phase: 'objects', done: ++done, of: keys.length, bytes })
    })
  } finally {
    await source.close()
  }
  return { copied, findings, missing }
}

/** Tables whose rows change when they are loaded, such as leases that end: only their number is compared. */
const changedTables = ['lease', 'pack', 'resumable_upload', 's3_multipart', 'store']

/** Compares each table by the number of its rows and a sum of their hashes, which no order of rows changes. */
async function compareRows(source: Snapshot, config: StorageConfig): Promise<void> {
  await using target = await openSnapshot(config.database)
  for (const { name, columns } of await source.listTables()) {
    const mine = await sumRows(source, name, columns)
    const theirs = await sumRows(target, name, columns)
    // The migration itself is in the audit log.
    const added = name === 'audit_entry' ? 1 : 0
    const isSame = added > 0 || changedTables.includes(name) || mine.sum === theirs.sum
    if (isSame && mine.rows + added === theirs.rows) continue
    throw new CairnError('DATA_DAMAGED', {
      message: `Table ${name} differs: ${mine.rows} rows in SQLite, ${theirs.rows} in PostgreSQL`,
      hint: 'Do not start the service on PostgreSQL. Empty the new database and run the command again.',
    })
  }
}

async function sumRows(
  snapshot: Snapshot,
  table: string,
  columns: readonly string[],
): Promise<{ rows: number; sum: bigint }> {
  const names = columns.filter((column) => !searchColumns.includes(column)).map(quote)
  let [rows, sum] = [0, 0n]
  for await (const batch of snapshot.readRows(`select ${names.join(', ')} from ${quote(table)}`)) {
    for (const row of batch) {
      const hash = createHash('sha256')
        .update(JSON.stringify(row.map(encodeValue)))
        .digest()
      sum = BigInt.asUintN(64, sum + hash.readBigUInt64BE())
      rows++
    }
  }
  return { rows, sum }
}
