import { CairnError, maxDriveBytes, maxDriveParts } from '@cairn/protocol'
import { type Kysely, sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { deleteFilesIn } from '../files/files.ts'
import { findBucketUploads } from '../object-versions/object-versions.ts'
import { readTips, tipsBytes } from './read-tips.ts'

/** A part as stored. */
export type StoredPart = { first: number; last: number; data: Uint8Array }

/** A part to store, and the revision that its writer read. */
export type NewPart = StoredPart & { revision: number }

/** Returns the revision of a drive, and its parts that end after a revision, in order. */
export async function findParts(
  { db }: Pick<Context, 'db'>,
  address: string,
  since: number,
): Promise<{ revision: number; parts: StoredPart[] }> {
  // One statement, so that the revision is that of the parts.
  const rows = await db.read
    .selectFrom('drive')
    .leftJoin('drive_part', (join) =>
      join.onRef('drive_part.address', '=', 'drive.address').on('drive_part.last_revision', '>', since),
    )
    .select(['drive.revision', 'drive_part.first_revision', 'drive_part.last_revision', 'drive_part.data'])
    .where('drive.address', '=', address)
    .orderBy('drive_part.first_revision')
    .execute()
  const parts = rows.flatMap(({ first_revision: first, last_revision: last, data }) =>
    first === null || last === null || data === null ? [] : [{ first, last, data }],
  )
  return { revision: rows[0]?.revision ?? 0, parts }
}

/**
 * Appends a part, or replaces the parts from `first` to `last` by one.
 * @returns the revision of the drive
 * @throws CairnError PRECONDITION_FAILED (another client was faster), CONFLICT (a change of another drive), INVALID_REQUEST,
 *   FORBIDDEN (limits)
 */
export async function putPart(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  address: string,
  part: NewPart,
): Promise<number> {
  const now = clock.now()
  const { revision, first, last, data } = part
  const isChange = first === revision + 1 && last === first
  if (!isChange && (first < 1 || last < first || last > revision)) {
    const message = 'first and last must be one above revision, or name stored parts'
    throw new CairnError('INVALID_REQUEST', { message, details: { issues: [{ field: 'first', message }] } })
  }
  return db.write(async (trx) => {
    await trx
      .insertInto('drive')
      .values({ address, revision: 0, part_count: 0, size_bytes: 0, updated_at: now })
      .onConflict((conflict) => conflict.column('address').doNothing())
      .execute()
    // Locks the drive, so that the comparison and the limits are exact.
    const drive = await trx
      .updateTable('drive')
      .set({ updated_at: now })
      .where('address', '=', address)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (drive.revision !== revision) throw changed(drive.revision)
    if (isChange) await requireContinued(trx, address, part)
    const removed = isChange ? { count: 0, bytes: 0 } : await removeParts(trx, address, part)
    const partCount = drive.part_count - removed.count + 1
    const sizeBytes = drive.size_bytes - removed.bytes + data.length
    requireSpace(partCount, sizeBytes)
    await trx
      .insertInto('drive_part')
      .values({ address, first_revision: first, last_revision: last, data, created_at: now })
      .execute()
    const newest = isChange ? last : revision
    await trx
      .updateTable('drive')
      .set({ revision: newest, part_count: partCount, size_bytes: sizeBytes })
      .where('address', '=', address)
      .execute()
    return newest
  })
}

/**
 * Removes a drive with all its parts.
 * @throws CairnError PRECONDITION_FAILED (another client changed it)
 */
export async function removeAll(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  address: string,
  revision: number,
): Promise<void> {
  await db.write(async (trx) => {
    const current = await lockRevision(trx, address, clock.now())
    if (current === undefined) return
    if (current !== revision) throw changed(current)
    await trx.deleteFrom('drive_part').where('address', '=', address).execute()
    await trx.deleteFrom('drive').where('address', '=', address).execute()
  })
}

/**
 * Deletes uploads of an account by their ids, if its drive still has a revision. Objects of S3 buckets stay: an item of the drive
 * is all equal content, which other keys of a bucket may have.
 * @returns the ids of those that stay
 * @throws CairnError PRECONDITION_FAILED (another client changed the drive), CONFLICT
 */
export async function deleteUploads(
  context: Pick<Context, 'db' | 'clock' | 'packs'>,
  address: string,
  { revision, ids }: { revision: number; ids: readonly string[] },
): Promise<string[]> {
  return context.db.write(async (trx) => {
    const current = (await lockRevision(trx, address, context.clock.now())) ?? 0
    if (current !== revision) throw changed(current)
    const own = await trx
      .selectFrom('upload')
      .select('id')
      .where('address', '=', address)
      .where('id', 'in', ids)
      .execute()
    const ownIds = own.map(({ id }) => id)
    const kept = await findBucketUploads(trx, address, ownIds)
    const deleted = ownIds.filter((id) => !kept.has(id))
    if (deleted.length > 0) await deleteFilesIn(context, trx, address, { ids: deleted })
    return [...kept]
  })
}

/** Locks a drive until the unit of work ends, so that no part is appended meanwhile. Returns its revision. */
async function lockRevision(trx: Kysely<Schema>, address: string, now: number): Promise<number | undefined> {
  const drive = await trx
    .updateTable('drive')
    .set({ updated_at: now })
    .where('address', '=', address)
    .returning('revision')
    .executeTakeFirst()
  return drive?.revision
}

/**
 * A drive and another one that took its place, after its removal or from a backup, can have the same revision. A change of the
 * former would end the chain of the parts, which no client could read any more.
 * @throws CairnError CONFLICT
 */
async function requireContinued(trx: Kysely<Schema>, address: string, { revision, data }: NewPart): Promise<void> {
  const own = readTips(data)
  const last = await trx
    .selectFrom('drive_part')
    .select(sql<Uint8Array>`substr(data, 1, ${sql.lit(tipsBytes)})`.as('start'))
    .where('address', '=', address)
    .where('last_revision', '=', revision)
    .executeTakeFirst()
  const known = last && readTips(last.start)
  if (own === undefined || known === undefined || own.before === known.after) return
  throw new CairnError('CONFLICT', {
    message: 'The change belongs to another drive: this one was replaced since the client read it',
    hint: 'Open the drive again.',
  })
}

/** Removes the parts from `first` to `last`. @throws CairnError PRECONDITION_FAILED if parts reach beyond */
async function removeParts(
  trx: Kysely<Schema>,
  address: string,
  { revision, first, last }: NewPart,
): Promise<{ count: number; bytes: number }> {
  const removed = await trx
    .deleteFrom('drive_part')
    .where('address', '=', address)
    .where('first_revision', '>=', first)
    .where('last_revision', '<=', last)
    .returning(['first_revision', 'last_revision', 'data'])
    .execute()
  const isAligned =
    removed.some((row) => row.first_revision === first) && removed.some((row) => row.last_revision === last)
  if (!isAligned) throw changed(revision)
  return { count: removed.length, bytes: removed.reduce((sum, row) => sum + row.data.length, 0) }
}

function requireSpace(partCount: number, sizeBytes: number): void {
  if (partCount <= maxDriveParts && sizeBytes <= maxDriveBytes) return
  const what = partCount > maxDriveParts ? `${maxDriveParts} parts` : `${maxDriveBytes} bytes`
  throw new CairnError('FORBIDDEN', {
    message: `The drive has reached its limit of ${what}`,
    hint: 'Merge its parts, as current clients do automatically.',
  })
}

function changed(revision: number): CairnError {
  return new CairnError('PRECONDITION_FAILED', {
    message: `The drive was changed by another client: its revision is ${revision}`,
    hint: 'Read the changes and try again.',
    details: { revision },
  })
}
