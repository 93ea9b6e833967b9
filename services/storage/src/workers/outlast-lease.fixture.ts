import { expect, vi } from 'vitest'
import type { Database } from '../db/database.ts'
import { acquireLease } from './lease.ts'

/** Lets only the timers of renewals follow the clock of a test. Undo it with `vi.useRealTimers`. */
export function fakeRenewals(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
}

/**
 * Lets twice the duration of a lease pass during the work under it, renewal by renewal.
 * @returns whether another replica gets the lease then
 */
export async function outlastLease(
  db: Database,
  clock: { ms: number },
  { name, durationMs }: { name: string; durationMs: number },
): Promise<boolean> {
  const readLeftMs = async () => {
    const row = db.read.selectFrom('lease').select('expires_at').where('name', '=', name)
    return (await row.executeTakeFirstOrThrow()).expires_at - clock.ms
  }
  for (let passed = 0; passed < 8; passed++) {
    clock.ms += durationMs / 4
    vi.advanceTimersByTime(durationMs / 4)
    await expect.poll(readLeftMs, { timeout: 20_000 }).toBeGreaterThan((durationMs * 2) / 3)
  }
  return (await acquireLease(db, { name, owner: 'another replica', durationMs, now: clock.ms })) !== undefined
}
