import {
  damaged,
  databaseEntries,
  fileSchema,
  keySchema,
  listIdsWith,
  manifestHead,
  manifestsOf,
  parseJson,
  readStored,
  splitLines,
  wholeSchema,
} from '@cairn/service/backup'
import type { ObjectStore } from '@cairn/service/objects'
import * as v from 'valibot'

const name = 'cairn-backup'
const version = 1

const schema = v.object({
  format: v.literal(name),
  version: v.literal(version),
  ...manifestHead,
  database: v.object({ id: v.string(), ...databaseEntries }),
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

export const manifests = manifestsOf({ name, version, schema })

// An object that the database names: copied, possibly with blocks that did not match their hashes, or missing.
const objectSchema = v.union([
  v.object({ ...fileSchema.entries, damaged: v.optional(v.literal(true)) }),
  v.object({ key: keySchema, missing: v.literal(true) }),
])
/** A line of the list of objects: one that was copied, or that was missing when the backup was made. */
export type ObjectLine = v.InferOutput<typeof objectSchema>

/** Name of the list of objects. */
export const objectsName = 'objects.jsonl'

/** Lists the ids of all backups that have a list of objects: also those whose removal was interrupted. */
export function listListedIds(objects: ObjectStore): Promise<string[]> {
  return listIdsWith(objects, objectsName)
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
