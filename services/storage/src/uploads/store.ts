import type { Kysely } from 'kysely'
import type { Schema, UploadTable } from '../db/schema.ts'

/** A row to be written. */
export type NewUpload = Omit<UploadTable, 'tx_hash'>

/** Rows in one statement: their parameters stay far below what either database takes. */
const rowsAtOnce = 200

/** Writes the rows of an upload and counts them to their account, inside the caller's unit of work. */
export async function insertUploads(trx: Kysely<Schema>, address: string, rows: Iterable<NewUpload>): Promise<void> {
  let count = 0
  let some: NewUpload[] = []
  const insert = async (): Promise<void> => {
    if (some.length > 0) await trx.insertInto('upload').values(some).execute()
    some = []
  }
  for (const row of rows) {
    count++
    some.push(row)
    if (some.length === rowsAtOnce) await insert()
  }
  await insert()
  await trx
    .updateTable('account')
    .set(({ eb }) => ({ upload_count: eb('upload_count', '+', count) }))
    .where('address', '=', address)
    .execute()
}

/** Whether a row was written. */
export async function hasUpload(db: Kysely<Schema>, id: string): Promise<boolean> {
  const row = await db.selectFrom('upload').select('id').where('id', '=', id).executeTakeFirst()
  return row !== undefined
}
