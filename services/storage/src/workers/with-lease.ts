import type { Context } from '../context.ts'
import { acquireLease } from './lease.ts'

/**
 * Runs work while this process holds a lease, and renews it. Returns without work while another replica holds it. The
 * signal passed in aborts when the lease is lost. The lease stays held afterwards: release it when its owner stops.
 */
export async function withLease(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  lease: { name: string; owner: string; durationMs: number },
  signal: AbortSignal,
  work: (held: AbortSignal) => Promise<void>,
): Promise<void> {
  const take = () => acquireLease(db, { ...lease, now: clock.now() })
  if ((await take()) === undefined) return
  const lost = new AbortController()
  const renewal = setInterval(() => {
    take().then(
      (held) => {
        if (held === undefined) lost.abort(new Error('another replica has the lease'))
      },
      (error: unknown) => lost.abort(error),
    )
  }, lease.durationMs / 4)
  try {
    await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    clearInterval(renewal)
  }
}
