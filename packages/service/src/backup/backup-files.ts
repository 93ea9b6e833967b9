import { randomBytes } from 'node:crypto'
import { CairnError } from '@cairn/protocol'
import * as v from 'valibot'
import type { ObjectStore } from '../objects/objects.ts'
import { damaged, readPieces, readWhole, writeStored } from './stored-files.ts'

// A backup is a folder below `backups/` of its destination. Its manifest is written last: a backup without one does not exist.

/** Longest manifest that is read, in bytes. */
const maxManifestBytes = 1_048_576
const folder = 'backups/'
const manifestName = 'manifest.json'

/** Schemas of the parts that all manifests have. */
export const wholeSchema = v.pipe(v.number(), v.integer(), v.minValue(0))
export const keySchema = v.pipe(v.string(), v.maxLength(300), v.regex(/^[a-z0-9][a-z0-9-]*(\/[a-z0-9][a-z0-9.-]*)+$/))
export const fileSchema = v.object({
  key: keySchema,
  bytes: wholeSchema,
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
})
const backupIdSchema = v.pipe(v.string(), v.regex(/^\d{8}-\d{9}-[0-9a-f]{6}$/))

/** The first fields of every manifest. */
export const manifestHead = {
  id: backupIdSchema,
  createdAt: v.pipe(v.string(), v.isoTimestamp()),
  network: v.string(),
}
/** The fields about the database in every manifest. */
export const databaseEntries = {
  kind: v.picklist(['sqlite', 'postgres']),
  /** Migrations of its tables, in order: the version of the schema. */
  migrations: v.array(v.string()),
  rows: wholeSchema,
}

/** The format of a kind of backup. */
export type BackupFormat<Manifest extends { id: string }> = {
  readonly name: string
  readonly version: number
  readonly schema: v.GenericSchema<unknown, Manifest>
}

/** Returns the key of a file of a backup. */
export function backupKey(id: string, name: string): string {
  return `${folder}${id}/${name}`
}
const manifestKey = (id: string): string => backupKey(id, manifestName)

/** Ids sort by time. */
export function createBackupId(now: number): string {
  const [day = '', time = ''] = new Date(now)
    .toISOString()
    .replaceAll(/[-:.Z]/g, '')
    .split('T')
  return `${day}-${time}-${randomBytes(3).toString('hex')}`
}

/** Lists the ids of all backups that have a manifest, oldest first. */
export function listBackupIds(objects: ObjectStore): Promise<string[]> {
  return listIdsWith(objects, manifestName)
}

/** Lists the ids of all backups that have a file of this name, oldest first. */
export async function listIdsWith(objects: ObjectStore, name: string): Promise<string[]> {
  const ids: string[] = []
  for await (const each of objects.list(folder)) {
    const [, id = '', last] = each.split('/')
    if (last === name) ids.push(id)
  }
  return ids.toSorted()
}

/** The manifests of one kind of backup. */
export type Manifests<Manifest extends { id: string }> = {
  /** Writes the manifest, which completes the backup. It appears as a whole. */
  write(objects: ObjectStore, manifest: Omit<Manifest, 'format' | 'version'> & { id: string }): Promise<void>
  /** @throws CairnError BACKUP_NEWER, BACKUP_DAMAGED */
  read(objects: ObjectStore, id: string): Promise<Manifest>
  /**
   * Reads one backup: the named one, or the newest.
   * @throws CairnError NOT_FOUND, BACKUP_NEWER, BACKUP_DAMAGED
   */
  find(objects: ObjectStore, id: string | undefined): Promise<Manifest>
}

/** Creates the functions that write and read manifests of a format. */
export function manifestsOf<Manifest extends { id: string }>(format: BackupFormat<Manifest>): Manifests<Manifest> {
  const read = (objects: ObjectStore, id: string): Promise<Manifest> => readManifest(objects, format, id)
  return {
    write: async (objects, manifest) => {
      const text = `${JSON.stringify({ format: format.name, version: format.version, ...manifest }, undefined, 2)}\n`
      await writeStored(objects, manifestKey(manifest.id), lines([text]))
    },
    read,
    find: async (objects, id) => read(objects, await findBackupId(objects, id)),
  }
}

async function readManifest<Manifest extends { id: string }>(
  objects: ObjectStore,
  { name: format, version, schema }: BackupFormat<Manifest>,
  id: string,
): Promise<Manifest> {
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
  const result = v.safeParse(schema, parsed)
  if (!result.success || result.output.id !== id) throw damaged(name, 'cannot be parsed')
  return result.output
}

/** Returns the id of one backup: the named one, or the newest. @throws CairnError NOT_FOUND */
async function findBackupId(objects: ObjectStore, id: string | undefined): Promise<string> {
  const ids = await listBackupIds(objects)
  const found = id === undefined ? ids.at(-1) : ids.find((each) => each === id)
  if (found !== undefined) return found
  throw new CairnError('NOT_FOUND', {
    message: id === undefined ? 'There is no finished backup' : `There is no finished backup ${id}`,
    hint: 'Run the command `backup list` for the list of backups.',
  })
}

/** Removes the files of a backup that failed. If this fails too, the next backup removes them. */
export async function removeUnfinished(place: ObjectStore, id: string, written: readonly string[]): Promise<void> {
  // A manifest that exists in spite of an error makes the backup whole.
  if ((await place.size(manifestKey(id))) !== undefined) return
  for (const key of written) await place.remove(key)
}

/**
 * Removes the files of backups whose process ended before the manifest was written: the store has notes of them. A copied
 * object is kept, and the next backup compares it.
 */
export async function removeAbandoned(place: ObjectStore): Promise<void> {
  const whole = new Set(await listBackupIds(place))
  for await (const { key, settle } of place.listAbandoned('')) {
    const [first, id = ''] = key.split('/')
    if (first === 'backups' && !whole.has(id)) await place.remove(key)
    await settle()
  }
  await place.sweep()
}

/** Passes chunks on until the signal aborts. */
export async function* untilAborted(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    signal.throwIfAborted()
    yield chunk
  }
}

/** Encodes texts. */
export async function* lines(texts: Iterable<string>): AsyncGenerator<Uint8Array> {
  for (const each of texts) yield Buffer.from(each)
}

/** Parses JSON of a file of a backup. @throws CairnError BACKUP_DAMAGED */
export function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw damaged(name, 'cannot be parsed', error)
  }
}
