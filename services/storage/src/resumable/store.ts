import { CairnError, uploadWriterLifetimeMs } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Caller } from '../caller.ts'
import type { StorageConfig } from '../config.ts'
import type { Context } from '../context.ts'
import type { Database } from '../db/database.ts'
import type { ResumableUploadTable, Schema } from '../db/schema.ts'
import { releaseReservation } from '../ledger/ledger.ts'
import { doomObjects } from '../objects/doomed-objects.ts'

/** A row of an upload in parts. */
export type ResumableUpload = ResumableUploadTable
/** Durable bytes: an object, and its offset in the upload. */
export type UploadPart = { offset_bytes: number; size_bytes: number; object_key: string }

/**
 * A writer that was silent for this long may not record parts. It was suspended after it made the part durable, and
 * another replica may treat it as gone and remove the part.
 */
export const lateWriterMs = 30 * 60_000

/** Maximum number of listed uploads of an account: the open ones and the newest finished ones. */
const maxListed = 1000

/** Longest life of an upload through a link that receives no bytes. */
const maxLinkUploadLifeMs = 86_400_000

/** The error of a unit of work whose upload was taken over by another writer. */
export const uploadTaken = (): CairnError =>
  new CairnError('UPLOAD_BUSY', { message: 'Another request took over this upload', retryAfterSeconds: 1 })

/** Whose upload it is: an account's own, or one through an upload link of it. They do not see each other's. */
export type Uploader = Pick<Caller, 'address' | 'uploadLink'>

/** Returns an upload of an uploader; undefined when it belongs to another or ended too long ago. */
export function findUpload(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  id: string,
  { address, uploadLink }: Uploader,
): Promise<ResumableUpload | undefined> {
  return db.read
    .selectFrom('resumable_upload')
    .selectAll()
    .where('id', '=', id)
    .where('address', '=', address)
    .where('upload_link_id', 'is not distinct from', uploadLink ?? null)
    .where('expires_at', '>', clock.now())
    .executeTakeFirst()
}

/** Returns the uploads of an account that have not expired, newest first. */
export function listUploads({ db, clock }: Pick<Context, 'db' | 'clock'>, address: string): Promise<ResumableUpload[]> {
  return db.read
    .selectFrom('resumable_upload')
    .selectAll()
    .where('address', '=', address)
    .where('upload_link_id', 'is', null)
    .where('expires_at', '>', clock.now())
    .orderBy('id', 'desc')
    .limit(maxListed)
    .execute()
}

/** Returns how long an upload without new bytes is kept. The space of one through a link returns to the account sooner. */
export function uploadLifeMs(
  { uploadLifeMs: lifeMs }: Pick<StorageConfig, 'uploadLifeMs'>,
  uploadLink: string | null,
): number {
  return uploadLink === null ? lifeMs : Math.min(lifeMs, maxLinkUploadLifeMs)
}

/** Returns all parts, in order. */
export function listParts(db: Kysely<Schema>, id: string): Promise<UploadPart[]> {
  return db
    .selectFrom('resumable_part')
    .select(['offset_bytes', 'size_bytes', 'object_key'])
    .where('upload_id', '=', id)
    .orderBy('offset_bytes')
    .execute()
}

/** Counts the parts of an upload. */
export async function countParts(db: Kysely<Schema>, id: string): Promise<number> {
  const { parts } = await db
    .selectFrom('resumable_part')
    .select(({ fn }) => fn.countAll<number>().as('parts'))
    .where('upload_id', '=', id)
    .executeTakeFirstOrThrow()
  return Number(parts)
}

/** Acquires an upload in a state, if no other writer holds it. */
export async function acquireUpload(
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

/** Extends the hold on an upload; returns false when another writer took over. */
export async function renewUpload({ db, clock }: Pick<Context, 'db' | 'clock'>, id: string, writer: string) {
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

/** Releases an upload. */
export async function releaseUpload({ db }: Pick<Context, 'db'>, id: string, writer: string): Promise<void> {
  await db.write((trx) =>
    trx
      .updateTable('resumable_upload')
      .set({ writer: null, writer_until: null })
      .where('id', '=', id)
      .where('writer', '=', writer)
      .execute(),
  )
}

/** Records a durable part and advances the offset. @throws CairnError UPLOAD_BUSY when another writer took over */
export async function addPart(
  context: Context,
  { id, length_bytes: lengthBytes, upload_link_id }: Pick<ResumableUpload, 'id' | 'length_bytes' | 'upload_link_id'>,
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
        expires_at: now + uploadLifeMs(config, upload_link_id),
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

/** Ends an upload in the caller's unit of work and drops its parts. @throws CairnError UPLOAD_BUSY */
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
 * Drops an upload with its parts and the quota it reserved, in any state, and notes the objects of the parts for
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
    // The quota first: storing the upload locks its rows in the same order.
    await releaseReservation(trx, id)
    // From here on no writer adds a part.
    await trx.updateTable('resumable_upload').set({ writer: null }).where('id', '=', id).execute()
    const keys = await dropParts(trx, id, now)
    await trx.deleteFrom('resumable_upload').where('id', '=', id).execute()
    return keys
  })
}

/**
 * Releases the uploads of a process that is gone. Only when no other process can be alive: a SQLite database belongs
 * to one.
 */
export async function endAllWriters(db: Database): Promise<void> {
  await db.write((trx) =>
    trx
      .updateTable('resumable_upload')
      .set({ writer: null, writer_until: null })
      .where('writer', 'is not', null)
      .execute(),
  )
}
