import { randomUUID } from 'node:crypto'
import { CairnError, shortageErrors, transferTimeoutMs } from '@cairn/protocol'
import { type Kysely, sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { describeHowToPay } from '../payments/payments.ts'
import { changeAccount, measureFreeDisk, nextDay, readFreeStorage } from './free-storage.ts'

/** Room held for an upload under way. */
export type Reservation = {
  readonly id: string
  readonly address: string
  /** Holds so many more bytes. @throws CairnError as {@link reserve} */
  grow(bytes: number): Promise<void>
  /** Gives everything back. Does nothing after a settle that was committed, or twice. */
  release(): Promise<void>
}

/** What is still running after this was left behind by a process that is gone: twice the longest transfer. */
const reservationLifetimeMs = 2 * transferTimeoutMs

type Shortage = (typeof shortageErrors)[number]

/** Whether an error says that there is too little room, with the details of {@link reserve}. */
export function isShortage(error: unknown): error is CairnError<Shortage> {
  return shortageErrors.some((code) => CairnError.is(error, code))
}

/**
 * Holds room for so many bytes before the first of them is stored.
 * @throws CairnError (402) with details {neededBytes, availableBytes, missingBytes}: QUOTA_EXCEEDED (the account has no more),
 *   FREE_ACCOUNTS_EXHAUSTED (it got nothing for free), FREE_STORAGE_EXHAUSTED (all accounts together have no more for free),
 *   FREE_STORAGE_PAUSED (the disk has no more for that)
 */
export async function reserve(context: Context, address: string, bytes: number): Promise<Reservation> {
  const freeDiskBytes = await measureFreeDisk(context)
  const id = randomUUID()
  const { processId } = context
  const expiresAt = context.clock.now() + reservationLifetimeMs
  await context.db.write((trx) => holdRoom(context, trx, { id, address, bytes, processId, expiresAt, freeDiskBytes }))
  return reservationOf(context, id, address)
}

/** Owner of reservations that outlive processes: whoever made them gives them back. */
export const lastingOwner = 'lasting'

/**
 * Holds room inside the caller's unit of work.
 * @param room with `freeDiskBytes` as {@link measureFreeDisk} has it, from before the unit
 * @throws CairnError as {@link reserve}; the unit must not go on unless it is QUOTA_EXCEEDED
 */
export async function holdRoom(
  context: Context,
  trx: Kysely<Schema>,
  room: {
    id: string
    address: string
    bytes: number
    processId: string
    expiresAt: number
    freeDiskBytes: number
  },
): Promise<void> {
  const { id, bytes, address, processId, expiresAt } = room
  await hold(context, trx, room)
  await trx
    .insertInto('reservation')
    .values({ id, address, bytes, process_id: processId, created_at: context.clock.now(), expires_at: expiresAt })
    .execute()
}

/** A reservation that is there already. */
export function reservationOf(context: Context, id: string, address: string): Reservation {
  return {
    id,
    address,
    grow: async (more) => {
      const freeDiskBytes = await measureFreeDisk(context)
      await context.db.write(async (trx) => {
        await hold(context, trx, { address, bytes: more, freeDiskBytes })
        const row = await trx
          .updateTable('reservation')
          .set({ bytes: sql`bytes + ${more}` })
          .where('id', '=', id)
          .returning('id')
          .executeTakeFirst()
        if (row === undefined) throw new CairnError('CONFLICT', { message: 'The reservation of this upload is gone' })
      })
    },
    release: () => context.db.write((trx) => giveBack(trx, id).then(() => undefined)),
  }
}

/**
 * One statement decides about the account and one about free storage, so that parallel uploads can never hold more than there
 * is, on however many replicas.
 */
async function hold(
  context: Context,
  trx: Kysely<Schema>,
  { address, bytes, freeDiskBytes }: { address: string; bytes: number; freeDiskBytes: number },
): Promise<void> {
  const { freeTotalBytes } = context.config
  const isWithinLimit = sql<boolean>`data_used_bytes + reserved_bytes + ${bytes} <= data_limit_bytes`
  const freeBytes = await changeAccount(trx, address, { reservedBytes: bytes }, isWithinLimit)
  if (freeBytes === undefined) throw await describeLimit(context, trx, address, bytes)
  if (freeBytes === 0) return
  if (freeBytes > freeDiskBytes) throw refuseFree(context, 'FREE_STORAGE_PAUSED', freeBytes, freeDiskBytes)
  if (freeTotalBytes === undefined) return
  // The row is this unit's since it was changed: what is read counts every unit before, and none beside.
  const usedBytes = await readFreeStorage(trx)
  if (usedBytes <= freeTotalBytes) return
  throw refuseFree(context, 'FREE_STORAGE_EXHAUSTED', freeBytes, Math.max(0, freeTotalBytes - (usedBytes - freeBytes)))
}

function refuseFree(
  context: Context,
  code: 'FREE_STORAGE_EXHAUSTED' | 'FREE_STORAGE_PAUSED',
  neededBytes: number,
  availableBytes: number,
): CairnError {
  context.metrics.freeRefusals.inc({ bound: code === 'FREE_STORAGE_PAUSED' ? 'disk' : 'total' })
  return shortOf(context, code, neededBytes, availableBytes)
}

/** Why an account has no room left: it has used it all, or never got anything for free. */
async function describeLimit(
  context: Context,
  trx: Kysely<Schema>,
  address: string,
  neededBytes: number,
): Promise<CairnError> {
  const row = await trx.selectFrom('account').selectAll().where('address', '=', address).executeTakeFirst()
  const usedBytes = (row?.data_used_bytes ?? 0) + (row?.reserved_bytes ?? 0)
  const availableBytes = Math.max(0, (row?.data_limit_bytes ?? 0) - usedBytes)
  const isWaiting = row?.free_bytes === null && context.config.freeBytes > 0
  return shortOf(context, isWaiting ? 'FREE_ACCOUNTS_EXHAUSTED' : 'QUOTA_EXCEEDED', neededBytes, availableBytes)
}

/** Says what is missing, and how to pay for it. */
export function shortOf(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  code: Shortage,
  neededBytes: number,
  availableBytes: number,
): CairnError<Shortage> {
  const missingBytes = neededBytes - availableBytes
  const pay = describeHowToPay(config.payments, missingBytes)
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

/** Drops a reservation and what it held; answers false where it was gone already. */
export async function giveBack(trx: Kysely<Schema>, id: string): Promise<boolean> {
  const row = await drop(trx, id)
  if (row === undefined) return false
  await changeAccount(trx, row.address, { reservedBytes: -row.bytes })
  return true
}

function drop(trx: Kysely<Schema>, id: string): Promise<{ address: string; bytes: number } | undefined> {
  return trx.deleteFrom('reservation').where('id', '=', id).returning(['address', 'bytes']).executeTakeFirst()
}

/** Turns what was held into what is used, exactly once, inside the unit that records the upload. */
export async function settle(trx: Kysely<Schema>, reservation: Reservation, usedBytes: number): Promise<void> {
  const row = await drop(trx, reservation.id)
  if (row === undefined) throw new CairnError('CONFLICT', { message: 'The reservation of this upload is gone' })
  await changeAccount(trx, row.address, { reservedBytes: -row.bytes, usedBytes })
}

/** Takes deleted bytes off what an account uses, inside the unit that deletes them. */
export async function credit(trx: Kysely<Schema>, address: string, bytes: number): Promise<void> {
  await changeAccount(trx, address, { usedBytes: -bytes })
}

/**
 * Gives back the room of uploads that ended with their process. A SQLite database belongs to one process, so at its
 * start every reservation is such; beside other replicas only their time of expiry can tell.
 */
export async function releaseAbandoned(context: Pick<Context, 'db' | 'clock'>): Promise<number> {
  const { db, clock } = context
  return db.write(async (trx) => {
    let query = trx.selectFrom('reservation').select('id').where('process_id', '<>', lastingOwner)
    if (db.kind === 'postgres') query = query.where('expires_at', '<', clock.now())
    const rows = await query.execute()
    for (const { id } of rows) await giveBack(trx, id)
    return rows.length
  })
}
