import { CairnError, type Uploaded, uploadWriterLifetimeMs } from '@cairn/protocol'
import { isUpcoming } from '@cairn/service'
import { describeWriteError } from '@cairn/service/objects'
import type { Context } from '../context.ts'
import { isShortage, releaseReservation, reservationOf } from '../ledger/ledger.ts'
import { feedFrom } from '../multipart/read-multipart.ts'
import { lockHeld, requireHeld } from '../packs/packs.ts'
import { countStored } from '../upload-links/upload-links.ts'
import {
  addParts,
  attemptCleanup,
  fileSource,
  type HeldUpload,
  importCar,
  multipartSource,
  openQuotaMeter,
} from '../uploads/uploads.ts'
import { readImport } from './import-progress.ts'
import { removeDropped } from './remove-dropped.ts'
import {
  type Dropped,
  endUpload,
  listParts,
  maxRetryMs,
  type ResumableUpload,
  releaseUpload,
  renewUpload,
} from './store.ts'
import { readParts } from './stored-body.ts'
import { readUploadMetadata } from './upload-metadata.ts'

/** How long the result of an upload is available. */
const resultLifeMs = 24 * 3_600_000
/**
 * Maximum number of attempts when storing fails by an error of the service, and the first pause, which doubles each
 * time.
 */
const maxTries = 12
const firstRetryMs = 5_000

/**
 * Stores a complete upload through the same path as `/api/v0/add`. The content, its quota and the end of the upload
 * are one unit of work: it happens once, however often it is retried.
 *
 * @param writer holds the upload; it is released
 * @throws CairnError the error in the bytes (the upload has then failed), or why it could not be stored now
 */
export async function storeUpload(
  context: Context,
  upload: ResumableUpload,
  writer: string,
  signal: AbortSignal,
): Promise<Uploaded[]> {
  const { id } = upload
  const beat = setInterval(() => {
    renewUpload(context, id, writer).catch((error: unknown) =>
      context.failures.failed('keep upload', error, 'failed to store an upload', { upload: id }),
    )
  }, uploadWriterLifetimeMs / 4)
  beat.unref()
  try {
    const { roots, dropped } = await importBody(context, upload, writer, signal)
    await removeDropped(context, dropped)
    return roots
  } catch (error) {
    const failure = await findCause(context, error)
    await end(context, upload, writer, { failure, isAborted: signal.aborted })
    throw failure
  } finally {
    clearInterval(beat)
  }
}

async function importBody(
  context: Context,
  upload: ResumableUpload,
  writer: string,
  signal: AbortSignal,
): Promise<{ roots: Uploaded[]; dropped: Dropped }> {
  const { id, address, length_bytes: lengthBytes, metadata, upload_link_id: uploadLink } = upload
  const { name, settings, body } = readUploadMetadata(metadata)
  const reservation = await context.db.read
    .selectFrom('reservation')
    .select('bytes')
    .where('id', '=', id)
    .executeTakeFirst()
  let dropped: Dropped = { keys: [], packs: [] }
  const held: HeldUpload = {
    meter: openQuotaMeter(context, address, {
      reservation: reservationOf(context, id, address),
      heldBytes: reservation?.bytes ?? 0,
    }),
    uploadLink: uploadLink ?? undefined,
    record: async (trx, roots) => {
      const now = context.clock.now()
      dropped = await endUpload({ trx, kind: context.db.kind }, upload, writer, now, {
        state: 'stored',
        result: JSON.stringify(roots),
        error: null,
        expires_at: now + resultLifeMs,
      })
      if (uploadLink === null) return
      for (const { Hash: cid } of roots) await countStored(trx, uploadLink, { cid, sizeBytes: lengthBytes }, now)
    },
  }
  const options = { ...settings, isKubo: false, onlyHash: false, held }
  if (upload.isImporting) {
    // All but the last bytes are content already.
    const { levels, tail, start } = await readImport(context.db.read, id)
    const begun = { levels, start, packIds: await requireHeld(context, id) }
    const source = fileSource(feedFrom([tail]), { fileName: name })
    const { roots } = await addParts(context, address, source, { ...options, begun })
    return { roots, dropped }
  }
  const parts = await listParts(context.db.read, id)
  const feed = feedFrom(readParts(context.objects, parts, lengthBytes, signal))
  const source =
    body.kind === 'multipart' ? multipartSource(feed, body.boundary, undefined) : fileSource(feed, { fileName: name })
  const { roots } = await (body.kind === 'car'
    ? importCar(context, address, source, { ...options, signal })
    : addParts(context, address, source, options))
  return { roots, dropped }
}

/** Bytes are missing, too, while the disk of the store is not mounted. Then that is the failure, and the bytes return. */
async function findCause({ objects }: Context, error: unknown): Promise<unknown> {
  if (!CairnError.is(error, 'DATA_DAMAGED')) return error
  try {
    await objects.probe()
  } catch (cause) {
    return describeWriteError(cause)
  }
  return error
}

/** Whether a retry would fail in the same way. */
function isFinal(error: unknown, tries: number): boolean {
  if (tries >= maxTries) return true
  if (!CairnError.is(error)) return false
  if (error.code === 'DATA_DAMAGED') return true
  // The account may be unblocked before the upload expires.
  if (error.code === 'ACCOUNT_BLOCKED') return false
  return error.status >= 400 && error.status < 500 && !error.retry && !isShortage(error)
}

async function end(
  context: Context,
  upload: ResumableUpload,
  writer: string,
  { failure, isAborted }: { failure: unknown; isAborted: boolean },
): Promise<void> {
  const { id } = upload
  const now = context.clock.now()
  // A request before the next attempt is due does not count: otherwise a minute of a full disk would discard the
  // whole upload. Neither does an attempt that a stop of this service aborted.
  const isDue = !isUpcoming(upload.retry_at, now, maxRetryMs) && !isAborted
  const tries = isDue ? upload.tries + 1 : upload.tries
  if (!isFinal(failure, tries)) {
    const retryAt = isDue ? now + Math.min(maxRetryMs, firstRetryMs * 2 ** upload.tries) : upload.retry_at
    await attemptCleanup(context, 'record an attempt', async () => {
      await context.db.write((trx) =>
        trx
          .updateTable('resumable_upload')
          .set({ tries, retry_at: retryAt, writer: null, writer_until: null })
          .where('id', '=', id)
          .where('writer', '=', writer)
          .execute(),
      )
    })
    return
  }
  await failUpload(context, upload, writer, failure)
  await attemptCleanup(context, 'release the lease', () => releaseUpload(context, id, writer))
}

/** Ends an upload with an error that its client can read, and drops its bytes. */
export async function failUpload(
  context: Context,
  upload: ResumableUpload,
  writer: string,
  failure: unknown,
): Promise<void> {
  const { code, message, hint } = CairnError.from(failure)
  await attemptCleanup(context, 'record the result', async () => {
    const now = context.clock.now()
    const { db } = context
    const dropped = await db.write(async (trx) => {
      // Before the account, as in deletions.
      await lockHeld(trx, db.kind, upload.id)
      await releaseReservation(trx, upload.id)
      return endUpload({ trx, kind: db.kind }, upload, writer, now, {
        state: 'failed',
        result: null,
        error: JSON.stringify({ code, message, hint }),
        expires_at: now + resultLifeMs,
      })
    })
    await removeDropped(context, dropped)
  })
}
