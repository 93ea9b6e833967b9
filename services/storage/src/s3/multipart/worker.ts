import { createSettledClock } from '@cairn/service'
import type { Context } from '../../context.ts'
import { removeAbandonedObjects } from '../../objects/remove-abandoned.ts'
import { createLoop, type Worker, type WorkerClock } from '../../workers/worker.ts'
import { abortMultipart, partPrefix } from './parts.ts'

/** Delay between rounds, in ms. */
const intervalMs = 60_000
const rowsInOneRound = 100

/** Returns the worker that aborts expired multipart uploads and removes parts of stopped replicas. Runs on every replica. */
export function createS3Worker(context: Context, clock: WorkerClock): Worker {
  const settled = createSettledClock(clock)
  const round = async (signal: AbortSignal): Promise<void> => {
    await abortExpired(context, signal, settled.now() ?? 0)
    await removeAbandonedParts(context, signal)
  }
  return createLoop('s3-uploads', intervalMs, clock, round, (error) =>
    context.failures.failed('s3-uploads', error, 'worker failed', { worker: 's3-uploads' }),
  )
}

/**
 * Aborts expired multipart uploads. Returns their number. Until then, their clients can continue them.
 * @param expiredBy the time by which they expired, in ms since 1970
 */
export async function abortExpired(
  context: Context,
  signal: AbortSignal,
  expiredBy = context.clock.now(),
): Promise<number> {
  const rows = await context.db.read
    .selectFrom('s3_multipart')
    .select('id')
    .where('expires_at', '<=', expiredBy)
    .orderBy('expires_at')
    .limit(rowsInOneRound)
    .execute()
  for (const { id } of rows) {
    signal.throwIfAborted()
    await abortMultipart(context, id, expiredBy)
  }
  return rows.length
}

/** Removes parts whose replica stopped before it recorded and acknowledged them. Returns their number. */
function removeAbandonedParts({ db, objects }: Context, signal: AbortSignal): Promise<number> {
  const isRecorded = async (key: string) => {
    const row = db.read.selectFrom('s3_part').select('object_key').where('object_key', '=', key)
    return (await row.executeTakeFirst()) !== undefined
  }
  return removeAbandonedObjects(objects, partPrefix, isRecorded, signal)
}
