import { CairnError } from '@cairn/protocol'
import { isUpcoming } from '@cairn/service'
import type { Context } from '../../context.ts'
import { createLeasedWorker } from '../../workers/leased-worker.ts'
import type { Worker, WorkerClock } from '../../workers/worker.ts'
import { selectBucket } from '../store.ts'
import { publishChanges } from './publish-bucket.ts'

const workerName = 's3-publish'
const leaseMs = 10 * 60_000
/** Delay between rounds, in ms. */
const intervalMs = 3000
/** Buckets per query, and attempts per round. */
const bucketsAtOnce = 100
/** A bucket is published at most during this part of the time: large ones, which take longer, less often. */
const maxBusyShare = 1 / 20
/** Delay before retrying a bucket that could not be published, in ms. Doubles with each failure. */
const firstRetryMs = 60_000
const maxRetryMs = 60 * 60_000

/** What rounds keep for the next one. */
export type PublishRounds = {
  /** When a bucket may be published again, the pause until then, and after a failure the delay of its retry. */
  readonly due: Map<string, { at: number; pauseMs: number; retryMs: number }>
  /** The bucket that the next round starts after, so that each has its turn. */
  after: string
}

export function createPublishRounds(): PublishRounds {
  return { due: new Map(), after: '' }
}

/** Returns the worker that publishes changed buckets under their names. One replica does so at a time. */
export function createPublishWorker(context: Context, clock: WorkerClock): Worker {
  const rounds = createPublishRounds()
  return createLeasedWorker(
    context,
    { name: workerName, intervalMs, leaseMs },
    clock,
    (hold) => hold(async (held) => void (await publishChanged(context, rounds, held))),
    (error) => context.failures.failed(workerName, error, 'worker failed', { worker: workerName }),
  )
}

/** Publishes the buckets that changed since. Returns their number. */
export async function publishChanged(context: Context, rounds: PublishRounds, signal: AbortSignal): Promise<number> {
  const { db, clock } = context
  const { due } = rounds
  let published = 0
  for (let attempts = 0; attempts < bucketsAtOnce && !signal.aborted; ) {
    const rows = await db.read
      .selectFrom('s3_bucket')
      .select('name')
      .whereRef('published_revision', '<>', 'revision')
      .where('name', '>', rounds.after)
      .orderBy('name')
      .limit(bucketsAtOnce)
      .execute()
    for (const { name } of rows) {
      if (signal.aborted) break
      rounds.after = name
      const known = due.get(name)
      if (known !== undefined && isUpcoming(known.at, clock.now(), known.pauseMs)) continue
      attempts++
      if (await publishOne(context, due, name, signal)) published++
    }
    if (rows.length < bucketsAtOnce) {
      rounds.after = ''
      break
    }
  }
  // The delay of a bucket that still fails is longer than this one.
  for (const [name, { at, pauseMs, retryMs }] of due)
    if (!isUpcoming(at + retryMs, clock.now(), pauseMs + retryMs)) due.delete(name)
  return published
}

/** Returns whether a bucket was published, and notes when it may be again. */
async function publishOne(
  context: Context,
  due: PublishRounds['due'],
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { clock } = context
  const start = performance.now()
  try {
    await publishChanges(context, name, signal)
    const pauseMs = (performance.now() - start) / maxBusyShare
    due.set(name, { at: clock.now() + pauseMs, pauseMs, retryMs: 0 })
    return true
  } catch (error) {
    if (signal.aborted) return false
    const before = due.get(name)?.retryMs ?? 0
    const retryMs = Math.min(maxRetryMs, Math.max(firstRetryMs, 2 * before))
    due.set(name, { at: clock.now() + retryMs, pauseMs: retryMs, retryMs })
    await recordFailure(context, name, CairnError.from(error))
    return false
  }
}

/**
 * Records why a bucket could not be published, and logs it unless it is recorded already. A name that the account removed ends its
 * publication.
 */
async function recordFailure({ db, failures }: Context, name: string, error: CairnError): Promise<void> {
  // Another call published the bucket at the same time: the next round compares.
  if (error.code === 'CONFLICT') return
  const row = await selectBucket(db.read, name)
  if (row?.publish_error !== error.code)
    // By reason, so that one bucket does not hide another reason of others in the same minute.
    failures.failed(`${workerName} ${error.code}`, error, 'failed to publish a bucket', { bucket: name })
  const isOver = error.code === 'NAME_NOT_FOUND'
  await db.write((trx) =>
    trx
      .updateTable('s3_bucket')
      .set({ publish_error: error.code, ...(isOver ? { published_revision: null } : {}) })
      .where('name', '=', name)
      .execute(),
  )
}
