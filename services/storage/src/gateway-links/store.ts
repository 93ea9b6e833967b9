import { CID } from 'multiformats/cid'
import type { Database } from '../db/database.ts'

/** Uploads of one root that are searched for the same codec. */
const maxSameRoot = 20

/** Returns the id of an account's upload of a CID; a private one if there are several. */
export async function findLinkable(db: Database['read'], address: string, cid: CID): Promise<string | undefined> {
  const rows = await db
    .selectFrom('upload')
    .select(['id', 'cid'])
    .where('root_multihash', '=', cid.multihash.bytes)
    .where('address', '=', address)
    .where('status', '!=', 'deleting')
    .orderBy('is_private', 'desc')
    .orderBy('id', 'desc')
    .limit(maxSameRoot)
    .execute()
  return rows.find((row) => CID.parse(row.cid).toV1().equals(cid.toV1()))?.id
}

/** Returns whether an upload with this id and root is private; undefined if there is none, or its account is blocked. */
export async function findLinked(
  db: Database['read'],
  id: string,
  rootMultihash: Uint8Array,
): Promise<{ isPrivate: boolean } | undefined> {
  const row = await db
    .selectFrom('upload')
    .innerJoin('account', 'account.address', 'upload.address')
    .select('upload.is_private')
    .where('upload.id', '=', id)
    .where('upload.root_multihash', '=', rootMultihash)
    .where('upload.status', '!=', 'deleting')
    .where('account.blocked_at', 'is', null)
    .executeTakeFirst()
  return row === undefined ? undefined : { isPrivate: row.is_private === 1 }
}
