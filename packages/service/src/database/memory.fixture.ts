import { DatabaseSync } from 'node:sqlite'
import { announceCommits } from './announce-commits.ts'
import type { BaseSchema, Database, DatabaseOptions } from './database.ts'
import { guardFiles } from './file-guard.ts'
import { overConnections } from './sqlite.ts'

/** A database in memory with its single connection: a test may read and replace its rows. */
export type MemoryDatabase<Schema> = { database: Database<Schema>; connection: DatabaseSync }

/** Opens the real SQLite store without a file. It is not durable, so it is for tests only. */
export async function openMemory<Schema extends BaseSchema>(options: DatabaseOptions): Promise<MemoryDatabase<Schema>> {
  const connection = new DatabaseSync(':memory:')
  connection.exec('PRAGMA foreign_keys = ON')
  const connections = { writer: connection, openReader: () => connection, guard: guardFiles([]) }
  return { database: announceCommits(await overConnections<Schema>(connections, options)), connection }
}
