import { type Kysely, type Selectable, sql } from 'kysely'
import type { S3DeleteMarkerTable, S3ObjectTable, Schema } from '../db/schema.ts'

export type ObjectRow = Selectable<S3ObjectTable>
export type MarkerRow = Selectable<S3DeleteMarkerTable>

/** An object of a bucket, with all its versions. */
type ObjectName = { bucket: string; key: string }

/** Maximum number of bound values per query. */
const idsAtOnce = 500

/**
 * Makes the newest remaining version of an object its latest one, unless it has a latest version or its newest version is a delete
 * marker. The bucket must be locked.
 */
export async function promoteNewest(trx: Kysely<Schema>, { bucket, key }: ObjectName): Promise<void> {
  const newest = (table: 's3_object' | 's3_delete_marker') =>
    trx
      .selectFrom(table)
      .select('version_id')
      .where('bucket', '=', bucket)
      .where('key', '=', key)
      .orderBy('version_id', 'desc')
      .limit(1)
      .executeTakeFirst()
  const object = await newest('s3_object')
  if (object === undefined) return
  const marker = await newest('s3_delete_marker')
  if (marker !== undefined && marker.version_id > object.version_id) return
  await trx
    .updateTable('s3_object')
    .set({ is_latest: 1 })
    .where('version_id', '=', object.version_id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('s3_object as other')
            .select('other.key')
            .where('other.bucket', '=', bucket)
            .where('other.key', '=', key)
            .where('other.is_latest', '=', 1),
        ),
      ),
    )
    .execute()
}

/**
 * Removes uploads that are versions of objects from their buckets, with a call that deletes the uploads. Objects that lose their
 * latest version continue with the previous one.
 */
export async function withdrawVersions(
  trx: Kysely<Schema>,
  uploadIds: readonly string[],
  deleteUploads: () => Promise<void>,
): Promise<void> {
  // In one order, so that two calls do not wait for each other.
  for (const bucket of await selectBuckets(trx, uploadIds)) await touchBucket(trx, bucket)
  // Read once the buckets are locked: until then, another unit may delete the latest version and promote one of these.
  const affected = await selectAffected(trx, uploadIds)
  await deleteUploads()
  for (const object of affected) await promoteNewest(trx, object)
}

/** Returns the names of the buckets that contain uploads, in order. */
async function selectBuckets(trx: Kysely<Schema>, uploadIds: readonly string[]): Promise<string[]> {
  const names = new Set<string>()
  for (const ids of slices(uploadIds)) {
    const rows = await trx.selectFrom('s3_object').select('bucket').distinct().where('version_id', 'in', ids).execute()
    for (const { bucket } of rows) names.add(bucket)
  }
  return [...names].sort()
}

/** Returns the objects with other versions whose latest version is one of the uploads. Their buckets must be locked. */
async function selectAffected(trx: Kysely<Schema>, uploadIds: readonly string[]): Promise<ObjectName[]> {
  const affected: ObjectName[] = []
  for (const ids of slices(uploadIds)) {
    const rows = await trx
      .selectFrom('s3_object')
      .select(['bucket', 'key'])
      .where('version_id', 'in', ids)
      .where('is_latest', '=', sql.lit(1))
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('s3_object as other')
            .select('other.key')
            .whereRef('other.bucket', '=', 's3_object.bucket')
            .whereRef('other.key', '=', 's3_object.key')
            .whereRef('other.version_id', '!=', 's3_object.version_id'),
        ),
      )
      .execute()
    affected.push(...rows)
  }
  return affected
}

function* slices(ids: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < ids.length; at += idsAtOnce) yield ids.slice(at, at + idsAtOnce)
}

/**
 * Returns which uploads of an account are versions of objects, or folders of published buckets. An account without a bucket costs
 * one lookup.
 */
export async function findBucketUploads(
  db: Kysely<Schema>,
  address: string,
  uploadIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const bucket = await db.selectFrom('s3_bucket').select('name').where('address', '=', address).limit(1).execute()
  if (bucket.length === 0) return found
  for (const ids of slices(uploadIds)) {
    const objects = await db.selectFrom('s3_object').select('version_id as id').where('version_id', 'in', ids).execute()
    for (const { id } of objects) found.add(id)
    for (const root of ['root_upload_id', 'previous_root_id'] as const) {
      const folders = await db.selectFrom('s3_bucket').select(`${root} as id`).where(root, 'in', ids).execute()
      for (const { id } of folders) if (id !== null) found.add(id)
    }
  }
  return found
}

/** Locks a bucket until the unit of work ends, and counts the change of its objects. */
async function touchBucket(trx: Kysely<Schema>, bucket: string): Promise<void> {
  await trx.updateTable('s3_bucket').set({ revision: sql`revision + 1` }).where('name', '=', bucket).execute()
}
