import { DatabaseSync } from 'node:sqlite'
import type { BaseSchema, Database, DatabaseOptions } from './database.ts'
import { guardFiles } from './file-guard.ts'
import { overConnections } from './sqlite.ts'

/** A database in memory, with the one connection it has: a test may look at its rows, and put others in their place. */
export type MemoryDatabase<Schema> = { database: Database<Schema>; connection: DatabaseSync }

/** Opens the real SQLite store without a file. Nothing outlives it, so it is for tests alone. */
export async function openMemory<Schema extends BaseSchema>(options: DatabaseOptions): Promise<MemoryDatabase<Schema>> {
  const connection = new DatabaseSync(':memory:')
  connection.exec('PRAGMA foreign_keys = ON')
  const connections = { writer: connection, openReader: () => connection, guard: guardFiles([]) }
  return { database: await overConnections<Schema>(connections, options), connection }
}
