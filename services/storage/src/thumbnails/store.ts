import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'

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
    const upload = await trx
      .selectFrom('upload')
      .select(['id', 'size_bytes'])
      .where('address', '=', address)
      .where('cid', '=', cid)
      .where('status', '!=', 'deleting')
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst()
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

/** Returns the newest thumbnail of each CID that the account has one of. */
export async function findThumbnails(
  { db }: Pick<Context, 'db'>,
  address: string,
  cids: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const rows = await db.read
    .selectFrom('upload')
    .innerJoin('thumbnail', 'thumbnail.upload_id', 'upload.id')
    .select(['upload.cid', 'thumbnail.data'])
    .where('upload.address', '=', address)
    .where('upload.cid', 'in', cids)
    .orderBy('thumbnail.created_at')
    .execute()
  return new Map(rows.map(({ cid, data }) => [cid, data]))
}
