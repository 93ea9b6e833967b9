import { type DatabaseSettings, openDatabase as open, type Database as ServiceDatabase } from '@cairn/service'
import { createTables } from './migrations/0001_create-tables.ts'
import { createPayments } from './migrations/0002_create-payments.ts'
import { createNames } from './migrations/0003_create-names.ts'
import { createProofs } from './migrations/0004_create-proofs.ts'
import { indexProofs } from './migrations/0005_index-proofs.ts'
import { createResumableUploads } from './migrations/0006_create-resumable-uploads.ts'
import { createSpentSignIns } from './migrations/0007_create-spent-sign-ins.ts'
import { namePurposes } from './migrations/0008_name-purposes.ts'
import { boundFreeStorage } from './migrations/0009_bound-free-storage.ts'
import type { Schema } from './schema.ts'

/** The rows of the storage service. */
export type Database = ServiceDatabase<Schema>

/** All migrations, in order. Names never change once released. */
export const migrations = [
  createTables,
  createPayments,
  createNames,
  createProofs,
  indexProofs,
  createResumableUploads,
  createSpentSignIns,
  namePurposes,
  boundFreeStorage,
]

/** Opens the database of the storage service and brings its tables up to date. @throws CairnError as `openDatabase` of the frame */
export function openDatabase(settings: DatabaseSettings): Promise<Database> {
  // The ids of packs are 63-bit numbers; all other columns called id are text.
  return open<Schema>(settings, { migrations, bigintColumns: ['id', 'pack_id', 'packId'] })
}
