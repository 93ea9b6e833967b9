import { randomUUID } from 'node:crypto'
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
import { keepPacks } from './migrations/0010_keep-packs.ts'
import { keepOpenChallenges } from './migrations/0011_keep-open-challenges.ts'
import { createPins } from './migrations/0012_create-pins.ts'
import { administer } from './migrations/0013_administer.ts'
import { createS3 } from './migrations/0014_create-s3.ts'
import { createEvents } from './migrations/0017_create-events.ts'
import { indexNames } from './migrations/0018_index-names.ts'
import { createLinks } from './migrations/0019_create-links.ts'
import { createIpni } from './migrations/0020_create-ipni.ts'
import { createOperatorSettings } from './migrations/0021_create-operator-settings.ts'
import { createUploadLinks } from './migrations/0022_create-upload-links.ts'
import { createDrive } from './migrations/0023_create-drive.ts'
import { mergePacks } from './migrations/0024_merge-packs.ts'
import { serveReplicas } from './migrations/0026_serve-replicas.ts'
import { versionS3 } from './migrations/0027_version-s3.ts'
import { createHandover } from './migrations/0028_create-handover.ts'
import { nameS3Buckets } from './migrations/0029_name-s3-buckets.ts'
import { createEgress } from './migrations/0030_create-egress.ts'
import { importParts } from './migrations/0031_import-parts.ts'
import { createThumbnails } from './migrations/0032_create-thumbnails.ts'
import { keepPrivate } from './migrations/0033_keep-private.ts'
import { indexLookups } from './migrations/0034_index-lookups.ts'
import { indexCids } from './migrations/0035_index-cids.ts'
import { indexPinNames } from './migrations/0036_index-pin-names.ts'
import { stateReasons } from './migrations/0037_state-reasons.ts'
import { recountFree } from './migrations/0038_recount-free-storage.ts'
import { indexUnlistedNames } from './migrations/0039_index-unlisted-names.ts'
import { promoteS3Versions } from './migrations/0040_promote-s3-versions.ts'
import { noteAskers } from './migrations/0042_note-askers.ts'
import { ruleS3Lifecycles } from './migrations/0044_rule-s3-lifecycles.ts'
import { indexEgress } from './migrations/0047_index-egress.ts'
import { keyUploads } from './migrations/0048_key-uploads.ts'
import { tagUploads } from './migrations/0052_tag-uploads.ts'
import { noteUploadLinks } from './migrations/0053_note-upload-links.ts'
import { removeS3Settings } from './migrations/0054_remove-s3-settings.ts'
import { requireNotMoved } from './moved-database.ts'
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
  keepPacks,
  keepOpenChallenges,
  createPins,
  administer,
  createS3,
  createEvents,
  indexNames,
  createLinks,
  createIpni,
  createOperatorSettings,
  createUploadLinks,
  createDrive,
  mergePacks,
  serveReplicas,
  versionS3,
  createHandover,
  nameS3Buckets,
  createEgress,
  importParts,
  createThumbnails,
  keepPrivate,
  indexLookups,
  indexCids,
  indexPinNames,
  stateReasons,
  recountFree,
  indexUnlistedNames,
  promoteS3Versions,
  noteAskers,
  ruleS3Lifecycles,
  indexEgress,
  keyUploads,
  tagUploads,
  noteUploadLinks,
  removeS3Settings,
]

/**
 * Opens the database of the storage service, migrates its tables, and assigns its id the first time.
 * @throws CairnError as `openDatabase` of the service frame; INVALID_CONFIGURATION for one that was moved away
 */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  requireNotMoved(settings)
  // Pack ids and numbers of the search index have 63 bits; all other id columns are text.
  const bigintColumns = ['id', 'pack_id', 'packId', 'merged_id', 'search_number', 'rowid']
  const db = await open<Schema>(settings, { migrations, bigintColumns })
  try {
    await nameStore(db)
  } catch (error) {
    await db.close()
    throw error
  }
  return db
}

/** Assigns an id to a new database; replicas that start concurrently agree on one. */
async function nameStore(db: Database): Promise<void> {
  const named = await db.read.selectFrom('store').select('id').executeTakeFirst()
  if (named !== undefined) return
  await db.write((trx) =>
    trx
      .insertInto('store')
      .values({ id: 1n, name: randomUUID(), created_at: Date.now(), removals: 0, denials: 0 })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute(),
  )
}
