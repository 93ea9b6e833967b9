import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import { createLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { partPrefix } from './receive-bytes.ts'
import { dropUpload, lateWriterMs, takeUpload } from './store.ts'
import { removeObjects, storeUpload } from './store-upload.ts'

/** Pause between rounds. */
const intervalMs = 10_000
const rowsInOneRound = 100
/** How long a finished object may wait for its row. */
const orphanAgeMs = 2 * lateWriterMs
const orphanSearchMs = 3_600_000

/**
 * Stores uploads whose last byte came and whose storing was broken off, removes those that are over, and objects that no row
 * names. Replicas may do so at once.
 */
export function createResumableWorker(context: Context, clock: WorkerClock): Worker {
  let searchedAt = Number.NEGATIVE_INFINITY
  const round = async (signal: AbortSignal): Promise<void> => {
    await storeLeftOver(context, signal)
    await removeExpired(context, signal)
    if (clock.now() - searchedAt < orphanSearchMs) return
    searchedAt = clock.now()
    await removeOrphans(context, signal)
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
    const keys = await dropUpload(context.db, id, { now })
    await removeObjects(
      context,
      keys.map((object_key) => ({ object_key })),
    )
  }
  return rows.length
}

/** Removes parts that crashes left without a row; answers how many. */
export async function removeOrphans(context: Context, signal: AbortSignal, ageMs = orphanAgeMs): Promise<number> {
  const before = context.clock.now() - ageMs
  let removed = 0
  for await (const { key, modifiedAt } of context.objects.list(partPrefix)) {
    signal.throwIfAborted()
    if (modifiedAt >= before) continue
    const row = await context.db.read
      .selectFrom('resumable_part')
      .select('object_key')
      .where('object_key', '=', key)
      .executeTakeFirst()
    if (row !== undefined) continue
    await context.objects.remove(key)
    removed++
  }
  return removed
}
