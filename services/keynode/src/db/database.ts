import { type DatabaseSettings, openDatabase as open, type Database as ServiceDatabase } from '@cairn/service'
import { createTables } from './migrations/0001_create-tables.ts'
import { numberChanges } from './migrations/0002_number-changes.ts'
import { countRenewals } from './migrations/0003_count-renewals.ts'
import { spendByAddress } from './migrations/0004_spend-by-address.ts'
import { markRestored } from './migrations/0005_mark-restored.ts'
import { sealIdentity } from './migrations/0006_seal-identity.ts'
import { logAccesses } from './migrations/0007_log-accesses.ts'
import { storeSpares } from './migrations/0008_store-spares.ts'
import { indexRetired } from './migrations/0009_index-retired.ts'
import type { Schema } from './schema.ts'

/** The rows of a key node. */
export type Database = ServiceDatabase<Schema>

/** All migrations, in order. Names never change once released. */
export const migrations = [
  createTables,
  numberChanges,
  countRenewals,
  spendByAddress,
  markRestored,
  sealIdentity,
  logAccesses,
  storeSpares,
  indexRetired,
]

/**
 * Opens the database of a key node and migrates its tables. @throws CairnError as `openDatabase` of the service frame
 */
export function openDatabase(settings: DatabaseSettings): Promise<Database> {
  return open<Schema>(settings, { migrations })
}
