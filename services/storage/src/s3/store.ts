import { type Kysely, type Selectable, sql } from 'kysely'
import type { S3ObjectTable, Schema } from '../db/schema.ts'
import { successorOf } from './key-order.ts'

export type BucketRow = Selectable<Schema['s3_bucket']>
export type ObjectRow = Selectable<S3ObjectTable>

export function selectBucket(db: Kysely<Schema>, name: string): Promise<BucketRow | undefined> {
  return db.selectFrom('s3_bucket').selectAll().where('name', '=', name).executeTakeFirst()
}

/**
 * Locks a bucket of an account until the unit of work ends, so that its writers commit in order. Returns false if the account
 * has no such bucket: another account may have created one with the same name since the request was authorized.
 */
export async function lockBucket(trx: Kysely<Schema>, address: string, name: string): Promise<boolean> {
  const row = await trx
    .updateTable('s3_bucket')
    .set({ created_at: sql`created_at` })
    .where('name', '=', name)
    .where('address', '=', address)
    .returning('name')
    .executeTakeFirst()
  return row !== undefined
}

/** Returns a version of an object. Defaults to the latest. */
export function selectObject(
  db: Kysely<Schema>,
  bucket: string,
  key: string,
  versionId?: string,
): Promise<ObjectRow | undefined> {
  const rows = db.selectFrom('s3_object').selectAll().where('bucket', '=', bucket).where('key', '=', key)
  return (
    versionId === undefined ? rows.where('is_latest', '=', 1) : rows.where('version_id', '=', versionId)
  ).executeTakeFirst()
}

/** Returns the ids of all versions of an object. */
export async function selectVersionIds(db: Kysely<Schema>, bucket: string, key: string): Promise<string[]> {
  const rows = await db
    .selectFrom('s3_object')
    .select('version_id')
    .where('bucket', '=', bucket)
    .where('key', '=', key)
    .execute()
  return rows.map(({ version_id }) => version_id)
}

/** Makes a version the latest of its key. The bucket must be locked. */
export async function insertLatest(trx: Kysely<Schema>, row: ObjectRow): Promise<void> {
  await trx
    .updateTable('s3_object')
    .set({ is_latest: 0 })
    .where('bucket', '=', row.bucket)
    .where('key', '=', row.key)
    .where('is_latest', '=', 1)
    .execute()
  await trx.insertInto('s3_object').values(row).execute()
}

/** Lists versions with a key prefix after a position, ordered by key, newest first. */
export function selectVersions(
  db: Kysely<Schema>,
  bucket: string,
  prefix: string,
  { key, versionId }: { key: string; versionId: string },
  limit: number,
): Promise<ObjectRow[]> {
  let rows = db
    .selectFrom('s3_object')
    .selectAll()
    .where('bucket', '=', bucket)
    .where('key', '>=', prefix)
    .where(({ eb, or, and }) =>
      versionId === ''
        ? eb('key', '>', key)
        : or([eb('key', '>', key), and([eb('key', '=', key), eb('version_id', '<', versionId)])]),
    )
  const end = successorOf(prefix)
  if (end !== undefined) rows = rows.where('key', '<', end)
  return rows.orderBy('key').orderBy('version_id', 'desc').limit(limit).execute()
}
