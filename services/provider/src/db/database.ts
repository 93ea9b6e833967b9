import { openDatabase as open, type Database as ServiceDatabase } from '@cairn/service'
import { createPieces } from './migrations/0001_create-pieces.ts'
import { countContent } from './migrations/0002_count-content.ts'
import type { Schema } from './schema.ts'

/** The rows of a storage provider. */
export type Database = ServiceDatabase<Schema>

/** All migrations, in order. Names never change once released. */
const migrations = [createPieces, countContent]

/**
 * Opens the database of a provider and migrates its tables. @throws CairnError as `openDatabase` of the service frame
 */
export function openDatabase(path: string): Promise<Database> {
  return open<Schema>({ kind: 'sqlite', path }, { migrations })
}
