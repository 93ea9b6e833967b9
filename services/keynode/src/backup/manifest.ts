import { keyShardCount } from '@cairn/protocol'
import {
  type BackupFormat,
  backupIdSchema,
  fileSchema,
  findBackupId,
  readManifestOf,
  wholeSchema,
  writeManifestOf,
} from '@cairn/service/backup'
import type { ObjectStore } from '@cairn/service/objects'
import * as v from 'valibot'

const name = 'cairn-keynode-backup'
const version = 1

const schema = v.object({
  format: v.literal(name),
  version: v.literal(version),
  id: backupIdSchema,
  createdAt: v.pipe(v.string(), v.isoTimestamp()),
  network: v.string(),
  /** Number of the node, and the did:key that it signs with. */
  node: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(keyShardCount)),
  publicKey: v.string(),
  database: v.object({
    kind: v.picklist(['sqlite', 'postgres']),
    /** Migrations of its tables, in order: the version of the schema. */
    migrations: v.array(v.string()),
    rows: wholeSchema,
  }),
  files: v.object({ database: fileSchema, secrets: fileSchema }),
})

/** A backup of a key node. It is whole once its manifest exists. */
export type Manifest = v.InferOutput<typeof schema>

const format: BackupFormat<Manifest> = { name, version, schema }

/** Writes the manifest, which completes the backup. It appears as a whole. */
export function writeManifest(objects: ObjectStore, manifest: Omit<Manifest, 'format' | 'version'>): Promise<void> {
  return writeManifestOf(objects, format, manifest)
}

/** @throws CairnError BACKUP_NEWER, BACKUP_DAMAGED */
export function readManifest(objects: ObjectStore, id: string): Promise<Manifest> {
  return readManifestOf(objects, format, id)
}

/**
 * Reads one backup: the named one, or the newest.
 * @throws CairnError NOT_FOUND, BACKUP_NEWER, BACKUP_DAMAGED
 */
export async function findBackup(objects: ObjectStore, id: string | undefined): Promise<Manifest> {
  return readManifest(objects, await findBackupId(objects, id))
}
