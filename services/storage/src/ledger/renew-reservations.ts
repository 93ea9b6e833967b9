import type { Context } from '../context.ts'
import { createLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { lastingOwner, releaseAgain, releaseReservation, reservationLifetimeMs } from './quota.ts'

const intervalMs = 60_000

type Parts = Pick<Context, 'db' | 'clock' | 'processId'>

/**
 * Returns a round that renews the reservations of this process and releases those that other processes left behind. It
 * releases what an earlier round found expired, too: after a failure of the database, every process renews first. What this
 * process failed to release, such as on a full disk, it releases instead of renewing it.
 * @returns of the round: the number of released reservations
 */
export function createReservationRound({ db, clock, processId }: Parts): () => Promise<number> {
  let expiredBefore: ReadonlySet<string> = new Set()
  return async () => {
    await releaseAgain({ db })
    const own = await db.read.selectFrom('reservation').select('id').where('process_id', '=', processId).execute()
    // One unit each: it waits for at most one upload, and none waits for two of them.
    for (const { id } of own) {
      const change = { expires_at: clock.now() + reservationLifetimeMs }
      await db.write((trx) => trx.updateTable('reservation').set(change).where('id', '=', id).execute())
    }
    const now = clock.now()
    const rows = await db.read
      .selectFrom('reservation')
      .select('id')
      .where('expires_at', '<', now)
      .where('process_id', '<>', lastingOwner)
      .where('process_id', '<>', processId)
      .execute()
    const released: string[] = []
    for (const { id } of rows.filter((row) => expiredBefore.has(row.id))) {
      const isReleased = await db.write((trx) => releaseReservation(trx, id, now))
      if (isReleased) released.push(id)
    }
    expiredBefore = new Set(rows.map(({ id }) => id))
    return released.length
  }
}

/** Renews the reservations of uploads in progress, and releases those of replicas that are gone. */
export function createReservationWorker(
  context: Parts & Pick<Context, 'failures' | 'log'>,
  clock: WorkerClock,
): Worker {
  const round = createReservationRound(context)
  const work = async (): Promise<void> => {
    const released = await round()
    if (released > 0) context.log.info({ reservations: released }, 'released reservations of a replica that is gone')
  }
  return createLoop('reservations', intervalMs, clock, work, (error) =>
    context.failures.failed('reservations', error, 'worker failed', { worker: 'reservations' }),
  )
}
