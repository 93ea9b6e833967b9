import type { Kysely } from 'kysely'
import type { Schema, UploadTable } from '../db/schema.ts'
import { yieldToOthers } from '../resources/yield-to-others.ts'

/** Rows per statement: their parameters stay far below the limit of either database. */
const rowsAtOnce = 200

type AnnouncedUpload = Pick<UploadTable, 'id' | 'cid' | 'root_multihash'>

/** Marks uploads to be announced, in the unit of work that records them. */
export async function announceUploads(
  trx: Kysely<Schema>,
  uploads: Iterable<AnnouncedUpload>,
  now: number,
): Promise<void> {
  let some: AnnouncedUpload[] = []
  for (const upload of uploads) {
    some.push(upload)
    if (some.length < rowsAtOnce) continue
    await announceSome(trx, some, now)
    some = []
    // On SQLite, statements make no pause of their own.
    await yieldToOthers()
  }
  if (some.length > 0) await announceSome(trx, some, now)
}

async function announceSome(trx: Kysely<Schema>, some: readonly AnnouncedUpload[], now: number): Promise<void> {
  await trx
    .insertInto('announced_upload')
    .values(some.map(({ id, root_multihash }) => ({ upload_id: id, root_multihash })))
    .execute()
  // One row per root: a statement must not change a row twice. In one order: otherwise units that announce the same roots wait for
  // each other.
  const byRoot = new Map(some.map((row) => [Buffer.from(row.root_multihash).toString('latin1'), row]))
  const roots = [...byRoot].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  await trx
    .insertInto('announcement')
    .values(roots.map(({ cid, root_multihash }) => ({ root_multihash, cid, is_listed: 0, due_at: now })))
    .onConflict((conflict) => conflict.column('root_multihash').doUpdateSet({ due_at: now }))
    .execute()
  await trx
    .insertInto('handed_root')
    .values(
      roots.map(({ cid, root_multihash }) => ({
        root_multihash,
        cid,
        is_handed: 0,
        due_at: now,
        tries: 0,
        error: null,
      })),
    )
    .onConflict((conflict) => conflict.column('root_multihash').doUpdateSet({ due_at: now, tries: 0 }))
    .execute()
}

/**
 * Returns the mark of a withdrawal that is due at a time: it is due before everything that waits to be announced, which may be all
 * content of the service, and at another time than any before. Marks below that of the present are due later.
 */
export const withdrawalDueAt = (time: number): number => -time

/** Has the worker check the content of uploads that are about to be deleted, in the same unit of work. */
export async function withdrawUploads(trx: Kysely<Schema>, ids: readonly string[], now: number): Promise<void> {
  if (ids.length === 0) return
  const roots = trx.selectFrom('announced_upload').select('root_multihash').where('upload_id', 'in', ids)
  for (const table of ['announcement', 'handed_root'] as const) {
    await trx
      .updateTable(table)
      .set({ due_at: withdrawalDueAt(now) })
      .where('root_multihash', 'in', roots)
      .execute()
  }
}
