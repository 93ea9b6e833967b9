import type { Database } from '../db/database.ts'

/** A held lease: the fence grows with every change of the holder. */
export type Lease = { fence: number; expiresAt: number }

/** Acquires or renews the lease of a job that only one replica may run; undefined while another holds it. */
export async function acquireLease(
  db: Database,
  { name, owner, now, durationMs }: { name: string; owner: string; now: number; durationMs: number },
): Promise<Lease | undefined> {
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
          .where(({ eb, or }) => or([eb('lease.owner', '=', owner), eb('lease.expires_at', '<=', now)])),
      )
      .returning('fence')
      .executeTakeFirst(),
  )
  return row === undefined ? undefined : { fence: row.fence, expiresAt }
}

/** Prefix of the leases of backups, which `cairn-admin` holds. */
export const backupLeasePrefix = 'backup:'

/**
 * Ends the leases of a service that is gone. Only when no other service can be alive: a SQLite database belongs to
 * one. A backup may run beside it.
 */
export async function endAllLeases(db: Database): Promise<void> {
  await db.write((trx) =>
    trx.updateTable('lease').set({ expires_at: 0 }).where('name', 'not like', `${backupLeasePrefix}%`).execute(),
  )
}

/** Releases a lease, so that other replicas need not wait for it to expire. */
export async function releaseLease(db: Database, { name, owner }: { name: string; owner: string }): Promise<void> {
  await db.write((trx) =>
    trx.updateTable('lease').set({ expires_at: 0 }).where('name', '=', name).where('owner', '=', owner).execute(),
  )
}
