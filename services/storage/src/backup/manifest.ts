import {
  type BackupFormat,
  backupIdSchema,
  damaged,
  fileSchema,
  findBackupId,
  keySchema,
  listIdsWith,
  parseJson,
  readManifestOf,
  readStored,
  splitLines,
  wholeSchema,
  writeManifestOf,
} from '@cairn/service/backup'
import type { ObjectStore } from '@cairn/service/objects'
import * as v from 'valibot'

const name = 'cairn-backup'
const version = 1

const schema = v.object({
  format: v.literal(name),
  version: v.literal(version),
  id: backupIdSchema,
  createdAt: v.pipe(v.string(), v.isoTimestamp()),
  network: v.string(),
  database: v.object({
    id: v.string(),
    kind: v.picklist(['sqlite', 'postgres']),
    /** Migrations of its tables, in order: the version of the schema. */
    migrations: v.array(v.string()),
    rows: wholeSchema,
  }),
  /** `count` objects of `bytes` in total belong to the backup; `copied` of them were written by it. */
  objects: v.object({
    count: wholeSchema,
    bytes: wholeSchema,
    copied: wholeSchema,
    missing: wholeSchema,
    damaged: wholeSchema,
  }),
  files: v.object({ database: fileSchema, secrets: fileSchema, objects: fileSchema }),
})

/** A backup. It is whole once its manifest exists. */
export type Manifest = v.InferOutput<typeof schema>

const format: BackupFormat<Manifest> = { name, version, schema }

// An object that the database names: copied, possibly with blocks that did not match their hashes, or missing.
const objectSchema = v.union([
  v.object({ ...fileSchema.entries, damaged: v.optional(v.literal(true)) }),
  v.object({ key: keySchema, missing: v.literal(true) }),
])
/** A line of the list of objects: one that was copied, or that was missing when the backup was made. */
export type ObjectLine = v.InferOutput<typeof objectSchema>

/** Name of the list of objects. */
export const objectsName = 'objects.jsonl'

/** Writes the manifest, which completes the backup. It appears as a whole. */
export function writeManifest(objects: ObjectStore, manifest: Omit<Manifest, 'format' | 'version'>): Promise<void> {
  return writeManifestOf(objects, format, manifest)
}

/** Lists the ids of all backups that have a list of objects: also those whose removal was interrupted. */
export function listListedIds(objects: ObjectStore): Promise<string[]> {
  return listIdsWith(objects, objectsName)
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

/** Reads the list of objects of a backup. @throws CairnError BACKUP_DAMAGED */
export function readObjectLines(objects: ObjectStore, { files }: Manifest): AsyncGenerator<ObjectLine> {
  return parseObjectLines(readStored(objects, files.objects), files.objects.key)
}

/** Parses a list of objects. @throws CairnError BACKUP_DAMAGED */
export async function* parseObjectLines(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<ObjectLine> {
  for await (const line of splitLines(chunks)) {
    const result = v.safeParse(objectSchema, parseJson(line, name))
    if (!result.success) throw damaged(name, 'cannot be parsed')
    yield result.output
  }
}
