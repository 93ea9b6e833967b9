import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { acquireLease, type Lease } from './lease.ts'

/**
 * Runs work while this process holds a lease, and renews it. Returns without work while another replica holds it. The
 * signal passed in aborts when the lease is lost. The lease stays held afterwards: release it when its owner stops.
 * @returns whether the work ran
 */
export async function withLease(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  lease: { name: string; owner: string; durationMs: number },
  signal: AbortSignal,
  work: (held: AbortSignal, acquired: Lease) => Promise<void>,
): Promise<boolean> {
  const take = () => acquireLease(db, { ...lease, now: clock.now() })
  const acquired = await take()
  if (acquired === undefined) return false
  const lost = new AbortController()
  const renewal = setInterval(() => {
    take().then(
      (held) => {
        if (held !== undefined) return
        lost.abort(new CairnError('CONFLICT', { message: `Another replica holds the lease ${lease.name}` }))
      },
      (error: unknown) => lost.abort(error),
    )
  }, lease.durationMs / 4)
  try {
    await work(AbortSignal.any([signal, lost.signal]), acquired)
  } finally {
    clearInterval(renewal)
  }
  return true
}
