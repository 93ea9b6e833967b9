import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CairnError } from '@cairn/protocol'
import { sql } from 'kysely'
import { makeFolder } from '../make-folder.ts'
import { ensurePrivateFile } from '../private-files.ts'
import { type FileGuard, guardFiles } from './file-guard.ts'
import { createGroupWriter } from './group-writer.ts'
import { migrate } from './migrate.ts'
import { createSqliteKysely } from './sqlite-dialect.ts'
import { describeFailedFile } from './sqlite-errors.ts'
import type { BaseSchema, DatabaseOptions, QuietDatabase } from './types.ts'

/** Time in ms that a reader waits inside SQLite. It blocks the event loop meanwhile, so writers wait outside. */
const readerTimeoutMs = 2000
const writerTimeoutMs = 20

/** Opens or creates a SQLite file, and migrates its tables. */
export async function openSqlite<Schema extends BaseSchema>(
  path: string,
  options: DatabaseOptions,
): Promise<QuietDatabase<Schema>> {
  try {
    return await overConnections(
      {
        writer: openWriter(path),
        openReader: () => open(path, { readOnly: true, timeout: readerTimeoutMs }),
        guard: guardFiles([path, `${path}-wal`]),
      },
      options,
    )
  } catch (error) {
    throw describeFailedFile(path, error)
  }
}

/** Connections of a SQLite database. */
type Connections = {
  writer: DatabaseSync
  /** Called after the migration. */
  openReader(): DatabaseSync
  /** Checked before a commit is acknowledged. */
  guard: FileGuard
}

/** Builds a database from connections, and migrates its tables. */
export async function overConnections<Schema extends BaseSchema>(
  { writer, openReader, guard }: Connections,
  { migrations, bigintColumns }: DatabaseOptions,
): Promise<QuietDatabase<Schema>> {
  const writing = createSqliteKysely<Schema>(writer, bigintColumns)
  const { write, requireOpen, close: finishWrites } = createGroupWriter(writer, writing, guard)
  try {
    await migrate<Schema>('sqlite', write, migrations)
  } catch (error) {
    writer.close()
    throw error
  }
  const read = createSqliteKysely<Schema>(openReader(), bigintColumns)

  const close = async (): Promise<void> => {
    await finishWrites()
    await read.destroy()
    await writing.destroy()
  }
  return {
    kind: 'sqlite',
    read,
    write,
    async ping() {
      requireOpen()
      guard.check()
      await sql`select 1`.execute(read)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Pages of the log (16 MiB) after which they are moved to the database: one that is changed again meanwhile, once. */
const checkpointPages = 4096

function openWriter(path: string): DatabaseSync {
  makeFolder(dirname(path))
  ensurePrivateFile(path)
  const database = open(path, { timeout: readerTimeoutMs })
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    requirePragma(database, 'journal_mode', 'wal')
    requirePragma(database, 'synchronous', 2)
    requirePragma(database, 'foreign_keys', 1)
    database.exec(`PRAGMA busy_timeout = ${writerTimeoutMs}; PRAGMA wal_autocheckpoint = ${checkpointPages}`)
  } catch (error) {
    database.close()
    throw describeFailedFile(path, error)
  }
  return database
}

function open(path: string, options: { readOnly?: boolean; timeout: number }): DatabaseSync {
  try {
    const database = new DatabaseSync(path, options)
    // At most 64 MiB of pages; temporary tables in memory.
    database.exec('PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY')
    return database
  } catch (error) {
    throw describeFailedFile(path, error)
  }
}

/**
 * A request may be ignored by the file system or build, and durability would then be lost, so the value is read back.
 */
function requirePragma(database: DatabaseSync, name: string, wanted: string | number): void {
  const row = database.prepare(`PRAGMA ${name}`).get()
  const actual = row === undefined ? undefined : Object.values(row)[0]
  if (actual === wanted) return
  throw new CairnError('INVALID_CONFIGURATION', {
    message: `SQLite reports ${name} = ${actual}, data safety requires ${wanted}`,
    hint: 'Put the database on a local file system.',
  })
}
