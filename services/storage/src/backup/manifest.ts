import { CairnError } from '@cairn/protocol'
import * as v from 'valibot'
import type { ObjectStore } from '../objects/objects.ts'
import { splitLines } from './split-lines.ts'
import { damaged, readPieces, readStored, readWhole, writeStored } from './stored-files.ts'

const format = 'cairn-backup'
const version = 1
/** Longest manifest that is read, in bytes. */
const maxManifestBytes = 1_048_576

const whole = v.pipe(v.number(), v.integer(), v.minValue(0))
const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const key = v.pipe(v.string(), v.maxLength(300), v.regex(/^[a-z0-9][a-z0-9-]*(\/[a-z0-9][a-z0-9.-]*)+$/))
const file = v.object({ key, bytes: whole, sha256 })

const manifestSchema = v.object({
  format: v.literal(format),
  version: v.literal(version),
  id: v.pipe(v.string(), v.regex(/^\d{8}-\d{9}-[0-9a-f]{6}$/)),
  createdAt: v.pipe(v.string(), v.isoTimestamp()),
  network: v.string(),
  database: v.object({
    id: v.string(),
    kind: v.picklist(['sqlite', 'postgres']),
    /** Migrations of its tables, in order: the version of the schema. */
    migrations: v.array(v.string()),
    rows: whole,
  }),
  /** `count` objects of `bytes` in total belong to the backup; `copied` of them were written by it. */
  objects: v.object({ count: whole, bytes: whole, copied: whole, missing: whole, damaged: whole }),
  files: v.object({ database: file, secrets: file, objects: file }),
})

/** A backup. It is whole once its manifest exists. */
export type Manifest = v.InferOutput<typeof manifestSchema>

// An object that the database names: copied, possibly with blocks that did not match their hashes, or missing.
const objectSchema = v.union([
  v.object({ ...file.entries, damaged: v.optional(v.literal(true)) }),
  v.object({ key, missing: v.literal(true) }),
])
/** A line of the list of objects: one that was copied, or that was missing when the backup was made. */
export type ObjectLine = v.InferOutput<typeof objectSchema>

const folder = 'backups/'
/** Name of the list of objects. */
export const objectsName = 'objects.jsonl'

/** Returns the key of a file of a backup. */
export function backupKey(id: string, name: string): string {
  return `${folder}${id}/${name}`
}
const manifestKey = (id: string): string => backupKey(id, 'manifest.json')

/** Writes the manifest, which completes the backup. It appears as a whole. */
export async function writeManifest(
  objects: ObjectStore,
  manifest: Omit<Manifest, 'format' | 'version'>,
): Promise<void> {
  const text = `${JSON.stringify({ format, version, ...manifest }, undefined, 2)}\n`
  await writeStored(objects, manifestKey(manifest.id), lines([text]))
}

/** Lists the ids of all backups that have a manifest, oldest first. */
export function listBackupIds(objects: ObjectStore): Promise<string[]> {
  return listIds(objects, 'manifest.json')
}

/** Lists the ids of all backups that have a list of objects: also those whose removal was interrupted. */
export function listListedIds(objects: ObjectStore): Promise<string[]> {
  return listIds(objects, objectsName)
}

async function listIds(objects: ObjectStore, name: string): Promise<string[]> {
  const ids: string[] = []
  for await (const each of objects.list(folder)) {
    const [, id = '', last] = each.split('/')
    if (last === name) ids.push(id)
  }
  return ids.toSorted()
}

/** @throws CairnError BACKUP_NEWER, BACKUP_DAMAGED */
export async function readManifest(objects: ObjectStore, id: string): Promise<Manifest> {
  const name = manifestKey(id)
  const bytes = (await objects.size(name)) ?? 0
  if (bytes > maxManifestBytes) throw damaged(name, `has ${bytes} bytes`)
  const parsed = parseJson((await readWhole(readPieces(objects, name, bytes))).toString(), name)
  const head = v.safeParse(v.object({ format: v.literal(format), version: v.number() }), parsed)
  if (head.success && head.output.version > version) {
    throw new CairnError('BACKUP_NEWER', {
      message: `Backup ${id} has format ${head.output.version}, this version reads ${version}`,
    })
  }
  const result = v.safeParse(manifestSchema, parsed)
  if (!result.success || result.output.id !== id) throw damaged(name, 'cannot be parsed')
  return result.output
}

/**
 * Reads one backup: the named one, or the newest.
 * @throws CairnError NOT_FOUND, BACKUP_NEWER, BACKUP_DAMAGED
 */
export async function findBackup(objects: ObjectStore, id: string | undefined): Promise<Manifest> {
  const ids = await listBackupIds(objects)
  const found = id === undefined ? ids.at(-1) : ids.find((each) => each === id)
  if (found !== undefined) return readManifest(objects, found)
  throw new CairnError('NOT_FOUND', {
    message: id === undefined ? 'There is no finished backup' : `There is no finished backup ${id}`,
    hint: 'Run `cairn-admin backup list` for the list of backups.',
  })
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

/** Encodes texts. */
export async function* lines(texts: Iterable<string>): AsyncGenerator<Uint8Array> {
  for (const each of texts) yield Buffer.from(each)
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw damaged(name, 'cannot be parsed', error)
  }
}
