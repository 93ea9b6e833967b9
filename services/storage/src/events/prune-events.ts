import { sql } from 'kysely'
import type { Context } from '../context.ts'

/** Accounts per query, and deleted events per unit of work. */
const accountsAtOnce = 200
const eventsAtOnce = 1000

/**
 * Deletes events that are too old or exceed the limit of their account, oldest first, so that the stored events of an
 * account have no gaps.
 * @returns the number of deleted events
 */
export async function pruneEvents(
  { db, config, clock }: Pick<Context, 'db' | 'config' | 'clock'>,
  signal: AbortSignal,
): Promise<number> {
  const cutoff = clock.now() - config.eventLifetimeMs
  let deleted = 0
  for (let after = ''; !signal.aborted; ) {
    const accounts = await findDue({ db, config }, cutoff, after)
    for (const { address, event_count: newest } of accounts) {
      for (let isDone = false; !isDone && !signal.aborted; ) {
        const count = await pruneAccount({ db, config }, address, newest, cutoff)
        deleted += count
        isDone = count < eventsAtOnce
      }
    }
    const last = accounts.at(-1)
    if (last === undefined || accounts.length < accountsAtOnce) break
    after = last.address
  }
  return deleted
}

/** Returns accounts whose oldest event is due. Reads one event per account. */
function findDue(
  { db, config }: Pick<Context, 'db' | 'config'>,
  cutoff: number,
  after: string,
): Promise<{ address: string; event_count: number }[]> {
  const oldest = (column: 'sequence' | 'created_at') =>
    sql<number>`(select ${sql.ref(column)} from account_event
      where account_event.address = account.address order by sequence limit 1)`
  return db.read
    .selectFrom('account')
    .select(['address', 'event_count'])
    .where('address', '>', after)
    .where('event_count', '>', 0)
    .where(
      sql<boolean>`(${oldest('created_at')} < ${cutoff} or ${oldest('sequence')} <= event_count - ${config.maxEventsPerAccount})`,
    )
    .orderBy('address')
    .limit(accountsAtOnce)
    .execute()
}

async function pruneAccount(
  { db, config }: Pick<Context, 'db' | 'config'>,
  address: string,
  newest: number,
  cutoff: number,
): Promise<number> {
  const rows = await db.read
    .selectFrom('account_event')
    .select(['sequence', 'created_at'])
    .where('address', '=', address)
    .orderBy('sequence')
    .limit(eventsAtOnce)
    .execute()
  const kept = rows.findIndex((row) => row.created_at >= cutoff && row.sequence > newest - config.maxEventsPerAccount)
  const due = kept === -1 ? rows : rows.slice(0, kept)
  const last = due.at(-1)
  if (last === undefined) return 0
  await db.write((trx) =>
    trx.deleteFrom('account_event').where('address', '=', address).where('sequence', '<=', last.sequence).execute(),
  )
  return due.length
}
