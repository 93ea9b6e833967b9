import type { Context } from '../context.ts'
import { type Lease, releaseLease } from './lease.ts'
import { withLease } from './with-lease.ts'
import { createLoop, type Worker, type WorkerClock } from './worker.ts'

/** The name, the pause between rounds, and the duration of the lease, which has the name of the worker. */
type LeasedWork = { readonly name: string; readonly intervalMs: number; readonly leaseMs: number }

/** Runs work under the lease of a worker, as {@link withLease}. */
export type HoldLease = (work: (held: AbortSignal, acquired: Lease) => Promise<void>) => Promise<boolean>

/**
 * Creates a loop whose rounds do their work on one replica at a time. The lease stays held between rounds.
 * @param round runs on every replica, and its work under the lease
 */
export function createLeasedWorker(
  context: Pick<Context, 'db' | 'clock' | 'processId'>,
  { name, intervalMs, leaseMs }: LeasedWork,
  clock: WorkerClock,
  round: (hold: HoldLease, signal: AbortSignal) => Promise<unknown>,
  onError: (error: unknown) => void,
): Worker {
  const lease = { name, owner: context.processId, durationMs: leaseMs }
  const work = async (signal: AbortSignal): Promise<void> => {
    await round((held) => withLease(context, lease, signal, held), signal)
  }
  return releaseAfter(createLoop(name, intervalMs, clock, work, onError), context, lease)
}

/** Returns a worker that releases its lease when it stops, so that another replica need not wait for its end. */
export function releaseAfter(
  worker: Worker,
  { db }: Pick<Context, 'db'>,
  lease: { name: string; owner: string },
): Worker {
  return {
    name: worker.name,
    async run(signal) {
      await worker.run(signal)
      await releaseLease(db, lease)
    },
  }
}
