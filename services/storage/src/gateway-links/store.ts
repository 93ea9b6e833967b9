import { CID } from 'multiformats/cid'
import type { Database } from '../db/database.ts'

/** Uploads of one root that are searched for the same codec. */
const maxSameRoot = 20

/** Returns an account's upload of a CID; a private one if there are several. */
export async function findLinkable(
  db: Database['read'],
  address: string,
  cid: CID,
): Promise<{ id: string; isPrivate: boolean } | undefined> {
  const rows = await db
    .selectFrom('upload')
    .select(['id', 'cid', 'is_private'])
    .where('root_multihash', '=', cid.multihash.bytes)
    .where('address', '=', address)
    .where('status', '!=', 'deleting')
    // The order of the index.
    .orderBy('is_private', 'desc')
    .orderBy('id', 'desc')
    .limit(maxSameRoot)
    .execute()
  const row = rows.find((one) => CID.parse(one.cid).toV1().equals(cid.toV1()))
  return row === undefined ? undefined : { id: row.id, isPrivate: row.is_private === 1 }
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
