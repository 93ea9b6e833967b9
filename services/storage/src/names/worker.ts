import { type Kysely, sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { createLeasedWorker } from '../workers/leased-worker.ts'
import type { Worker, WorkerClock } from '../workers/worker.ts'
import type { NamesContext } from './names-context.ts'
import { renewRecord } from './publish-record.ts'
import type { EntryRow, NameRow } from './store.ts'

const name = 'names'
const leaseMs = 60_000
/** Pause between rounds: well below a third of the minimum record lifetime. */
const intervalMs = 10_000
const rowsAtOnce = 100
/** Delay before retrying a failed renewal, so that it does not block other names. */
const retryMs = 10 * 60_000
/**
 * How long a record of a name without an account is kept unless it is sent again, as in the DHT: its expiry is chosen by
 * the sender, and may be centuries ahead.
 * @see https://specs.ipfs.tech/routing/kad-dht/
 */
const maxUnlistedAgeMs = 48 * 3_600_000

/** Result of a round. */
export type NamesRound = { renewed: number; failed: number; dropped: number }

/** Renews the records whose keys the service holds, and deletes records of names without an account. */
export function createNamesWorker(
  context: NamesContext & Pick<Context, 'metrics' | 'processId'>,
  clock: WorkerClock,
): Worker {
  const work = async (held: AbortSignal): Promise<void> => {
    const round = await renewNames(context, held)
    context.metrics.namesRenewed.inc(round.renewed)
    if (round.renewed + round.failed + round.dropped > 0) context.log.info(round, 'renewed names')
  }
  return createLeasedWorker(
    context,
    { name, intervalMs, leaseMs },
    clock,
    (hold) => hold(work),
    (error) => context.failures.failed(name, error, 'failed to renew names'),
  )
}

/** Renews all due records, one after the other. Concurrent replicas do no harm: each renewal is accepted once. */
export async function renewNames(context: NamesContext, signal: AbortSignal): Promise<NamesRound> {
  const { db, clock, failures } = context
  const round: NamesRound = { renewed: 0, failed: 0, dropped: await dropForeign(context) }
  for (let rows = await findDue(db.read, clock.now()); rows.length > 0; rows = await findDue(db.read, clock.now())) {
    for (const row of rows) {
      if (signal.aborted) return round
      try {
        const entry = await findHolder(db.read, row.name)
        if (entry !== undefined && (await renewRecord(context, entry, row))) round.renewed++
        else await postpone(context, row)
      } catch (error) {
        round.failed++
        failures.failed('name', error, 'failed to renew a name', { name: row.name })
        await postpone(context, row)
      }
    }
  }
  return round
}

function findDue(db: Kysely<Schema>, now: number): Promise<NameRow[]> {
  return db
    .selectFrom('ipns_name')
    .selectAll()
    .where('renew_at', '<=', now)
    .orderBy('renew_at')
    .limit(rowsAtOnce)
    .execute()
}

function findHolder(db: Kysely<Schema>, name: string): Promise<EntryRow | undefined> {
  return db
    .selectFrom('name_entry')
    .selectAll()
    .where('name', '=', name)
    .where('seal', 'is not', null)
    .executeTakeFirst()
}

async function postpone({ db, clock }: NamesContext, { name, renew_at }: NameRow): Promise<void> {
  await db.write((trx) =>
    trx
      .updateTable('ipns_name')
      .set({ renew_at: clock.now() + retryMs })
      .where('name', '=', name)
      .where('renew_at', '=', renew_at)
      .execute(),
  )
}

/** A literal in the statement, because only then do the databases use the index of such names. */
const isUnlisted = sql<boolean>`origin <> 'account'`

/**
 * Deletes names that are on no list when their record expires or was not sent for {@link maxUnlistedAgeMs}; names that
 * were on a list keep their sequence.
 */
async function dropForeign({ db, clock }: NamesContext): Promise<number> {
  const now = clock.now()
  const cleared = { value: null, record: null, valid_until: null, ttl_ms: null }
  // Each has an index of its own.
  const conditions = [
    sql<boolean>`valid_until <= ${now}`,
    sql<boolean>`valid_until is not null and updated_at <= ${now - maxUnlistedAgeMs}`,
  ]
  return db.write(async (trx) => {
    let dropped = 0n
    for (const isDue of conditions) {
      const { numDeletedRows } = await trx
        .deleteFrom('ipns_name')
        .where('origin', '=', 'foreign')
        .where(isUnlisted)
        .where(isDue)
        .executeTakeFirstOrThrow()
      const { numUpdatedRows } = await trx
        .updateTable('ipns_name')
        .set(cleared)
        .where('origin', '=', 'unlisted')
        .where(isUnlisted)
        .where(isDue)
        .executeTakeFirstOrThrow()
      dropped += numDeletedRows + numUpdatedRows
    }
    return Number(dropped)
  })
}
