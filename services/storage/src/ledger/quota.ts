import { randomUUID } from 'node:crypto'
import { CairnError, shortageErrors } from '@cairn/protocol'
import { prepareStatement, type StatementParams } from '@cairn/service'
import { type Kysely, sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { changeAccount, hasCapacity, measureFreeDisk, nextDay, readFreeStorage } from './free-storage.ts'
import { readFreeSettings } from './operator-settings.ts'

/** Quota reserved for an upload in progress. */
export type Reservation = {
  readonly id: string
  readonly address: string
  /** Reserves further bytes. @throws CairnError as {@link reserve} */
  grow(bytes: number): Promise<void>
  /** Releases the whole reservation. Does nothing after a committed settle or a second time. */
  release(): Promise<void>
}

/** How long a reservation stays after its process last renewed it: an upload outlives a short failure of the database. */
export const reservationLifetimeMs = 10 * 60_000

type Shortage = (typeof shortageErrors)[number]

/** Whether an error reports insufficient quota, with the details of {@link reserve}. */
export function isShortage(error: unknown): error is CairnError<Shortage> {
  return shortageErrors.some((code) => CairnError.is(error, code))
}

/**
 * Reserves quota for bytes before the first of them is stored.
 * @throws CairnError (402) with details {neededBytes, availableBytes, missingBytes}: QUOTA_EXCEEDED (the account has
 * no more), FREE_ACCOUNTS_EXHAUSTED (it received no free allowance), FREE_STORAGE_EXHAUSTED (all accounts together
 * have no more free storage), FREE_STORAGE_PAUSED (the disk has no more space for it); without details ACCOUNT_BLOCKED
 */
export async function reserve(context: Context, address: string, bytes: number): Promise<Reservation> {
  const freeDiskBytes = await measureFreeDisk(context)
  const id = randomUUID()
  const { processId } = context
  const expiresAt = context.clock.now() + reservationLifetimeMs
  await context.db.write((trx) =>
    reserveSpace(context, trx, { id, address, bytes, processId, expiresAt, freeDiskBytes }),
  )
  const reservation = reservationOf(context, id, address)
  return {
    ...reservation,
    release: () =>
      reservation.release().catch((error: unknown) => {
        noteUnreleased(context, id)
        throw error
      }),
  }
}

function noReservation(): CairnError {
  return new CairnError('CONFLICT', { message: 'The reservation of this upload no longer exists' })
}

/** Ids of reservations of uploads that ended while the database could not release them. */
const unreleased = new WeakMap<Context['db'], Set<string>>()

function noteUnreleased({ db }: Pick<Context, 'db'>, id: string): void {
  const ids = unreleased.get(db) ?? new Set<string>()
  unreleased.set(db, ids.add(id))
}

/** Releases the reservations that could not be released when their uploads ended. */
export async function releaseAgain({ db }: Pick<Context, 'db'>): Promise<void> {
  const ids = unreleased.get(db)
  for (const id of ids ?? []) {
    await db.write((trx) => releaseReservation(trx, id))
    ids?.delete(id)
  }
}

const accountWithCapacity = prepareStatement(
  (db: Kysely<Schema>, param: StatementParams<{ address: string; bytes: number }>) =>
    db
      .selectFrom('account')
      .select('address')
      .where('address', '=', param('address'))
      .where(hasCapacity(param('bytes'))),
)

/**
 * Requires that an account has quota for bytes, without reserving it: what {@link reserve} decides may differ.
 * @throws CairnError as {@link reserve}, without the limits of free storage over all accounts
 */
export async function requireQuota(context: Context, address: string, bytes: number): Promise<void> {
  const { read } = context.db
  const [row] = await accountWithCapacity(read, { address, bytes })
  if (row === undefined) throw await describeLimit(context, read, address, bytes)
}

/** Owner of reservations that outlive processes: their creator releases them. */
export const lastingOwner = 'lasting'

/**
 * Reserves quota in the caller's unit of work.
 * @param space with `freeDiskBytes` from {@link measureFreeDisk}, measured before the unit
 * @throws CairnError as {@link reserve}; the unit must not continue unless it is QUOTA_EXCEEDED
 */
export async function reserveSpace(
  context: Context,
  trx: Kysely<Schema>,
  space: {
    id: string
    address: string
    bytes: number
    processId: string
    expiresAt: number
    freeDiskBytes: number
  },
): Promise<void> {
  const { id, bytes, address, processId, expiresAt } = space
  await hold(context, trx, space)
  await trx
    .insertInto('reservation')
    .values({ id, address, bytes, process_id: processId, created_at: context.clock.now(), expires_at: expiresAt })
    .execute()
}

/** Opens an existing reservation. */
export function reservationOf(context: Context, id: string, address: string): Reservation {
  return {
    id,
    address,
    grow: async (more) => {
      const freeDiskBytes = await measureFreeDisk(context)
      await context.db.write(async (trx) => {
        // Before the account, as a release or another part of the same upload locks them.
        const row = await trx
          .updateTable('reservation')
          .set({ bytes: sql`bytes + ${more}` })
          .where('id', '=', id)
          .returning('id')
          .executeTakeFirst()
        if (row === undefined) throw noReservation()
        await hold(context, trx, { address, bytes: more, freeDiskBytes })
      })
    },
    release: () => context.db.write((trx) => releaseReservation(trx, id).then(() => undefined)),
  }
}

/**
 * One statement decides about the account and one about free storage, so that concurrent uploads can never reserve
 * more than is available, on any number of replicas.
 */
async function hold(
  context: Context,
  trx: Kysely<Schema>,
  { address, bytes, freeDiskBytes }: { address: string; bytes: number; freeDiskBytes: number },
  total: 'reservedBytes' | 'usedBytes' = 'reservedBytes',
): Promise<void> {
  const freeBytes = await changeAccount(trx, address, { [total]: bytes }, 'capacity')
  if (freeBytes === undefined) throw await describeLimit(context, trx, address, bytes)
  if (freeBytes === 0) return
  if (freeBytes > freeDiskBytes) throw await refuseFree(context, trx, 'FREE_STORAGE_PAUSED', freeBytes, freeDiskBytes)
  const { freeTotalBytes } = await readFreeSettings(trx, context.config)
  if (freeTotalBytes === undefined) return
  // This unit has locked the row since it changed it: the value includes every earlier unit and no concurrent one.
  const usedBytes = await readFreeStorage(trx)
  if (usedBytes <= freeTotalBytes) return
  const availableBytes = Math.max(0, freeTotalBytes - (usedBytes - freeBytes))
  throw await refuseFree(context, trx, 'FREE_STORAGE_EXHAUSTED', freeBytes, availableBytes)
}

function refuseFree(
  context: Context,
  trx: Kysely<Schema>,
  code: 'FREE_STORAGE_EXHAUSTED' | 'FREE_STORAGE_PAUSED',
  neededBytes: number,
  availableBytes: number,
): Promise<CairnError> {
  context.metrics.freeRefusals.inc({ bound: code === 'FREE_STORAGE_PAUSED' ? 'disk' : 'total' })
  return shortOf(context, trx, code, neededBytes, availableBytes)
}

/** Why an account gets no quota: it is blocked, its quota is used up, or there never was a free allowance. */
async function describeLimit(
  context: Context,
  trx: Kysely<Schema>,
  address: string,
  neededBytes: number,
): Promise<CairnError> {
  const row = await trx.selectFrom('account').selectAll().where('address', '=', address).executeTakeFirst()
  if (row !== undefined && row.blocked_at !== null) return new CairnError('ACCOUNT_BLOCKED')
  const usedBytes = (row?.data_used_bytes ?? 0) + (row?.reserved_bytes ?? 0)
  const availableBytes = Math.max(0, (row?.data_limit_bytes ?? 0) - usedBytes)
  const isWaiting = row?.free_bytes === null && (await readFreeSettings(trx, context.config)).freeBytes > 0
  return shortOf(context, trx, isWaiting ? 'FREE_ACCOUNTS_EXHAUSTED' : 'QUOTA_EXCEEDED', neededBytes, availableBytes)
}

/** Reports what is missing, and how to pay for it. */
export async function shortOf(
  { clock, describeHowToPay }: Pick<Context, 'clock' | 'describeHowToPay'>,
  db: Kysely<Schema>,
  code: Shortage,
  neededBytes: number,
  availableBytes: number,
): Promise<CairnError<Shortage>> {
  const missingBytes = neededBytes - availableBytes
  const pay = await describeHowToPay(db, missingBytes)
  return new CairnError(code, {
    details: {
      neededBytes,
      availableBytes,
      missingBytes,
      ...(code === 'FREE_ACCOUNTS_EXHAUSTED' ? { againAt: nextDay(clock.now()) } : {}),
      ...(pay.length === 0 ? {} : { pay }),
    },
  })
}

/**
 * Deletes a reservation and releases its bytes; returns false when it no longer exists.
 * @param expiredAt if given, releases it only if it expired before this time, in ms since 1970
 */
export async function releaseReservation(trx: Kysely<Schema>, id: string, expiredAt?: number): Promise<boolean> {
  const row = await drop(trx, id, expiredAt)
  if (row === undefined) return false
  await changeAccount(trx, row.address, { reservedBytes: -row.bytes })
  return true
}

function drop(
  trx: Kysely<Schema>,
  id: string,
  expiredAt?: number,
): Promise<{ address: string; bytes: number } | undefined> {
  const query = trx.deleteFrom('reservation').where('id', '=', id)
  const limited = expiredAt === undefined ? query : query.where('expires_at', '<', expiredAt)
  return limited.returning(['address', 'bytes']).executeTakeFirst()
}

/**
 * Adds a reservation to another one of its account, inside the caller's unit of work.
 * @throws CairnError CONFLICT (one of them no longer exists)
 */
export async function joinReservation(trx: Kysely<Schema>, id: string, to: string): Promise<void> {
  const row = await drop(trx, id)
  const joined =
    row &&
    (await trx
      .updateTable('reservation')
      .set({ bytes: sql`bytes + ${row.bytes}` })
      .where('id', '=', to)
      .returning('id')
      .executeTakeFirst())
  if (joined === undefined) throw noReservation()
}

/** Releases a part of a reservation, in the caller's unit of work. */
export async function shrinkReservation(trx: Kysely<Schema>, id: string, bytes: number): Promise<void> {
  const row = await trx
    .updateTable('reservation')
    .set({ bytes: sql`bytes - ${bytes}` })
    .where('id', '=', id)
    .returning('address')
    .executeTakeFirst()
  if (row !== undefined) await changeAccount(trx, row.address, { reservedBytes: -bytes })
}

/**
 * Converts a reservation to usage, exactly once, in the unit that records the upload.
 * @throws CairnError CONFLICT (the reservation no longer exists), ACCOUNT_BLOCKED
 */
export async function settle(trx: Kysely<Schema>, reservation: Reservation, usedBytes: number): Promise<void> {
  const row = await drop(trx, reservation.id)
  if (row === undefined) throw noReservation()
  const changed = await changeAccount(trx, row.address, { reservedBytes: -row.bytes, usedBytes }, 'unblocked')
  if (changed === undefined) throw new CairnError('ACCOUNT_BLOCKED')
}

/**
 * Adds bytes to an account's usage without a reservation, in the unit that records the upload.
 * @param space with `freeDiskBytes` from {@link measureFreeDisk}, measured before the unit
 * @throws CairnError as {@link reserve}
 */
export function charge(
  context: Context,
  trx: Kysely<Schema>,
  space: { address: string; bytes: number; freeDiskBytes: number },
): Promise<void> {
  return hold(context, trx, space, 'usedBytes')
}

/** Subtracts deleted bytes from an account's usage, in the unit that deletes them. */
export async function credit(trx: Kysely<Schema>, address: string, bytes: number): Promise<void> {
  await changeAccount(trx, address, { usedBytes: -bytes })
}

/** Whether any replica receives an upload. Unfinished resumable uploads do not count. */
export async function hasUploadsInProgress({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<boolean> {
  const row = await db.read
    .selectFrom('reservation')
    .select('id')
    .where('expires_at', '>', clock.now())
    .where('process_id', '<>', lastingOwner)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Releases the reservations of uploads that ended with their process. Only at a start when no other service can be alive:
 * a SQLite database belongs to one.
 */
export async function releaseAll({ db }: Pick<Context, 'db'>): Promise<number> {
  return db.write(async (trx) => {
    const rows = await trx.selectFrom('reservation').select('id').where('process_id', '<>', lastingOwner).execute()
    for (const { id } of rows) await releaseReservation(trx, id)
    return rows.length
  })
}
