import { randomUUID } from 'node:crypto'
import { uploadWriterLifetimeMs } from '@cairn/protocol'
import { createSettledClock } from '@cairn/service'
import type { Context } from '../context.ts'
import { isUnheld } from '../db/has-lapsed.ts'
import { endedWithLink } from '../db/is-in-progress.ts'
import { removeAllDoomed } from '../objects/doomed-objects.ts'
import { collectRefusals } from '../objects/refusals.ts'
import { removeAbandonedObjects } from '../objects/remove-abandoned.ts'
import { createLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { partPrefix } from './receive-bytes.ts'
import { removeDropped, removeReleased } from './remove-dropped.ts'
import { acquireUpload, dropForeignImports, dropUpload, listReceived } from './store.ts'
import { storeUpload } from './store-upload.ts'

/** Pause between rounds. */
const intervalMs = 10_000
const rowsInOneRound = 100
/**
 * Stores complete uploads whose storing was interrupted, and removes expired uploads, dropped parts, and parts of
 * replicas that are gone. Replicas may run it concurrently.
 */
export function createResumableWorker(context: Context, clock: WorkerClock): Worker {
  const settled = createSettledClock(clock)
  const round = async (signal: AbortSignal): Promise<void> => {
    await storeLeftOver(context, signal)
    await removeExpired(context, signal, settled.now() ?? endedWithLink)
    await removeReleased(context, await dropForeignImports(context))
    const refusals = collectRefusals()
    await refusals.attempt(async () => void (await removeAllDoomed(context, signal)))
    await refusals.attempt(async () => void (await removeAbandoned(context, signal)))
    refusals.end()
  }
  return createLoop('resumable-uploads', intervalMs, clock, round, (error) =>
    context.failures.failed('resumable-uploads', error, 'worker failed', { worker: 'resumable-uploads' }),
  )
}

/** Stores complete uploads without a writer; returns their number. Those of blocked accounts wait until they expire. */
export async function storeLeftOver(context: Context, signal: AbortSignal): Promise<number> {
  let stored = 0
  for (const id of await listReceived(context, rowsInOneRound)) {
    signal.throwIfAborted()
    const writer = randomUUID()
    const upload = await acquireUpload(context, id, 'received', writer)
    if (upload === undefined) continue
    try {
      await storeUpload(context, upload, writer, signal)
      stored++
    } catch (error) {
      // The error is stored with the upload; one failure never stops the others.
      context.failures.failed('store upload', error, 'failed to store an upload', { upload: id })
    }
  }
  return stored
}

/**
 * Removes expired uploads; returns their number. Until then, their clients can continue them.
 * @param expiredBy the time by which they expired, in ms since 1970
 */
export async function removeExpired(
  context: Context,
  signal: AbortSignal,
  expiredBy = context.clock.now(),
): Promise<number> {
  const rows = await context.db.read
    .selectFrom('resumable_upload')
    .select('id')
    .where('expires_at', '<=', expiredBy)
    .where(isUnheld('writer', context.clock.now(), uploadWriterLifetimeMs))
    .orderBy('expires_at')
    .limit(rowsInOneRound)
    .execute()
  for (const { id } of rows) {
    signal.throwIfAborted()
    await removeDropped(context, await dropUpload(context, id, expiredBy))
  }
  return rows.length
}

/** Removes parts whose replica stopped before it recorded and acknowledged them. Returns their number. */
export function removeAbandoned({ db, objects }: Context, signal: AbortSignal): Promise<number> {
  const isRecorded = async (key: string) => {
    const row = db.read.selectFrom('resumable_part').select('object_key').where('object_key', '=', key)
    return (await row.executeTakeFirst()) !== undefined
  }
  return removeAbandonedObjects(objects, partPrefix, isRecorded, signal)
}
