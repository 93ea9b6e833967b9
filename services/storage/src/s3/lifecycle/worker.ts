import { createSettledClock } from '@cairn/service'
import type { Context } from '../../context.ts'
import { releaseLease } from '../../workers/lease.ts'
import { withLease } from '../../workers/with-lease.ts'
import { createLoop, type Worker, type WorkerClock } from '../../workers/worker.ts'
import { applyRules } from './apply-rules.ts'
import { lastMidnight } from './rules.ts'

const leaseName = 's3-lifecycle'
const leaseMs = 60_000
/** Delay between rounds, in ms. */
const intervalMs = 60_000
/** Buckets per round. */
const bucketsAtOnce = 1000

/**
 * Returns the worker that applies the lifecycle rules of buckets: after each midnight UTC, and when rules change. One replica does so
 * at a time.
 */
export function createLifecycleWorker(context: Context, clock: WorkerClock): Worker {
  const lease = { name: leaseName, owner: context.processId, durationMs: leaseMs }
  const settled = createSettledClock(clock)
  const round = async (signal: AbortSignal): Promise<void> => {
    const now = settled.now()
    if (now === undefined) return
    await withLease(context, lease, signal, (held) => applyAll(context, async () => !held.aborted, now))
  }
  const loop = createLoop(leaseName, intervalMs, clock, round, (error) =>
    context.failures.failed(leaseName, error, 'worker failed', { worker: leaseName }),
  )
  return {
    name: leaseName,
    async run(signal) {
      await loop.run(signal)
      await releaseLease(context.db, lease)
    },
  }
}

/** Applies the rules of all buckets that are due. A bucket that fails is tried again in the next round, after the others. */
export async function applyAll(
  context: Context,
  mayGoOn: () => Promise<boolean>,
  now = context.clock.now(),
): Promise<void> {
  for (const name of await selectDue(context, now)) {
    if (!(await mayGoOn())) return
    try {
      await applyRules(context, name, mayGoOn, now)
    } catch (error) {
      context.failures.failed(leaseName, error, 'failed to apply lifecycle rules', { bucket: name })
    }
  }
}

/**
 * Returns the names of the buckets whose rules changed, or were not applied since midnight. A clock that was ahead left a round in
 * the future, which counts for nothing.
 */
async function selectDue({ db }: Context, now: number): Promise<string[]> {
  const rows = await db.read
    .selectFrom('s3_bucket')
    .select('name')
    .where('lifecycle', 'is not', null)
    .where(({ eb, or }) =>
      or([
        eb('lifecycle_applied_at', 'is', null),
        eb('lifecycle_applied_at', '<', lastMidnight(now)),
        eb('lifecycle_applied_at', '>', now),
      ]),
    )
    .orderBy('lifecycle_applied_at')
    .limit(bucketsAtOnce)
    .execute()
  return rows.map(({ name }) => name)
}
