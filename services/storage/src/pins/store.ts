import { CairnError, type ReasonFacts, type RequestedPin } from '@cairn/protocol'
import { ConflictError, uuidv7 } from '@cairn/service'
import { type Kysely, sql } from 'kysely'
import type { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import type { Database } from '../db/database.ts'
import { isUnheld } from '../db/has-lapsed.ts'
import type { PinTable, Schema, UploadTable } from '../db/schema.ts'
import { recordEvents } from '../events/events.ts'
import { deleteFilesIn } from '../files/files.ts'

export type PinRow = PinTable & Partial<Pick<UploadTable, 'size_bytes' | 'dag_size_bytes'>>

/** Lifetime of a worker's lease without renewal, in ms. */
export const pinOwnerLifetimeMs = 30_000

/** A literal in the statement, because only then does SQLite use the index of unfinished pins. */
const isUnfinished = sql<boolean>`status in ('queued', 'pinning')`

/**
 * Records a pin request, and removes the pin that it replaces.
 * @param options.owner holds the pin from its first moment, so that no worker takes it; undefined leaves it to the workers
 * @throws CairnError PIN_LIMIT, PIN_NOT_FOUND (the pin to be replaced), CONFLICT
 */
export async function insertPin(
  { db, clock, config }: Pick<Context, 'db' | 'clock' | 'config'>,
  address: string,
  { name, origins = [], meta = {}, ...requested }: RequestedPin,
  cid: CID,
  { replacedId, owner }: { replacedId?: string | undefined; owner?: string | undefined } = {},
): Promise<PinRow> {
  const now = clock.now()
  return db.write(async (trx) => {
    // Locks the account, so that the times of its pins are unique and the limit is exact. Not by its address: SQLite
    // would look for it in all tables that refer to it.
    await trx.updateTable('account').set({ created_at: sql`created_at` }).where('address', '=', address).execute()
    const replaced = replacedId === undefined ? undefined : await takeOut(trx, address, replacedId)
    const { open } = await trx
      .selectFrom('pin')
      .select(({ fn }) => fn.countAll<number>().as('open'))
      .where('address', '=', address)
      .where(isUnfinished)
      .executeTakeFirstOrThrow()
    if (Number(open) >= config.maxOpenPins) {
      throw new CairnError('PIN_LIMIT', { details: { limit: config.maxOpenPins } })
    }
    const newest = await trx
      .selectFrom('pin')
      .select('created_at')
      .where('address', '=', address)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    return trx
      .insertInto('pin')
      .values({
        id: uuidv7(now),
        address,
        cid: requested.cid,
        cid_v1: cid.toV1().toString(),
        name: name ?? null,
        name_lower: name?.toLowerCase() ?? null,
        origins: JSON.stringify(origins),
        meta: JSON.stringify(meta),
        ...(owner === undefined
          ? { status: 'queued', owner: null, owner_until: null }
          : { status: 'pinning', owner, owner_until: now + pinOwnerLifetimeMs }),
        details: null,
        upload_id: null,
        replaced_upload_id: replaced ?? null,
        tries: 0,
        next_at: now,
        created_at: Math.max(now, (newest?.created_at ?? 0) + 1),
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
}

/** Deletes the row of a pin that is being replaced. Returns the upload that stays until the new pin is stored. */
async function takeOut(trx: Kysely<Schema>, address: string, id: string): Promise<string | undefined> {
  const row = await trx
    .deleteFrom('pin')
    .where('id', '=', id)
    .where('address', '=', address)
    .returning(['upload_id', 'replaced_upload_id'])
    .executeTakeFirst()
  if (row === undefined) throw new CairnError('PIN_NOT_FOUND')
  return row.upload_id ?? row.replaced_upload_id ?? undefined
}

/** Returns one pin of an account. @throws CairnError PIN_NOT_FOUND */
export async function requirePin(db: Kysely<Schema>, address: string, id: string): Promise<PinRow> {
  const row = await db
    .selectFrom('pin')
    .leftJoin('upload', 'upload.id', 'pin.upload_id')
    .selectAll('pin')
    .select(['upload.size_bytes', 'upload.dag_size_bytes'])
    .where('pin.id', '=', id)
    .where('pin.address', '=', address)
    .executeTakeFirst()
  if (row === undefined) throw new CairnError('PIN_NOT_FOUND')
  return toRow(row)
}

/** A join without a match returns nulls. */
function toRow({
  size_bytes,
  dag_size_bytes,
  ...row
}: PinTable & { size_bytes: number | null; dag_size_bytes: number | null }): PinRow {
  if (size_bytes === null || dag_size_bytes === null) return row
  return { ...row, size_bytes, dag_size_bytes }
}

/** Removes a pin with its upload, and with the upload of the pin that it replaces. @throws CairnError PIN_NOT_FOUND */
export async function deletePin(
  context: Pick<Context, 'db' | 'clock' | 'packs'>,
  address: string,
  id: string,
): Promise<void> {
  await context.db.write(async (trx) => {
    const row = await trx
      .selectFrom('pin')
      .select(['upload_id', 'replaced_upload_id'])
      .where('id', '=', id)
      .where('address', '=', address)
      .executeTakeFirst()
    if (row === undefined) throw new CairnError('PIN_NOT_FOUND')
    // Uploads first: storing a pin locks the rows in the same order.
    const ids = [row.upload_id, row.replaced_upload_id].filter((uploadId) => uploadId !== null)
    if (ids.length > 0) await deleteFilesIn(context, trx, address, { ids })
    const removed = await trx.deleteFrom('pin').where('id', '=', id).returning('upload_id').executeTakeFirst()
    // The unit rolls back, and the next attempt finds the upload.
    if (removed !== undefined && removed.upload_id !== row.upload_id)
      throw new ConflictError('The pin was stored in the meantime')
  })
}

/** Leases a pin; returns undefined if another owner holds it or no work is due. */
export async function takePin(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  id: string,
  owner: string,
): Promise<PinRow | undefined> {
  const now = clock.now()
  return db.write((trx) =>
    trx
      .updateTable('pin')
      .set({ status: 'pinning', owner, owner_until: now + pinOwnerLifetimeMs })
      .where('id', '=', id)
      .where(isUnfinished)
      .where(isUnheld('owner', now, pinOwnerLifetimeMs))
      .returningAll()
      .executeTakeFirst(),
  )
}

/** Renews the lease of a pin. */
export async function keepPin({ db, clock }: Pick<Context, 'db' | 'clock'>, id: string, owner: string): Promise<void> {
  await db.write((trx) =>
    trx
      .updateTable('pin')
      .set({ owner_until: clock.now() + pinOwnerLifetimeMs })
      .where('id', '=', id)
      .where('owner', '=', owner)
      .execute(),
  )
}

/** End of an attempt. */
type PinEnd = Pick<PinRow, 'details'> &
  Partial<Pick<PinRow, 'tries' | 'next_at'>> &
  (
    | { status: 'queued'; why?: undefined }
    /** The code is of an error or of `eventReasons`. */
    | { status: 'failed'; why: ReasonFacts }
  )

/** Ends an attempt: the pin is queued again, or has failed. Changes nothing if another owner took over the pin. */
export async function endTry(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { id, address, cid, owner }: Pick<PinRow, 'id' | 'address' | 'cid' | 'owner'>,
  { why, ...end }: PinEnd,
): Promise<void> {
  await db.write(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('pin')
      .set({ ...end, owner: null, owner_until: null })
      .where('id', '=', id)
      .where('owner', '=', owner)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n || why === undefined) return
    await recordEvents(trx, address, clock.now(), {
      type: 'pin.failed',
      data: { pinId: id, cid, reason: end.details, reasonCode: why.code, ...why.values },
    })
  })
}

/**
 * Records that a pin is stored, and removes the upload of the pin that it replaces, in the unit that records its upload.
 * @throws CairnError CONFLICT if the pin was removed or taken over; nothing is stored then
 */
export async function finishPin(
  context: Pick<Context, 'packs' | 'clock'>,
  trx: Kysely<Schema>,
  { id, address, cid, owner, replaced_upload_id: replaced }: PinRow,
  uploadId: string | undefined,
): Promise<void> {
  if (replaced !== null) await deleteFilesIn(context, trx, address, { id: replaced })
  const { numUpdatedRows } = await trx
    .updateTable('pin')
    .set({ status: 'pinned', details: null, upload_id: uploadId ?? null, owner: null, owner_until: null })
    .where('id', '=', id)
    .where('owner', '=', owner)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw new CairnError('CONFLICT', { message: 'The pin was removed' })
  await recordEvents(trx, address, context.clock.now(), {
    type: 'pin.pinned',
    data: { pinId: id, cid, uploadId: uploadId ?? null },
  })
}

/** Returns due pins without an owner, excluding these and blocked accounts, oldest due time first. */
export function findDuePins(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  busyAddresses: readonly string[],
  limit: number,
): Promise<Pick<PinRow, 'id' | 'address'>[]> {
  const now = clock.now()
  let query = db.read
    .selectFrom('pin')
    .innerJoin('account', 'account.address', 'pin.address')
    .select(['pin.id', 'pin.address'])
    .where('account.blocked_at', 'is', null)
    .where(isUnfinished)
    .where('next_at', '<=', now)
    .where(isUnheld('owner', now, pinOwnerLifetimeMs))
  if (busyAddresses.length > 0) query = query.where('pin.address', 'not in', busyAddresses)
  return query.orderBy('next_at').limit(limit).execute()
}

/** Releases pins of stopped processes. Only for SQLite, whose database belongs to a single process. */
export async function endAllPinOwners(db: Database): Promise<void> {
  await db.write((trx) =>
    trx.updateTable('pin').set({ owner: null, owner_until: null }).where('owner', 'is not', null).execute(),
  )
}
