import { createSettledClock } from '@cairn/service'
import type { Context } from '../../context.ts'
import { createLeasedWorker } from '../../workers/leased-worker.ts'
import type { Worker, WorkerClock } from '../../workers/worker.ts'
import { applyRules } from './apply-rules.ts'
import { lastMidnight } from './rules.ts'

const workerName = 's3-lifecycle'
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
  const settled = createSettledClock(clock)
  return createLeasedWorker(
    context,
    { name: workerName, intervalMs, leaseMs },
    clock,
    async (hold) => {
      const now = settled.now()
      if (now !== undefined) await hold((held) => applyAll(context, async () => !held.aborted, now))
    },
    (error) => context.failures.failed(workerName, error, 'worker failed', { worker: workerName }),
  )
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
      context.failures.failed(workerName, error, 'failed to apply lifecycle rules', { bucket: name })
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
