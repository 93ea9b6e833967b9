import { CairnError, uploadWriterLifetimeMs } from '@cairn/protocol'
import { type Kysely, sql } from 'kysely'
import type { Caller } from '../caller.ts'
import type { StorageConfig } from '../config.ts'
import type { Context } from '../context.ts'
import type { Database } from '../db/database.ts'
import { hasLapsed, isUnheld } from '../db/has-lapsed.ts'
import { endedWithLink, isInProgress } from '../db/is-in-progress.ts'
import type { ResumableUploadTable, Schema } from '../db/schema.ts'
import { releaseReservation } from '../ledger/ledger.ts'
import { doomObjects } from '../objects/doomed-objects.ts'
import { lockHeld, type ReleasedPack, releaseHeld } from '../packs/packs.ts'

/** An upload in parts, with the offset and the state that its client sees. */
export type ResumableUpload = ResumableUploadTable & {
  /** Whether its bytes become content as they arrive. Otherwise they are stored as objects until the last one has arrived. */
  isImporting: boolean
}
/** Objects of parts, and packs, that an upload no longer needs. */
export type Dropped = { keys: string[]; packs: ReleasedPack[] }

/** Durable bytes: an object, and its offset in the upload. */
export type UploadPart = { offset_bytes: number; size_bytes: number; object_key: string }

/**
 * A writer that was silent for this long may not record parts. It was suspended after it made the part durable, and
 * another replica may treat it as gone and remove the part.
 */
export const lateWriterMs = 30 * 60_000

/** Maximum number of listed uploads of an account: the open ones and the newest finished ones. */
const maxListed = 1000

/** Maximum lifetime of an upload through a link that receives no bytes. */
const maxLinkUploadLifeMs = 86_400_000

/** The error of a unit of work whose upload was taken over by another writer. */
export const uploadTaken = (): CairnError =>
  new CairnError('UPLOAD_BUSY', { message: 'Another request took over this upload', retryAfterSeconds: 1 })

/** Whose upload it is: an account's own, or one through an upload link of it. They do not see each other's. */
export type Uploader = Pick<Caller, 'address' | 'uploadLink'>

/** Whether all bytes of an upload became content as they arrived. For statements about `resumable_upload`. */
const isImported = sql<boolean>`exists (select 1 from resumable_import as progress
  where progress.upload_id = resumable_upload.id and progress.offset_bytes = resumable_upload.length_bytes)`

/** Selects rows for {@link toUpload}. */
export function selectUploads(db: Kysely<Schema>) {
  return db
    .selectFrom('resumable_upload')
    .leftJoin('resumable_import as progress', 'progress.upload_id', 'resumable_upload.id')
    .selectAll('resumable_upload')
    .select('progress.offset_bytes as imported_bytes')
}

/**
 * Returns what the client sees of a row. The bytes that became content count, unless a replica of an earlier version,
 * which does not know them, received more from the beginning.
 */
export function toUpload({
  imported_bytes: imported,
  ...row
}: ResumableUploadTable & { imported_bytes: number | null }): ResumableUpload {
  if (imported === null || row.state !== 'receiving' || row.offset_bytes > imported) {
    return { ...row, isImporting: false }
  }
  const state = imported === row.length_bytes ? 'received' : 'receiving'
  return { ...row, offset_bytes: imported, state, isImporting: true }
}

/** Returns an upload of an uploader; undefined when it belongs to another or was removed. */
export async function findUpload(
  { db }: Pick<Context, 'db'>,
  id: string,
  { address, uploadLink }: Uploader,
): Promise<ResumableUpload | undefined> {
  const row = await selectUploads(db.read)
    .where('id', '=', id)
    .where('address', '=', address)
    .where('upload_link_id', 'is not distinct from', uploadLink ?? null)
    .where('expires_at', '>', endedWithLink)
    .executeTakeFirst()
  return row && toUpload(row)
}

/** Returns the uploads of an account, newest first. */
export async function listUploads({ db }: Pick<Context, 'db'>, address: string): Promise<ResumableUpload[]> {
  const rows = await selectUploads(db.read)
    .where('address', '=', address)
    .where('upload_link_id', 'is', null)
    .orderBy('id', 'desc')
    .limit(maxListed)
    .execute()
  return rows.map(toUpload)
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
  return db.write(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('resumable_upload')
      .set({ writer, writer_until: now + uploadWriterLifetimeMs })
      .where('id', '=', id)
      .where(({ eb, and, or, not }) =>
        state === 'receiving'
          ? and([eb('state', '=', 'receiving'), not(isImported)])
          : or([eb('state', '=', 'received'), and([eb('state', '=', 'receiving'), isImported])]),
      )
      .where('expires_at', '>', endedWithLink)
      .where(isUnheld('writer', now, uploadWriterLifetimeMs))
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return undefined
    return toUpload(await selectUploads(trx).where('id', '=', id).executeTakeFirstOrThrow())
  })
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

/** How long an upload that just received bytes is kept, and its writer may be silent. */
export function renewalOf(
  { config }: Pick<Context, 'config'>,
  { upload_link_id: uploadLink }: Pick<ResumableUpload, 'upload_link_id'>,
  now: number,
): Pick<ResumableUpload, 'writer_until' | 'expires_at'> {
  return { writer_until: now + uploadWriterLifetimeMs, expires_at: now + uploadLifeMs(config, uploadLink) }
}

/** Records a durable part and advances the offset. @throws CairnError UPLOAD_BUSY when another writer took over */
export async function addPart(
  context: Context,
  upload: Pick<ResumableUpload, 'id' | 'length_bytes' | 'upload_link_id'>,
  writer: string,
  part: UploadPart,
): Promise<void> {
  const { db, clock } = context
  const { id, length_bytes: lengthBytes } = upload
  const offset = part.offset_bytes + part.size_bytes
  await db.write(async (trx) => {
    const now = clock.now()
    const { numUpdatedRows } = await trx
      .updateTable('resumable_upload')
      .set({
        offset_bytes: offset,
        state: offset === lengthBytes ? 'received' : 'receiving',
        ...renewalOf(context, upload, now),
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

/**
 * Ends an upload in the caller's unit of work, after its packs were recorded for the content that it became, and drops
 * what it leaves.
 * @throws CairnError UPLOAD_BUSY
 */
export async function endUpload(
  { trx, kind }: { trx: Kysely<Schema>; kind: Database['kind'] },
  { id, offset_bytes }: Pick<ResumableUpload, 'id' | 'offset_bytes'>,
  writer: string,
  now: number,
  end: Pick<ResumableUpload, 'state' | 'result' | 'error' | 'expires_at'>,
): Promise<Dropped> {
  const { numUpdatedRows } = await trx
    .updateTable('resumable_upload')
    .set({ ...end, offset_bytes, writer: null, writer_until: null })
    .where('id', '=', id)
    .where('writer', '=', writer)
    .where(isInProgress)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw uploadTaken()
  return dropBytes(trx, kind, id, now)
}

/** Drops the bytes of an upload, and notes their objects and packs for removal. */
async function dropBytes(trx: Kysely<Schema>, kind: Database['kind'], id: string, now: number): Promise<Dropped> {
  const parts = await trx.deleteFrom('resumable_part').where('upload_id', '=', id).returning('object_key').execute()
  const keys = parts.map(({ object_key }) => object_key)
  await doomObjects(trx, keys, now)
  await trx.deleteFrom('resumable_import').where('upload_id', '=', id).execute()
  return { keys, packs: await releaseHeld(trx, kind, id, now) }
}

/**
 * Drops an upload with its bytes and the quota it reserved, in any state, and notes their objects and packs for removal.
 * @param expiredBy skips an upload that expires later than this time, in ms since 1970, or has a writer
 */
export async function dropUpload(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  id: string,
  expiredBy?: number,
): Promise<Dropped> {
  const now = clock.now()
  return db
    .write(async (trx) => {
      // Packs, then the quota: storing the upload locks its rows in the same order, and deletions lock packs and account so.
      await lockHeld(trx, db.kind, id)
      await releaseReservation(trx, id)
      // From here on no writer adds a part.
      const taken = await trx
        .updateTable('resumable_upload')
        .set({ writer: null })
        .where('id', '=', id)
        .$if(expiredBy !== undefined, (query) =>
          query.where('expires_at', '<=', expiredBy ?? 0).where(isUnheld('writer', now, uploadWriterLifetimeMs)),
        )
        .returning('id')
        .executeTakeFirst()
      if (taken === undefined) throw new NotDropped()
      const dropped = await dropBytes(trx, db.kind, id, now)
      await trx.deleteFrom('resumable_upload').where('id', '=', id).execute()
      return dropped
    })
    .catch((error: unknown) => {
      if (error instanceof NotDropped) return { keys: [], packs: [] }
      throw error
    })
}

/** Undoes the unit of work that drops an upload which was continued or is gone. */
class NotDropped extends Error {}

/** Maximum pause between two attempts to store a complete upload, in ms. */
export const maxRetryMs = 3_600_000

/**
 * Returns complete uploads whose storing is due and whose account is not blocked, in order. One whose last attempt failed while the
 * clock was ahead is due: it would expire before its next attempt.
 */
export async function listReceived({ db, clock }: Pick<Context, 'db' | 'clock'>, limit: number): Promise<string[]> {
  const due = db.read
    .selectFrom('resumable_upload')
    .innerJoin('account', 'account.address', 'resumable_upload.address')
    .select(['resumable_upload.id', 'retry_at'])
    .where('account.blocked_at', 'is', null)
    .where(hasLapsed('retry_at', clock.now(), maxRetryMs))
    .orderBy('retry_at')
    .limit(limit)
  const inParts = await due.where('state', '=', 'received').execute()
  const imported = await due
    .innerJoin('resumable_import', 'resumable_import.upload_id', 'resumable_upload.id')
    .whereRef('resumable_import.offset_bytes', '=', 'resumable_upload.length_bytes')
    .where('state', '=', 'receiving')
    .execute()
  return [...inParts, ...imported].sort((a, b) => a.retry_at - b.retry_at).map(({ id }) => id)
}

/**
 * Drops the imports of uploads that a replica of an earlier version removed or ended: it leaves what it does not know.
 * Returns the packs that nothing needs.
 */
export async function dropForeignImports({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<ReleasedPack[]> {
  const rows = await db.read
    .selectFrom('resumable_import')
    .leftJoin('resumable_upload', 'resumable_upload.id', 'resumable_import.upload_id')
    .select('resumable_import.upload_id')
    .where(({ eb, or }) =>
      or([eb('resumable_upload.id', 'is', null), eb('resumable_upload.state', 'in', ['stored', 'failed'])]),
    )
    .execute()
  const released: ReleasedPack[] = []
  for (const { upload_id: id } of rows) {
    const { packs } = await db.write((trx) => dropBytes(trx, db.kind, id, clock.now()))
    released.push(...packs)
  }
  return released
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
