import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { compareBytes } from '../../content/compare-bytes.ts'
import type { Schema } from '../../db/schema.ts'
import type { MarkerRow, ObjectRow } from '../store.ts'
import { successorOf } from './key-order.ts'

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
