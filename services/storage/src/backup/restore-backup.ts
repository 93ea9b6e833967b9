import { join } from 'node:path'
import { CairnError, forEachOf } from '@cairn/protocol'
import { inspectDatabase, keepSecretFile, makeFolder, openSnapshot, readSecretFile } from '@cairn/service'
import {
  lines,
  type Opener,
  readDump,
  readStored,
  readWhole,
  type StoredFile,
  writeStored,
} from '@cairn/service/backup'
import { listOwners, type ObjectStore, writeOwner } from '@cairn/service/objects'
import type { StorageConfig } from '../config.ts'
import type { Clock } from '../context.ts'
import { migrations, openDatabase } from '../db/database.ts'
import { lockStore } from '../lock-store.ts'
import { openObjects } from '../objects/open-objects.ts'
import { claimPackFolder, comparePacks } from '../packs/packs.ts'
import { findSecret, secretFileName } from '../secrets/open-secret.ts'
import { inspectObject } from './copy-object.ts'
import type { OnProgress } from './create-backup.ts'
import { databaseInUse, loadRows, type RecordRestore } from './load-rows.ts'
import { type Manifest, manifests, readObjectLines } from './manifest.ts'
import { parseSecrets, type Secrets, toHex } from './secrets.ts'

/** Objects copied at a time. */
const copiesAtOnce = 4
const secondaryFileName = 'storage.secondary.key'

/** Dependencies of a restore. */
export type RestoreParts = {
  config: StorageConfig
  clock: Clock
  /** The opened source. */
  place: ObjectStore
  /** The newest backup when undefined. */
  id: string | undefined
  open: Opener
  isDryRun: boolean
  /** Restores what is left of a damaged backup. */
  allowsDamage: boolean
  signal: AbortSignal
  onProgress: OnProgress
  /** Adds the restore to the audit log of the new database, in the unit of work that loads its rows. */
  record(trx: Parameters<RecordRestore>[0], manifest: Manifest, restored: { missing: number }): Promise<void>
  /** Called for each object that is damaged or missing in the backup. */
  onLost(key: string, reason: 'damaged' | 'missing'): void
}

/** Result of a restore. `secondary` names the file with the second secret of a rotation. */
export type Restored = {
  manifest: Manifest
  rows: number
  copied: number
  lost: number
  secret: 'configured' | 'written'
  secondary: string | undefined
}

/**
 * Restores a backup into an empty home, with the settings of the new service: SQLite or PostgreSQL, a folder or S3. Objects come
 * first and the rows last, in one unit of work; until then no service starts on it, and the same command continues.
 *
 * @throws CairnError NOT_FOUND, BACKUP_KEY, BACKUP_DAMAGED, BACKUP_NEWER; CONFLICT when the home is not empty or in use;
 * INVALID_CONFIGURATION for another secret
 */
export async function restoreBackup(parts: RestoreParts): Promise<Restored> {
  const { config, place, open, signal } = parts
  const manifest = await manifests.find(place, parts.id)
  requireKnownSchema(`Backup ${manifest.id}`, manifest.database.migrations)
  const secretsFile = manifest.files.secrets
  // The key is tried before anything is written.
  const secrets = parseSecrets(await readWhole(open(readStored(place, secretsFile))), secretsFile.key)
  await requireSameSecrets(config, secrets)
  await requireNoRows(config)

  await using stack = new AsyncDisposableStack()
  if (parts.isDryRun) {
    const { lost } = await readListed(parts, manifest)
    return { manifest, rows: 0, copied: 0, lost: lost.length, secret: describeSecret(config), secondary: undefined }
  }
  makeFolder(config.home)
  if (config.database.kind === 'sqlite') stack.use(await lockStore(config))
  const objects = await openObjects(config, { isAlone: config.database.kind === 'sqlite' })
  stack.defer(() => objects.close())
  const { listed, lost } = await readListed(parts, manifest)
  await requireEmptyPacks(objects, manifest.database.id, new Set(listed.map(({ key }) => key)))
  signal.throwIfAborted()
  const secondary = await writeSecrets(config, secrets)
  await markPacks(objects, manifest.database.id, manifest.id)

  let copied = 0
  let bytes = 0
  let done = 0
  await forEachOf(listed, copiesAtOnce, async (file) => {
    signal.throwIfAborted()
    try {
      if (await restoreObject(readStored(place, file, signal), objects, file, signal)) copied++
      bytes += file.bytes
    } catch (error) {
      if (!(parts.allowsDamage && CairnError.is(error, 'BACKUP_DAMAGED'))) throw error
      parts.onLost(file.key, 'damaged')
      lost.push(file.key)
    }
    parts.onProgress({ phase: 'objects', done: ++done, of: listed.length, bytes })
  })
  const dump = manifest.files.database
  const rows = await loadRows({
    config,
    clock: parts.clock,
    known: manifest.database.migrations,
    openDump: () => readDump(open(readStored(place, dump, signal)), dump.key),
    isOlder: true,
    missing: lost,
    record: (trx, restored) => parts.record(trx, manifest, restored),
    onRows: (count) => parts.onProgress({ phase: 'database', done: count, of: manifest.database.rows }),
  })
  await requireStartable(config, objects)
  await objects.remove(markOf(manifest.database.id))
  return { manifest, rows, copied, lost: lost.length, secret: describeSecret(config), secondary }
}

/** Rejects rows of a newer version. @param what owner of the rows, to name in the error */
export function requireKnownSchema(what: string, applied: readonly string[]): void {
  const names = migrations.map(({ name }) => name)
  const strange = applied.find((name) => !names.includes(name))
  if (strange === undefined) return
  throw new CairnError('BACKUP_NEWER', {
    message: `${what} has migration ${strange}, which this version does not know`,
  })
}

/** The secrets of the new machine must be those of the backup: the rows are sealed with them. */
async function requireSameSecrets(config: StorageConfig, secrets: Secrets): Promise<void> {
  const own = await findSecret(config)
  if (own !== undefined && toHex(own) !== secrets.storageSecret) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: 'The secret of this machine differs from the one in the backup',
      hint: 'Leave CAIRN_STORAGE_SECRET empty and use a new CAIRN_HOME: the restore writes the secret of the backup to storage.key.',
    })
  }
  if (secrets.secondarySecret === undefined) return
  const second = await findSecondary(config)
  if (second === undefined || second === secrets.secondarySecret) return
  throw new CairnError('INVALID_CONFIGURATION', {
    message: 'The second secret of this machine differs from the one in the backup, which was made during a rotation',
    hint: `Leave CAIRN_STORAGE_SECRET_SECONDARY empty and use a new CAIRN_HOME: the restore writes the second secret of the backup to ${secondaryFileName}.`,
  })
}

/** Returns the second secret of the settings, or of the file that an interrupted restore wrote, in hex. */
async function findSecondary({ home, secondarySecret }: StorageConfig): Promise<string | undefined> {
  if (secondarySecret !== undefined) return toHex(secondarySecret)
  return (await readSecretFile(join(home, secondaryFileName)))?.toLowerCase()
}

const describeSecret = ({ secret }: StorageConfig): Restored['secret'] =>
  secret === undefined ? 'written' : 'configured'

/** Checks this before anything is written; the unit of work that loads the rows checks it again. */
export async function requireNoRows(config: StorageConfig): Promise<void> {
  if (!(await inspectDatabase(config.database)).exists) return
  await using snapshot = await openSnapshot(config.database)
  const tables = await snapshot.listTables()
  if (!tables.some(({ name }) => name === 'store')) return
  for await (const [row] of snapshot.readRows('select name from store')) {
    throw databaseInUse(String(row?.[0]))
  }
}

/** Reads the list of objects: those to restore, and those that were missing when the backup was made. */
async function readListed(
  { place, onLost }: RestoreParts,
  manifest: Manifest,
): Promise<{ listed: StoredFile[]; lost: string[] }> {
  const listed: StoredFile[] = []
  const lost: string[] = []
  for await (const line of readObjectLines(place, manifest)) {
    if ('missing' in line) {
      onLost(line.key, 'missing')
      lost.push(line.key)
    } else listed.push(line)
  }
  return { listed, lost }
}

/**
 * Ensures that no service uses the packs: either they are empty, or an interrupted restore of the same database, identified by
 * its mark, began to fill them.
 */
export async function requireEmptyPacks(
  objects: ObjectStore,
  database: string,
  listed: ReadonlySet<string>,
): Promise<void> {
  const own = [markOf(database), `owner/${database}`]
  const isResumed = (await objects.size(markOf(database))) !== undefined
  for await (const key of objects.list('')) {
    if (isResumed && (own.includes(key) || listed.has(key))) continue
    throw new CairnError('CONFLICT', {
      message: `The packs are not empty: ${key} exists`,
      hint: 'Restore into a new CAIRN_HOME, CAIRN_PACK_FOLDER or CAIRN_OBJECTS_URL. Nothing was changed.',
    })
  }
}

/** The object that exists during a restore. */
export const markOf = (database: string): string => `restore/${database}`

/** Marks the packs as being restored, and assigns them to the database. @param source content of the mark */
export async function markPacks(objects: ObjectStore, database: string, source: string): Promise<void> {
  const mark = markOf(database)
  if ((await objects.size(mark)) === undefined) await writeStored(objects, mark, lines([`${source}\n`]))
  await objects.confirm(mark)
  if ((await listOwners(objects)).length === 0) await writeOwner(objects, database)
}

async function writeSecrets(config: StorageConfig, secrets: Secrets): Promise<string | undefined> {
  if (config.secret === undefined)
    await keepSecretFile(config.home, secretFileName, Buffer.from(secrets.storageSecret, 'hex'))
  const { secondarySecret } = secrets
  if (secondarySecret === undefined || config.secondarySecret !== undefined) return undefined
  await keepSecretFile(config.home, secondaryFileName, Buffer.from(secondarySecret, 'hex'))
  return secondaryFileName
}

/**
 * Writes an object, which becomes visible once all of it was read. Returns false for one that an interrupted restore wrote.
 * @param pieces its bytes; they fail unless they match the sum
 */
export async function restoreObject(
  pieces: AsyncIterable<Uint8Array>,
  objects: ObjectStore,
  file: StoredFile,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const there = await inspectObject(objects, file.key, signal)
  if (there !== undefined) {
    if (there.sha256 !== file.sha256) {
      throw new CairnError('DATA_DAMAGED', {
        message: `${file.key} was restored before and has changed since`,
        hint: 'Check the disk, remove this object and run the command again.',
      })
    }
    await objects.confirm(file.key)
    return false
  }
  const writer = await objects.create(file.key)
  try {
    for await (const piece of pieces) await writer.append([piece])
    await writer.finish()
  } catch (error) {
    await writer.abort()
    throw error
  }
  await objects.confirm(file.key)
  return true
}

/** Runs the checks of a start, and migrates the rows to this version. */
export async function requireStartable(config: StorageConfig, objects: ObjectStore): Promise<void> {
  await using db = await openDatabase(config.database)
  await claimPackFolder({ db, objects })
  await comparePacks({ db, objects })
}
