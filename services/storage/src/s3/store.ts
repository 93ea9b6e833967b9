import { prepareStatement, type StatementParams } from '@cairn/service'
import { type Kysely, type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { compareBytes } from '../compare-bytes.ts'
import type { Schema } from '../db/schema.ts'
import type { MarkerRow, ObjectRow } from '../object-versions/object-versions.ts'
import { successorOf } from './listings/key-order.ts'
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
  change: Partial<Pick<BucketRow, 'cors' | 'lifecycle' | 'lifecycle_applied_at' | 'tags' | 'versioning'>>,
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

/** A version with content, or a delete marker, which may be the newest version of its key. */
export type VersionRow = { kind: 'object'; row: ObjectRow } | { kind: 'marker'; row: MarkerRow; isLatest: boolean }

/** Where a listing of versions starts: after a version, after all versions of a key without an id, or with a key. */
export type VersionCursor = { key: string; versionId: string } | { from: string }

/** Lists versions and delete markers with a key prefix after a position, ordered by key, newest first. */
export async function selectVersions(
  db: Kysely<Schema>,
  bucket: string,
  prefix: string,
  cursor: VersionCursor,
  limit: number,
): Promise<VersionRow[]> {
  const range = { bucket, prefix, cursor, limit }
  const objects = selectRange(
    db
      .selectFrom('s3_object')
      .select(['bucket', 'key', 'version_id', 'is_null', 'created_at', 'is_latest', 'cid', 'size_bytes'])
      .select(['etag', 'headers', 'metadata', 'checksum', 'part_sizes', 'tags', kindOf('object')]),
    range,
  )
  const markers = selectRange(
    db
      .selectFrom('s3_delete_marker')
      .select(['bucket', 'key', 'version_id', 'is_null', 'created_at', isLatestMarker.as('is_latest')])
      .select([noText.as('cid'), sql<number>`0`.as('size_bytes'), noText.as('etag'), noText.as('headers')])
      .select([noText.as('metadata'), noText.as('checksum'), noText.as('part_sizes'), noText.as('tags')])
      .select(kindOf('marker')),
    range,
  )
  // One statement, so that no version is missing that is replaced by a marker between two of them.
  const rows = await db
    .selectFrom(objects.as('object'))
    .selectAll()
    .unionAll(db.selectFrom(markers.as('marker')).selectAll())
    .execute()
  return rows.map(toVersion).toSorted(byKeyNewestFirst).slice(0, limit)
}

type FoundVersion = ObjectRow & { kind: VersionRow['kind'] }

const kindOf = (kind: VersionRow['kind']) => sql<VersionRow['kind']>`${sql.lit(kind)}`.as('kind')

/** Replaces a column that delete markers do not have. */
const noText = sql<string>`''`

/** 1 for the delete marker that is the newest version of its key. */
const isLatestMarker = sql<0 | 1>`case when
  exists (select 1 from s3_delete_marker as newer where newer.bucket = s3_delete_marker.bucket
    and newer.key = s3_delete_marker.key and newer.version_id > s3_delete_marker.version_id)
  or exists (select 1 from s3_object where s3_object.bucket = s3_delete_marker.bucket
    and s3_object.key = s3_delete_marker.key and s3_object.is_latest = 1)
  then 0 else 1 end`

function toVersion({ kind, ...row }: FoundVersion): VersionRow {
  if (kind === 'object') return { kind, row }
  const { bucket, key, version_id, is_null, created_at, is_latest } = row
  return { kind, row: { bucket, key, version_id, is_null, created_at }, isLatest: is_latest === 1 }
}

function byKeyNewestFirst({ row: a }: VersionRow, { row: b }: VersionRow): number {
  return compareBytes(a.key, b.key) || (a.version_id < b.version_id ? 1 : -1)
}

type Range = { bucket: string; prefix: string; cursor: VersionCursor; limit: number }

function selectRange<Table extends 's3_object' | 's3_delete_marker', Row>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  { bucket, prefix, cursor, limit }: Range,
): SelectQueryBuilder<Schema, Table, Row> {
  let rows = query.where(sql.ref('bucket'), '=', bucket).where(sql.ref('key'), '>=', prefix).where(isBehind(cursor))
  const end = successorOf(prefix)
  if (end !== undefined) rows = rows.where(sql.ref('key'), '<', end)
  return rows.orderBy(sql.ref('key')).orderBy(sql.ref('version_id'), 'desc').limit(limit)
}

function isBehind(cursor: VersionCursor): RawBuilder<boolean> {
  if ('from' in cursor) return sql`key >= ${cursor.from}`
  const { key, versionId } = cursor
  return versionId === '' ? sql`key > ${key}` : sql`(key > ${key} or (key = ${key} and version_id < ${versionId}))`
}

/** Returns whether a delete marker is the newest version of its key. */
export async function isLatestVersion(db: Kysely<Schema>, { bucket, key, version_id }: MarkerRow): Promise<boolean> {
  const row = await db
    .selectFrom('s3_delete_marker')
    .select(isLatestMarker.as('is_latest'))
    .where('bucket', '=', bucket)
    .where('key', '=', key)
    .where('version_id', '=', version_id)
    .executeTakeFirst()
  return row?.is_latest === 1
}
