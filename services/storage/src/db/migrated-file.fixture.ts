import { writeMigratedFile as writeWith } from '@cairn/service/migrated-file-fixture'
import { migrations } from './database.ts'

/** Writes an empty SQLite database with the tables of the storage service: there are more than two hundred statements. */
export function writeMigratedFile(path: string): Promise<void> {
  return writeWith(path, migrations)
}
