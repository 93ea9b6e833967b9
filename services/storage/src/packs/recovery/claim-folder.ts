import { CairnError } from '@cairn/protocol'
import { listOwners, type ObjectStore, ownerPrefix, writeOwner } from '@cairn/service/objects'
import type { Database } from '../../db/database.ts'
import { readStoreName } from '../../db/read-store-name.ts'

/** Number of the database's newest packs that are checked in a folder of an earlier version, which names no owner. */
const comparedRows = 20

const page = 'docs/operate/recover.md'

/**
 * Ensures that database and pack folder belong together, before anything else is written. The folder carries the id
 * of the database from the first start on. A folder of an earlier version carries none, and is claimed when it holds
 * packs of the database.
 *
 * @throws CairnError RECOVERY_NEEDED for a folder of another database, a fresh database with existing packs, and an
 * empty folder with existing rows
 */
export async function claimPackFolder(parts: { db: Database; objects: ObjectStore }): Promise<void> {
  const { objects } = parts
  const name = await readStoreName(parts.db.read)
  const isOwn = (owners: readonly string[]) => owners.length === 1 && owners[0] === name
  const owners = await listOwners(objects)
  if (isOwn(owners)) return
  if (owners.length > 0) throw belongsToAnother(name, owners)
  const isFresh = await isEmpty(objects)
  const rows = await readNewest(parts.db)
  if (isFresh && rows.length > 0) throw holdsNothing()
  if (isFresh || (await holdsAny(objects, rows))) return writeOwner(objects, name)
  // Another replica may have claimed the folder and written its first pack in between.
  if (!isOwn(await listOwners(objects))) throw holdsStrangers()
}

/**
 * Assigns a pack folder to this database, regardless of its previous owner. Its packs stay.
 * @throws CairnError CONFLICT while another service writes into the folder
 */
export async function takeOverPackFolder({ db, objects }: { db: Database; objects: ObjectStore }): Promise<void> {
  const others = await objects.listOthers()
  if (others.length > 0) {
    throw new CairnError('CONFLICT', {
      message: `${others.length} other services write to this pack folder`,
      hint: 'Stop them, wait three minutes and try again.',
    })
  }
  const name = await readStoreName(db.read)
  const owners = await listOwners(objects)
  // Neither database accepts a folder with two owners, so an interrupted take-over can be repeated.
  if (!owners.includes(name)) await writeOwner(objects, name)
  for (const owner of owners) if (owner !== name) await objects.remove(ownerPrefix + owner)
}

async function isEmpty(objects: ObjectStore): Promise<boolean> {
  for await (const _key of objects.list('packs/')) return false
  return true
}

async function readNewest({ read }: Database): Promise<string[]> {
  const rows = await read
    .selectFrom('pack')
    .select('object_key')
    .where('state', '=', 'live')
    .where('merged_id', 'is', null)
    .orderBy('id', 'desc')
    .limit(comparedRows)
    .execute()
  return rows.map(({ object_key }) => object_key)
}

async function holdsAny(objects: ObjectStore, keys: readonly string[]): Promise<boolean> {
  for (const key of keys) if ((await objects.size(key)) !== undefined) return true
  return false
}

function belongsToAnother(name: string, owners: readonly string[]): CairnError {
  return new CairnError('RECOVERY_NEEDED', {
    message: `The pack folder belongs to database ${owners.join(' and ')}, not to this database ${name}`,
    hint: `Check CAIRN_DATABASE_URL, CAIRN_HOME, CAIRN_PACK_FOLDER and CAIRN_OBJECTS_URL. To assign the folder to this database, run \`npm run storage:recover -- --take-over\` (${page}). Nothing was changed.`,
    details: { database: name, owners },
  })
}

function holdsNothing(): CairnError {
  return new CairnError('RECOVERY_NEEDED', {
    message: 'The database lists packs, but the pack folder is empty',
    hint: `Check CAIRN_PACK_FOLDER and that its disk is mounted, or CAIRN_OBJECTS_URL. If the packs are lost, run \`npm run storage:recover -- --take-over\` (${page}). Nothing was changed.`,
  })
}

function holdsStrangers(): CairnError {
  return new CairnError('RECOVERY_NEEDED', {
    message: 'The pack folder contains packs, but the database lists none of them',
    hint: `Check CAIRN_DATABASE_URL and CAIRN_HOME, or restore the database. If it is lost, run \`npm run storage:recover -- --take-over\` (${page}). Nothing was changed.`,
  })
}
