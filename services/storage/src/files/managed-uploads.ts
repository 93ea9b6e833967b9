import type { FileEntry } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { findBucketUploads } from '../object-versions/object-versions.ts'

/** The API that manages an upload: deleting the upload deletes what that API lists. */
export type Manager = NonNullable<FileEntry['managedBy']>

/** Maximum number of bound values per query. */
const idsAtOnce = 500

/** Returns which uploads of an account another API manages. An account without buckets and pins costs two lookups. */
export async function findManagers(
  db: Kysely<Schema>,
  address: string,
  uploadIds: readonly string[],
): Promise<ReadonlyMap<string, Manager>> {
  const managers = new Map<string, Manager>()
  for (const id of await findPinned(db, address, uploadIds)) managers.set(id, 'pin')
  for (const id of await findBucketUploads(db, address, uploadIds)) managers.set(id, 's3')
  return managers
}

async function findPinned(db: Kysely<Schema>, address: string, uploadIds: readonly string[]): Promise<string[]> {
  const pin = await db.selectFrom('pin').select('id').where('address', '=', address).limit(1).execute()
  if (pin.length === 0) return []
  const found: string[] = []
  for (let at = 0; at < uploadIds.length; at += idsAtOnce) {
    const rows = await db
      .selectFrom('pin')
      .select('upload_id')
      .where('upload_id', 'in', uploadIds.slice(at, at + idsAtOnce))
      .execute()
    for (const { upload_id } of rows) if (upload_id !== null) found.push(upload_id)
  }
  return found
}
