import { prepareStatement, type StatementParams } from '@cairn/service'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { MarkerRow, ObjectRow } from '../object-versions/object-versions.ts'
import { s3Error } from './s3-error.ts'
import type { Target } from './s3-request.ts'

export type { MarkerRow, ObjectRow } from '../object-versions/object-versions.ts'
export type BucketRow = Selectable<Schema['s3_bucket']>

const bucketByName = prepareStatement((db: Kysely<Schema>, param: StatementParams<{ name: string }>) =>
  db.selectFrom('s3_bucket').selectAll().where('name', '=', param('name')),
)

export async function selectBucket(db: Kysely<Schema>, name: string): Promise<BucketRow | undefined> {
  const [row] = await bucketByName(db, { name })
  return row
}

const countChange = prepareStatement((trx: Kysely<Schema>, param: StatementParams<{ address: string; name: string }>) =>
  trx
    .updateTable('s3_bucket')
    .set({ revision: sql`revision + 1` })
    .where('name', '=', param('name'))
    .where('address', '=', param('address'))
    .returningAll(),
)

/**
 * Locks a bucket of an account until the unit of work ends, so that its writers commit in order, and counts a change of its objects.
 * Returns undefined if the account has no such bucket: another account may have created one with the same name since the request
 * was authorized.
 */
export async function lockBucket(trx: Kysely<Schema>, address: string, name: string): Promise<BucketRow | undefined> {
  const [row] = await countChange(trx, { address, name })
  return row
}

/**
 * Changes settings of a bucket of an account, and locks it until the unit of work ends, as {@link lockBucket} does. Its objects
 * stay the same, so their changes are not counted.
 * @throws CairnError `NoSuchBucket`
 */
export async function updateBucket(
  trx: Kysely<Schema>,
  { address, name }: { address: string; name: string },
  change: Partial<
    Pick<
      BucketRow,
      | 'cors'
      | 'lifecycle'
      | 'lifecycle_applied_at'
      | 'no_ownership_controls'
      | 'no_public_access_block'
      | 'tags'
      | 'versioning'
    >
  >,
): Promise<void> {
  const row = await trx
    .updateTable('s3_bucket')
    .set(({ ref }) => ({ revision: ref('revision'), ...change }))
    .where('name', '=', name)
    .where('address', '=', address)
    .returning('name')
    .executeTakeFirst()
  if (row === undefined) throw s3Error('NoSuchBucket', undefined, { BucketName: name })
}

/** The version id of responses and requests for the version that was written without versioning. */
export const nullVersionId = 'null'

/** Returns the version id of responses. */
export function versionIdOf({ is_null, version_id }: Pick<ObjectRow, 'is_null' | 'version_id'>): string {
  return is_null === 1 ? nullVersionId : version_id
}

const latestObject = prepareStatement((db: Kysely<Schema>, param: StatementParams<Target>) =>
  db
    .selectFrom('s3_object')
    .selectAll()
    .where('bucket', '=', param('bucket'))
    .where('key', '=', param('key'))
    // A parameter here would make SQLite compile the statement for each object: its value decides whether the index fits.
    .where('is_latest', '=', sql.lit(1)),
)

/** Returns a version of an object. Defaults to the latest. */
export async function selectObject(
  db: Kysely<Schema>,
  bucket: string,
  key: string,
  versionId?: string,
): Promise<ObjectRow | undefined> {
  if (versionId === undefined) return (await latestObject(db, { bucket, key }))[0]
  const rows = db.selectFrom('s3_object').selectAll().where('bucket', '=', bucket).where('key', '=', key)
  const version =
    versionId === nullVersionId ? rows.where('is_null', '=', sql.lit(1)) : rows.where('version_id', '=', versionId)
  return version.executeTakeFirst()
}

/** Returns a delete marker of an object. Defaults to the newest. */
export function selectMarker(
  db: Kysely<Schema>,
  bucket: string,
  key: string,
  versionId?: string,
): Promise<MarkerRow | undefined> {
  const rows = db.selectFrom('s3_delete_marker').selectAll().where('bucket', '=', bucket).where('key', '=', key)
  if (versionId === undefined) return rows.orderBy('version_id', 'desc').limit(1).executeTakeFirst()
  const version =
    versionId === nullVersionId ? rows.where('is_null', '=', sql.lit(1)) : rows.where('version_id', '=', versionId)
  return version.executeTakeFirst()
}

/** Returns the ids of versions of an object, oldest first and the latest last. */
export async function selectVersionIds(
  db: Kysely<Schema>,
  { bucket, key, limit }: { bucket: string; key: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('s3_object')
    .select('version_id')
    .where('bucket', '=', bucket)
    .where('key', '=', key)
    .orderBy('is_latest')
    .orderBy('version_id')
    .limit(limit)
    .execute()
  return rows.map(({ version_id }) => version_id)
}

const insertObject = prepareStatement((trx: Kysely<Schema>, param: StatementParams<ObjectRow>) =>
  trx.insertInto('s3_object').values({
    bucket: param('bucket'),
    key: param('key'),
    version_id: param('version_id'),
    is_latest: param('is_latest'),
    is_null: param('is_null'),
    cid: param('cid'),
    size_bytes: param('size_bytes'),
    etag: param('etag'),
    headers: param('headers'),
    metadata: param('metadata'),
    checksum: param('checksum'),
    part_sizes: param('part_sizes'),
    tags: param('tags'),
    created_at: param('created_at'),
  }),
)

/**
 * Makes a version the latest of its key. The bucket must be locked.
 * @param isFirst whether the key has no other version
 */
export async function insertLatest(trx: Kysely<Schema>, row: ObjectRow, isFirst: boolean): Promise<void> {
  if (!isFirst) await clearLatest(trx, row)
  await insertObject(trx, row)
}

/** Makes a delete marker the newest version of its key. The bucket must be locked. */
export async function insertMarker(trx: Kysely<Schema>, row: MarkerRow): Promise<void> {
  await clearLatest(trx, row)
  await trx.insertInto('s3_delete_marker').values(row).execute()
}

export async function deleteMarker(trx: Kysely<Schema>, { bucket, key, version_id }: MarkerRow): Promise<void> {
  await trx
    .deleteFrom('s3_delete_marker')
    .where('bucket', '=', bucket)
    .where('key', '=', key)
    .where('version_id', '=', version_id)
    .execute()
}

async function clearLatest(trx: Kysely<Schema>, { bucket, key }: Target): Promise<void> {
  await trx
    .updateTable('s3_object')
    .set({ is_latest: 0 })
    .where('bucket', '=', bucket)
    .where('key', '=', key)
    .where('is_latest', '=', 1)
    .execute()
}

/** Keeps the version that was written without versioning under its own id. */
export async function clearNull(trx: Kysely<Schema>, { bucket, key }: Target): Promise<void> {
  await trx
    .updateTable('s3_object')
    .set({ is_null: 0 })
    .where('bucket', '=', bucket)
    .where('key', '=', key)
    .where('is_null', '=', sql.lit(1))
    .execute()
}
