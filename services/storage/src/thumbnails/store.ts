import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { findOwnUploads } from '../files/files.ts'

/**
 * Stores a thumbnail with the newest upload of a CID.
 * @throws CairnError NOT_FOUND (the account has no such upload), INVALID_REQUEST (larger than the upload)
 */
export async function putThumbnail(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  address: string,
  cid: string,
  data: Uint8Array,
): Promise<void> {
  const now = clock.now()
  await db.write(async (trx) => {
    const [upload] = await findOwnUploads(trx, address, cid)
    if (upload === undefined) throw new CairnError('NOT_FOUND')
    if (data.length > upload.size_bytes) {
      const message = 'A thumbnail must not be larger than its upload'
      throw new CairnError('INVALID_REQUEST', { message, details: { issues: [{ field: 'data', message }] } })
    }
    await trx
      .insertInto('thumbnail')
      .values({ upload_id: upload.id, data, created_at: now })
      .onConflict((conflict) => conflict.column('upload_id').doUpdateSet({ data, created_at: now }))
      .execute()
  })
}

/** Returns the newest thumbnail of each CID, among the account's newest uploads of it. */
export async function findThumbnails(
  { db }: Pick<Context, 'db'>,
  address: string,
  cids: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  for (const cid of cids) {
    const uploads = await findOwnUploads(db.read, address, cid)
    if (uploads.length === 0) continue
    const newest = await db.read
      .selectFrom('thumbnail')
      .select('data')
      .where(
        'upload_id',
        'in',
        uploads.map(({ id }) => id),
      )
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (newest !== undefined) found.set(cid, newest.data)
  }
  return found
}
