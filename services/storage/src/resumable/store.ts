import { CairnError, uploadWriterLifetimeMs } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import { giveBack } from '../accounts/quota.ts'
import type { Context } from '../context.ts'
import type { Database } from '../db/database.ts'
import type { ResumableUploadTable, Schema } from '../db/schema.ts'
import { doomObjects } from '../objects/doomed-objects.ts'

/** A row of an upload in parts. */
export type ResumableUpload = ResumableUploadTable
/** Bytes that are durable: an object and where it begins in the upload. */
export type UploadPart = { offset_bytes: number; size_bytes: number; object_key: string }

/**
 * A writer that was silent for so long records no part any more. It was suspended between making the part durable and
 * recording it, and another replica may soon take it for gone and remove the part.
 */
export const lateWriterMs = 30 * 60_000

/** What of a unit failed because somebody else took the upload. */
export const uploadTaken = (): CairnError =>
  new CairnError('UPLOAD_BUSY', { message: 'Another request took this upload over', retryAfterSeconds: 1 })

/** An upload of an account; undefined for one that is another's, or over for too long. */
export function findUpload(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  id: string,
  address: string,
): Promise<ResumableUpload | undefined> {
  return db.read
    .selectFrom('resumable_upload')
    .selectAll()
    .where('id', '=', id)
    .where('address', '=', address)
    .where('expires_at', '>', clock.now())
    .executeTakeFirst()
}

/** All parts, in order. */
export function listParts(db: Kysely<Schema>, id: string): Promise<UploadPart[]> {
  return db
    .selectFrom('resumable_part')
    .select(['offset_bytes', 'size_bytes', 'object_key'])
    .where('upload_id', '=', id)
    .orderBy('offset_bytes')
    .execute()
}

/** How many parts an upload has. */
export async function countParts(db: Kysely<Schema>, id: string): Promise<number> {
  const { parts } = await db
    .selectFrom('resumable_part')
    .select(({ fn }) => fn.countAll<number>().as('parts'))
    .where('upload_id', '=', id)
    .executeTakeFirstOrThrow()
  return Number(parts)
}

/** Takes the right to work on an upload in a state, where nobody else has it. */
export async function takeUpload(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  id: string,
  state: 'receiving' | 'received',
  writer: string,
): Promise<ResumableUpload | undefined> {
  const now = clock.now()
  return db.write((trx) =>
    trx
      .updateTable('resumable_upload')
      .set({ writer, writer_until: now + uploadWriterLifetimeMs })
      .where('id', '=', id)
      .where('state', '=', state)
      .where('expires_at', '>', now)
      .where(({ eb, or }) => or([eb('writer', 'is', null), eb('writer_until', '<=', now)]))
      .returningAll()
      .executeTakeFirst(),
  )
}

/** Says that the writer still works; false where another took over. */
export async function keepUpload({ db, clock }: Pick<Context, 'db' | 'clock'>, id: string, writer: string) {
  const { numUpdatedRows } = await db.write((trx) =>
    trx
      .updateTable('resumable_upload')
      .set({ writer_until: clock.now() + uploadWriterLifetimeMs })
      .where('id', '=', id)
      .where('writer', '=', writer)
      .executeTakeFirstOrThrow(),
  )
  return numUpdatedRows > 0n
}

/** Gives the right back. */
export async function leaveUpload({ db }: Pick<Context, 'db'>, id: string, writer: string): Promise<void> {
  await db.write((trx) =>
    trx
      .updateTable('resumable_upload')
      .set({ writer: null, writer_until: null })
      .where('id', '=', id)
      .where('writer', '=', writer)
      .execute(),
  )
}

/** Records a part that is durable and moves the offset behind it. @throws CairnError UPLOAD_BUSY where another took over */
export async function addPart(
  context: Context,
  { id, length_bytes: lengthBytes }: Pick<ResumableUpload, 'id' | 'length_bytes'>,
  writer: string,
  part: UploadPart,
): Promise<void> {
  const { db, clock, config } = context
  const offset = part.offset_bytes + part.size_bytes
  await db.write(async (trx) => {
    const now = clock.now()
    const { numUpdatedRows } = await trx
      .updateTable('resumable_upload')
      .set({
        offset_bytes: offset,
        state: offset === lengthBytes ? 'received' : 'receiving',
        writer_until: now + uploadWriterLifetimeMs,
        expires_at: now + config.uploadLifeMs,
      })
      .where('id', '=', id)
      .where('writer', '=', writer)
      .where('offset_bytes', '=', part.offset_bytes)
      .where('state', '=', 'receiving')
      .where('writer_until', '>', now - lateWriterMs)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) throw uploadTaken()
    await trx
      .insertInto('resumable_part')
      .values({ upload_id: id, ...part })
      .execute()
  })
}

/** Ends an upload inside the caller's unit of work and drops its parts. @throws CairnError UPLOAD_BUSY */
export async function endUpload(
  trx: Kysely<Schema>,
  id: string,
  writer: string,
  now: number,
  end: Pick<ResumableUpload, 'state' | 'result' | 'error' | 'expires_at'>,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('resumable_upload')
    .set({ ...end, writer: null, writer_until: null })
    .where('id', '=', id)
    .where('writer', '=', writer)
    .where('state', '=', 'received')
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw uploadTaken()
  await dropParts(trx, id, now)
}

/** Drops the parts of an upload and notes their objects for removal. Returns the keys. */
async function dropParts(trx: Kysely<Schema>, id: string, now: number): Promise<string[]> {
  const parts = await trx.deleteFrom('resumable_part').where('upload_id', '=', id).returning('object_key').execute()
  const keys = parts.map(({ object_key }) => object_key)
  await doomObjects(trx, keys, now)
  return keys
}

/**
 * Drops an upload with its parts and the storage it reserved, in whichever state it is, and notes the objects of the parts for
 * removal. Returns their keys.
 * @param which `expired` skips an upload that has not expired
 */
export async function dropUpload(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  id: string,
  which: 'any' | 'expired' = 'any',
): Promise<string[]> {
  const now = clock.now()
  return db.write(async (trx) => {
    const row = await trx.selectFrom('resumable_upload').select('expires_at').where('id', '=', id).executeTakeFirst()
    if (row === undefined || (which === 'expired' && row.expires_at > now)) return []
    // The room first: whoever stores the upload takes its rows in the same order.
    await giveBack(trx, id)
    // From here on nobody adds a part.
    await trx.updateTable('resumable_upload').set({ writer: null }).where('id', '=', id).execute()
    const keys = await dropParts(trx, id, now)
    await trx.deleteFrom('resumable_upload').where('id', '=', id).execute()
    return keys
  })
}

/** Takes the right to write from a process that is gone. Only where no other process can be alive: a SQLite database belongs to one. */
export async function endAllWriters(db: Database): Promise<void> {
  await db.write((trx) =>
    trx
      .updateTable('resumable_upload')
      .set({ writer: null, writer_until: null })
      .where('writer', 'is not', null)
      .execute(),
  )
}
