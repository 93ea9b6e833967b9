import { randomUUID } from 'node:crypto'
import { CairnError, transferTimeoutMs } from '@cairn/protocol'
import { type Kysely, sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { describeHowToPay } from '../payments/payments.ts'

/** Room held for an upload under way. */
export type Reservation = {
  readonly id: string
  readonly address: string
  /** Holds so many more bytes. @throws CairnError QUOTA_EXCEEDED */
  grow(bytes: number): Promise<void>
  /** Gives everything back. Does nothing after a settle that was committed, or twice. */
  release(): Promise<void>
}

/** What is still running after this was left behind by a process that is gone: twice the longest transfer. */
const reservationLifetimeMs = 2 * transferTimeoutMs

/**
 * Holds room for so many bytes before the first of them is stored.
 * @throws CairnError QUOTA_EXCEEDED (402) with details {neededBytes, availableBytes, missingBytes}
 */
export async function reserve(context: Context, address: string, bytes: number): Promise<Reservation> {
  const id = randomUUID()
  const { processId } = context
  const expiresAt = context.clock.now() + reservationLifetimeMs
  await context.db.write((trx) => holdRoom(context, trx, { id, address, bytes, processId, expiresAt }))
  return reservationOf(context, id, address)
}

/** Owner of reservations that outlive processes: whoever made them gives them back. */
export const lastingOwner = 'lasting'

/** Holds room inside the caller's unit of work. @throws CairnError QUOTA_EXCEEDED as {@link reserve} */
export async function holdRoom(
  context: Context,
  trx: Kysely<Schema>,
  room: { id: string; address: string; bytes: number; processId: string; expiresAt: number },
): Promise<void> {
  const { id, address, bytes, processId, expiresAt } = room
  await hold(context, trx, address, bytes)
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
    grow: (more) =>
      context.db.write(async (trx) => {
        await hold(context, trx, address, more)
        const row = await trx
          .updateTable('reservation')
          .set({ bytes: sql`bytes + ${more}` })
          .where('id', '=', id)
          .returning('id')
          .executeTakeFirst()
        if (row === undefined) throw new CairnError('CONFLICT', { message: 'The reservation of this upload is gone' })
      }),
    release: () => context.db.write((trx) => giveBack(trx, id).then(() => undefined)),
  }
}

/** One statement decides, so that parallel uploads can never hold more than there is. */
async function hold(context: Context, trx: Kysely<Schema>, address: string, bytes: number): Promise<void> {
  const held = await trx
    .updateTable('account')
    .set({ reserved_bytes: sql`reserved_bytes + ${bytes}` })
    .where('address', '=', address)
    .where(sql<boolean>`data_used_bytes + reserved_bytes + ${bytes} <= data_limit_bytes`)
    .returning('address')
    .executeTakeFirst()
  if (held !== undefined) return
  const row = await trx.selectFrom('account').selectAll().where('address', '=', address).executeTakeFirst()
  const availableBytes = Math.max(
    0,
    (row?.data_limit_bytes ?? 0) - (row?.data_used_bytes ?? 0) - (row?.reserved_bytes ?? 0),
  )
  throw quotaExceeded(context, bytes, availableBytes)
}

/** Says what is missing, and how to pay for it. */
export function quotaExceeded(
  { config }: Pick<Context, 'config'>,
  neededBytes: number,
  availableBytes: number,
): CairnError {
  const missingBytes = neededBytes - availableBytes
  const pay = describeHowToPay(config.payments, missingBytes)
  return new CairnError('QUOTA_EXCEEDED', {
    details: { neededBytes, availableBytes, missingBytes, ...(pay.length === 0 ? {} : { pay }) },
  })
}

/** Drops a reservation and what it held; answers false where it was gone already. */
export async function giveBack(trx: Kysely<Schema>, id: string): Promise<boolean> {
  const row = await trx
    .deleteFrom('reservation')
    .where('id', '=', id)
    .returning(['address', 'bytes'])
    .executeTakeFirst()
  if (row === undefined) return false
  await trx
    .updateTable('account')
    .set({ reserved_bytes: sql`reserved_bytes - ${row.bytes}` })
    .where('address', '=', row.address)
    .execute()
  return true
}

/** Turns what was held into what is used, exactly once, inside the unit that records the upload. */
export async function settle(trx: Kysely<Schema>, reservation: Reservation, usedBytes: number): Promise<void> {
  if (!(await giveBack(trx, reservation.id))) {
    throw new CairnError('CONFLICT', { message: 'The reservation of this upload is gone' })
  }
  await trx
    .updateTable('account')
    .set({ data_used_bytes: sql`data_used_bytes + ${usedBytes}` })
    .where('address', '=', reservation.address)
    .execute()
}

/** Takes deleted bytes off what an account uses, inside the unit that deletes them. */
export async function credit(trx: Kysely<Schema>, address: string, bytes: number): Promise<void> {
  await trx
    .updateTable('account')
    .set({ data_used_bytes: sql`data_used_bytes - ${bytes}` })
    .where('address', '=', address)
    .execute()
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
