import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import { removeAllDoomed } from '../objects/doomed-objects.ts'
import { createLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { partPrefix } from './receive-bytes.ts'
import { dropUpload, takeUpload } from './store.ts'
import { removeParts, storeUpload } from './store-upload.ts'

/** Pause between rounds. */
const intervalMs = 10_000
const rowsInOneRound = 100
/**
 * Stores complete uploads whose storing was interrupted, and removes expired uploads, dropped parts, and parts of replicas that
 * are gone. Replicas may do so at the same time.
 */
export function createResumableWorker(context: Context, clock: WorkerClock): Worker {
  const round = async (signal: AbortSignal): Promise<void> => {
    await storeLeftOver(context, signal)
    await removeExpired(context, signal)
    await removeAllDoomed(context, signal)
    await removeAbandoned(context, signal)
  }
  return createLoop('resumable-uploads', intervalMs, clock, round, (error) =>
    context.failures.failed('resumable-uploads', error, 'a worker failed', { worker: 'resumable-uploads' }),
  )
}

/** Stores what is complete and belongs to nobody; answers how many. */
export async function storeLeftOver(context: Context, signal: AbortSignal): Promise<number> {
  const now = context.clock.now()
  const rows = await context.db.read
    .selectFrom('resumable_upload')
    .select('id')
    .where('state', '=', 'received')
    .where('retry_at', '<=', now)
    .orderBy('retry_at')
    .limit(rowsInOneRound)
    .execute()
  let stored = 0
  for (const { id } of rows) {
    signal.throwIfAborted()
    const writer = randomUUID()
    const upload = await takeUpload(context, id, 'received', writer)
    if (upload === undefined) continue
    try {
      await storeUpload(context, upload, writer, signal)
      stored++
    } catch (error) {
      // It is noted with the upload: one that fails never stops the others.
      context.failures.failed('store upload', error, 'an upload could not be stored', { upload: id })
    }
  }
  return stored
}

/** Removes uploads whose time is over; answers how many. */
export async function removeExpired(context: Context, signal: AbortSignal): Promise<number> {
  const now = context.clock.now()
  const rows = await context.db.read
    .selectFrom('resumable_upload')
    .select('id')
    .where('expires_at', '<=', now)
    .where(({ eb, or }) => or([eb('writer', 'is', null), eb('writer_until', '<=', now)]))
    .orderBy('expires_at')
    .limit(rowsInOneRound)
    .execute()
  for (const { id } of rows) {
    signal.throwIfAborted()
    await removeParts(context, await dropUpload(context, id, 'expired'))
  }
  return rows.length
}

/** Removes parts whose replica ended before it recorded them: no client was told of them. Returns how many. */
export async function removeAbandoned(context: Context, signal: AbortSignal): Promise<number> {
  let removed = 0
  for await (const { key, settle } of context.objects.listAbandoned(partPrefix)) {
    signal.throwIfAborted()
    const row = await context.db.read
      .selectFrom('resumable_part')
      .select('object_key')
      .where('object_key', '=', key)
      .executeTakeFirst()
    if (row === undefined) {
      await context.objects.remove(key)
      removed++
    }
    await settle()
  }
  return removed
}
