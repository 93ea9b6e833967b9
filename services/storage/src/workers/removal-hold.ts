import { CairnError } from '@cairn/protocol'
import type { Clock } from '../context.ts'
import type { Database } from '../db/database.ts'
import { backupLeasePrefix } from './lease.ts'

/** How long a hold lasts that its process no longer renews, and how often it renews it. */
const holdMs = 10 * 60_000
const renewMs = 60_000

/** Keeps every object that a snapshot of the database names until it is copied. */
export type RemovalHold = AsyncDisposable & {
  /** Aborts when the hold was lost. */
  readonly signal: AbortSignal
  /** Renews the hold. @throws CairnError CONFLICT when it was lost meanwhile */
  renew(): Promise<void>
}

type Parts = { db: Database; clock: Clock }

/** How long a hold must stay unrenewed to be over, whatever its end says. */
const silentMs = 2 * holdMs

/** The holds that this process found, with their ends and the time when it first found these. */
const foundHolds = new WeakMap<Database, Map<string, { expiresAt: number; since: number }>>()

/**
 * Whether a backup runs. Ask after the decision to remove an object is committed and before it is removed: a snapshot that
 * names the object began before the decision, so its hold was committed too.
 *
 * A backup that was killed while its clock was ahead leaves a hold that ends much later. This process measures the time that a hold
 * stays unrenewed by a clock that is never set, and removes such a hold.
 */
export async function isRemovalHeld({ db, clock }: Parts): Promise<boolean> {
  const holds = await db.read
    .selectFrom('lease')
    .select(['name', 'expires_at'])
    .where('name', 'like', `${backupLeasePrefix}%`)
    .where('expires_at', '>', clock.now())
    .execute()
  const before = foundHolds.get(db)
  const found = new Map<string, { expiresAt: number; since: number }>()
  foundHolds.set(db, found)
  for (const { name, expires_at: expiresAt } of holds) {
    const known = before?.get(name)
    const since = known?.expiresAt === expiresAt ? known.since : performance.now()
    if (performance.now() - since < silentMs) {
      found.set(name, { expiresAt, since })
      continue
    }
    // Its backup learns of it when it renews the hold.
    await db.write((trx) =>
      trx.deleteFrom('lease').where('name', '=', name).where('expires_at', '=', expiresAt).execute(),
    )
  }
  return found.size > 0
}

/** Postpones all removals of objects, by any replica. Take the snapshot after this. */
export async function holdRemovals({ db, clock }: Parts, id: string): Promise<RemovalHold> {
  const name = backupLeasePrefix + id
  const lost = new AbortController()
  let expiresAt = clock.now() + holdMs
  await db.write(async (trx) => {
    await trx
      .deleteFrom('lease')
      .where('name', 'like', `${backupLeasePrefix}%`)
      .where('expires_at', '<=', clock.now())
      .execute()
    await trx.insertInto('lease').values({ name, owner: id, expires_at: expiresAt, fence: 1 }).execute()
  })
  const renew = async (): Promise<void> => {
    const now = clock.now()
    const next = now + holdMs
    const { numUpdatedRows } = await db.write((trx) =>
      trx
        .updateTable('lease')
        .set({ expires_at: next })
        .where('name', '=', name)
        .where('expires_at', '>', now)
        .executeTakeFirstOrThrow(),
    )
    if (numUpdatedRows === 0n) {
      throw new CairnError('CONFLICT', {
        message: 'The backup was suspended for so long that packs may have been removed meanwhile',
        hint: 'Run it again. Packs that were copied are not copied again.',
      })
    }
    expiresAt = next
  }
  const timer = setInterval(() => {
    renew().catch((error: unknown) => {
      // A database that does not answer has minutes left.
      if (CairnError.is(error, 'CONFLICT') || clock.now() >= expiresAt) lost.abort(error)
    })
  }, renewMs)
  timer.unref()
  return {
    signal: lost.signal,
    renew,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await db.write((trx) => trx.deleteFrom('lease').where('name', '=', name).execute())
    },
  }
}
