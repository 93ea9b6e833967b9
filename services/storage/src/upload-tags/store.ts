import { CairnError, maxTagsPerAccount } from '@cairn/protocol'
import { ConflictError } from '@cairn/service'
import type { Context } from '../context.ts'
import { findOwnUploads } from '../files/files.ts'
import { lockAccount } from '../ledger/ledger.ts'
import { lockUploads } from '../uploads/uploads.ts'

/**
 * Gives a tag to the newest upload of a CID; a tag that exists moves to it.
 * @throws CairnError NOT_FOUND (the account has no such upload), FORBIDDEN (too many tags)
 */
export async function putTag(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  address: string,
  tag: string,
  cid: string,
): Promise<void> {
  const now = clock.now()
  await db.write(async (trx) => {
    const [upload] = await findOwnUploads(trx, address, cid)
    if (upload === undefined) throw new CairnError('NOT_FOUND')
    // Before the account, as deletions and replacements of uploads do. Otherwise the two wait for each other.
    await lockUploads(trx, db.kind, [upload.id])
    await lockAccount(trx, address)
    const [locked] = await findOwnUploads(trx, address, cid)
    if (locked?.id !== upload.id)
      throw new ConflictError('The upload was deleted, or another one stored, in the meantime')
    await trx
      .insertInto('upload_tag')
      .values({ address, tag, upload_id: upload.id, created_at: now })
      .onConflict((conflict) =>
        conflict.columns(['address', 'tag']).doUpdateSet({ upload_id: upload.id, created_at: now }),
      )
      .execute()
    const { count } = await trx
      .selectFrom('upload_tag')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('address', '=', address)
      .executeTakeFirstOrThrow()
    if (Number(count) > maxTagsPerAccount) {
      throw new CairnError('FORBIDDEN', {
        message: `This account has reached its limit of ${maxTagsPerAccount} tags`,
        hint: 'Use a tag that exists, or delete uploads with tags.',
      })
    }
  })
}

/** Returns the CID of the upload with a tag of an account; undefined if there is none. */
export async function findTagged(
  { db }: Pick<Context, 'db'>,
  address: string,
  tag: string,
): Promise<string | undefined> {
  const row = await db.read
    .selectFrom('upload_tag')
    .innerJoin('upload', 'upload.id', 'upload_tag.upload_id')
    .select('upload.cid')
    .where('upload_tag.address', '=', address)
    .where('upload_tag.tag', '=', tag)
    .executeTakeFirst()
  return row?.cid
}
