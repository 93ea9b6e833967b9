import { forEachOf } from '@cairn/protocol'
import { openSnapshot } from '@cairn/service'
import {
  backupKey,
  claimPlace,
  createBackupId,
  damaged,
  dumpRows,
  lines,
  listBackupIds,
  removeAbandoned,
  removeUnfinished,
  requireOwnPlace,
  type Sealer,
  type Sum,
  untilAborted,
  writeStored,
} from '@cairn/service/backup'
import type { ObjectStore } from '@cairn/service/objects'
import type { StorageConfig } from '../config.ts'
import type { Clock } from '../context.ts'
import type { Database } from '../db/database.ts'
import { readStoreName } from '../db/read-store-name.ts'
import { searchColumns } from '../db/upload-columns.ts'
import { openObjects } from '../objects/open-objects.ts'
import { holdRemovals } from '../workers/removal-hold.ts'
import { copyObject, inspectObject } from './copy-object.ts'
import { type Manifest, manifests, type ObjectLine, objectsName, readObjectLines } from './manifest.ts'
import { listNamedObjects, type NamedObject } from './named-objects.ts'
import { encodeSecrets, type Secrets } from './secrets.ts'

/** Objects copied at a time. */
const copiesAtOnce = 4

/** Called as a backup advances. */
export type OnProgress = (progress: {
  phase: 'database' | 'objects'
  done: number
  of?: number
  bytes?: number
}) => void

/** Dependencies of a backup. */
export type BackupParts = {
  config: StorageConfig
  db: Database
  clock: Clock
  /** The opened destination. */
  place: ObjectStore
  seal: Sealer
  secrets: Secrets
  signal: AbortSignal
  onProgress: OnProgress
  /** Called for each object whose copy is damaged although the stored one is whole again. */
  onStale(key: string): void
}

/**
 * Writes a backup, whether or not the service runs. The snapshot of the database comes first, then every object that it
 * names and that the destination does not have yet; removals are postponed meanwhile. The manifest comes last. What an
 * interrupted backup copied is used by the next one.
 *
 * @throws CairnError BACKUP_OF_ANOTHER, CONFLICT (suspended for too long), as the stores
 */
export async function createBackup(parts: BackupParts): Promise<Manifest> {
  const { config, db, clock, place } = parts
  const id = createBackupId(clock.now())
  const database = await readStoreName(db.read)
  await claimPlace(place, database)
  await removeAbandoned(place)
  await using hold = await holdRemovals({ db, clock }, id)
  const signal = AbortSignal.any([parts.signal, hold.signal])
  const written: string[] = []
  const write = async (name: string, chunks: AsyncIterable<Uint8Array>) => {
    const file = await writeStored(place, backupKey(id, name), untilAborted(chunks, signal))
    written.push(file.key)
    return file
  }
  try {
    const dump = await writeDump(parts, write)
    const secretsFile = await write('secrets.age', await parts.seal(encodeSecrets(parts.secrets)))
    const source = await openObjects(config, { isAlone: false })
    let copied: Awaited<ReturnType<typeof copyAll>>
    try {
      copied = await copyAll({ ...parts, source, signal }, dump.named)
    } finally {
      await source.close()
    }
    const list = await write(objectsName, lines(encodeLines(copied.lines)))
    signal.throwIfAborted()
    await hold.renew()
    const manifest = {
      id,
      createdAt: new Date(clock.now()).toISOString(),
      network: config.networkName,
      database: { id: database, kind: config.database.kind, migrations: dump.migrations, rows: dump.rows },
      objects: countObjects(copied.lines, copied.copied),
      files: { database: dump.file, secrets: secretsFile, objects: list },
    }
    await manifests.write(place, manifest)
    for (const key of [...written, backupKey(id, 'manifest.json')]) await place.confirm(key)
    return await manifests.read(place, id)
  } catch (error) {
    await removeUnfinished(place, id, written).catch(() => undefined)
    throw signal.aborted ? signal.reason : error
  }
}

/** Shows what a backup would do. Writes nothing. */
export async function planBackup({
  config,
  place,
  db,
}: Pick<BackupParts, 'config' | 'db'> & { place: ObjectStore | undefined }): Promise<{
  objects: number
  copied: number
}> {
  const database = await readStoreName(db.read)
  if (place !== undefined) await requireOwnPlace(place, database)
  await using snapshot = await openSnapshot(config.database)
  const named = await listNamedObjects(snapshot)
  const present = place === undefined ? new Set() : await listPresent(place)
  return { objects: named.length, copied: named.filter(({ key }) => !present.has(key)).length }
}

/** Writes the rows of a snapshot, and lists the objects that they name. The snapshot is closed before objects are copied. */
async function writeDump(
  { config, seal, onProgress }: BackupParts,
  write: (name: string, chunks: AsyncIterable<Uint8Array>) => Promise<Manifest['files']['database']>,
) {
  await using snapshot = await openSnapshot(config.database)
  const named = await listNamedObjects(snapshot)
  const migrations: string[] = []
  for await (const batch of snapshot.readRows('select name from migration order by name'))
    for (const [name] of batch) migrations.push(String(name))
  let rows = 0
  const onRows = (count: number) => {
    rows = count
    onProgress({ phase: 'database', done: count })
  }
  const plain = dumpRows(snapshot, onRows, { omittedColumns: searchColumns })
  const file = await write('database.age', await seal(plain))
  return { file, named, migrations, rows }
}

type CopyAllParts = Pick<BackupParts, 'place' | 'onProgress' | 'onStale'> & { source: ObjectStore; signal: AbortSignal }

/** Copies the objects that the destination lacks. */
async function copyAll({ place, source, signal, onProgress, onStale }: CopyAllParts, named: readonly NamedObject[]) {
  const present = await listPresent(place)
  const known = await readKnownSums(place)
  const found = new Map<string, ObjectLine>()
  let copied = 0
  let bytes = 0
  await forEachOf(named, copiesAtOnce, async ({ key, bytes: expected }) => {
    signal.throwIfAborted()
    const sum = known.get(key)
    if (sum !== undefined && present.has(key)) {
      found.set(key, { key, ...sum })
      // The disk could not read it at that time, or it was replaced. An object is never overwritten, so the copy stays.
      if (sum.damaged === true && (await inspectObject(source, key, signal))?.isSound === true) onStale(key)
    } else {
      const isPresent = present.has(key)
      const read = isPresent
        ? await compare({ place, source, signal }, key)
        : await copyObject({ from: source, to: place, signal }, key)
      if (read === undefined) {
        found.set(key, { key, missing: true })
      } else {
        if (!isPresent) copied++
        bytes += read.bytes
        const isSound = read.isSound && (expected === undefined || expected === read.bytes)
        found.set(key, { key, bytes: read.bytes, sha256: read.sha256, ...(isSound ? {} : { damaged: true }) })
      }
    }
    onProgress({ phase: 'objects', done: found.size, of: named.length, bytes })
  })
  return { copied, lines: named.flatMap(({ key }) => found.get(key) ?? []) }
}

async function listPresent(place: ObjectStore): Promise<Set<string>> {
  const keys = new Set<string>()
  for await (const key of place.list('')) if (!key.startsWith('backups/')) keys.add(key)
  return keys
}

/** Sums of the objects of the newest backup, which lists most of those that are present. */
async function readKnownSums(place: ObjectStore): Promise<Map<string, Sum & { damaged?: true | undefined }>> {
  const known = new Map<string, Sum & { damaged?: true | undefined }>()
  const id = (await listBackupIds(place)).at(-1)
  if (id === undefined) return known
  for await (const line of readObjectLines(place, await manifests.read(place, id))) {
    if ('missing' in line) continue
    const { key, ...sum } = line
    known.set(key, sum)
  }
  return known
}

const moveAway = 'Move it out of the destination and run the backup again'

/** An interrupted backup copied it, or an older one lists it: both copies are read and compared. */
async function compare({ place, source, signal }: Omit<CopyAllParts, 'onProgress' | 'onStale'>, key: string) {
  const [mine, theirs] = [await inspectObject(place, key, signal), await inspectObject(source, key, signal)]
  if (mine === undefined) throw damaged(key, `cannot be read. ${moveAway}`)
  if (theirs?.isSound !== true || mine.sha256 === theirs.sha256) return mine
  throw damaged(key, `differs from the stored object. ${moveAway}`)
}

function* encodeLines(found: readonly ObjectLine[]): Generator<string> {
  for (const line of found) yield `${JSON.stringify(line)}\n`
}

function countObjects(found: readonly ObjectLine[], copied: number): Manifest['objects'] {
  const counts = { count: 0, bytes: 0, copied, missing: 0, damaged: 0 }
  for (const line of found) {
    if ('missing' in line) {
      counts.missing++
      continue
    }
    counts.count++
    counts.bytes += line.bytes
    if (line.damaged === true) counts.damaged++
  }
  return counts
}
