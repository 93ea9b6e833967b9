import type { Database } from '../db/database.ts'
import { hasLapsed } from '../db/has-lapsed.ts'

/** A held lease: the fence grows with every change of the holder. */
export type Lease = { fence: number; expiresAt: number }

/** Part of its duration that a lease still has when it is renewed. The rest allows for clocks that differ. */
const renewedAt = 2 / 3

/** The leases that this process holds, by name, so that a round without work writes nothing. */
const heldLeases = new WeakMap<Database, Map<string, Lease & { owner: string }>>()

/**
 * Acquires the lease of a job that only one replica may run, or renews it once a third of its duration has passed;
 * undefined while another holds it.
 */
export async function acquireLease(
  db: Database,
  { name, owner, now, durationMs }: { name: string; owner: string; now: number; durationMs: number },
): Promise<Lease | undefined> {
  const known = heldLeases.get(db)?.get(name)
  const leftMs = known?.owner === owner ? known.expiresAt - now : 0
  if (known !== undefined && leftMs > durationMs * renewedAt && leftMs <= durationMs) return known
  const expiresAt = now + durationMs
  const row = await db.write((trx) =>
    trx
      .insertInto('lease')
      .values({ name, owner, expires_at: expiresAt, fence: 1 })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet(({ eb, ref }) => ({
            owner,
            expires_at: expiresAt,
            fence: eb
              .case()
              .when('lease.owner', '=', owner)
              .then(ref('lease.fence'))
              .else(eb('lease.fence', '+', 1))
              .end(),
          }))
          .where(({ eb, or }) => or([eb('lease.owner', '=', owner), hasLapsed('lease.expires_at', now, durationMs)])),
      )
      .returning('fence')
      .executeTakeFirst(),
  )
  if (row === undefined) {
    heldLeases.get(db)?.delete(name)
    return undefined
  }
  const lease = { fence: row.fence, expiresAt }
  const held = heldLeases.get(db) ?? new Map<string, Lease & { owner: string }>()
  heldLeases.set(db, held.set(name, { ...lease, owner }))
  return lease
}

/** Prefix of the leases of backups, which `cairn-admin` holds. */
export const backupLeasePrefix = 'backup:'

/**
 * Ends the leases of a service that is gone. Only when no other service can be alive: a SQLite database belongs to
 * one. A backup may run beside it.
 */
export async function endAllLeases(db: Database): Promise<void> {
  heldLeases.delete(db)
  await db.write((trx) =>
    trx.updateTable('lease').set({ expires_at: 0 }).where('name', 'not like', `${backupLeasePrefix}%`).execute(),
  )
}

/** Releases a lease, so that other replicas need not wait for it to expire. */
export async function releaseLease(db: Database, { name, owner }: { name: string; owner: string }): Promise<void> {
  heldLeases.get(db)?.delete(name)
  await db.write((trx) =>
    trx.updateTable('lease').set({ expires_at: 0 }).where('name', '=', name).where('owner', '=', owner).execute(),
  )
}
