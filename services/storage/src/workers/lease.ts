import type { Database } from '../db/database.ts'

/** A lease held: the fence grows with every change of the holder. */
export type Lease = { fence: number; expiresAt: number }

/**
 * Takes or renews the right to do a job that only one replica may do; undefined while another holds it.
 */
export async function takeLease(
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

/** Ends the leases of a process that is gone. Only where no other process can be alive: a SQLite database belongs to one. */
export async function endAllLeases(db: Database): Promise<void> {
  await db.write((trx) => trx.updateTable('lease').set({ expires_at: 0 }).execute())
}

/** Gives a lease back, so that nobody has to wait for its end. */
export async function giveLease(db: Database, { name, owner }: { name: string; owner: string }): Promise<void> {
  await db.write((trx) =>
    trx.updateTable('lease').set({ expires_at: 0 }).where('name', '=', name).where('owner', '=', owner).execute(),
  )
}
