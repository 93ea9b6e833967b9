import { CairnError, type Uploaded, uploadWriterLifetimeMs } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { isShortage, releaseReservation, reservationOf } from '../ledger/ledger.ts'
import { feedFrom } from '../multipart/read-multipart.ts'
import { removeDoomed } from '../objects/doomed-objects.ts'
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
import { endUpload, listParts, type ResumableUpload, releaseUpload, renewUpload, type UploadPart } from './store.ts'
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
const maxRetryMs = 3_600_000

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
  let parts: UploadPart[] = []
  try {
    parts = await listParts(context.db.read, id)
    const roots = await importBody(context, upload, writer, parts, signal)
    await removeParts(context, keysOf(parts))
    return roots
  } catch (error) {
    await end(context, upload, writer, parts, error)
    throw error
  } finally {
    clearInterval(beat)
  }
}

/** Removes the objects of dropped parts. The worker retries failures. */
export async function removeParts(context: Context, keys: readonly string[]): Promise<void> {
  await attemptCleanup(context, 'remove the parts', () => removeDoomed(context, keys))
}

const keysOf = (parts: readonly UploadPart[]): string[] => parts.map(({ object_key }) => object_key)

async function importBody(
  context: Context,
  upload: ResumableUpload,
  writer: string,
  parts: readonly UploadPart[],
  signal: AbortSignal,
): Promise<Uploaded[]> {
  const { id, address, length_bytes: lengthBytes, metadata, upload_link_id: uploadLink } = upload
  const { name, settings, body } = readUploadMetadata(metadata)
  const reservation = await context.db.read
    .selectFrom('reservation')
    .select('bytes')
    .where('id', '=', id)
    .executeTakeFirst()
  const held: HeldUpload = {
    meter: openQuotaMeter(context, address, {
      reservation: reservationOf(context, id, address),
      heldBytes: reservation?.bytes ?? 0,
    }),
    record: async (trx, roots) => {
      const now = context.clock.now()
      await endUpload(trx, id, writer, now, {
        state: 'stored',
        result: JSON.stringify(roots),
        error: null,
        expires_at: now + resultLifeMs,
      })
      if (uploadLink === null) return
      for (const { Hash: cid } of roots) await countStored(trx, uploadLink, { cid, sizeBytes: lengthBytes }, now)
    },
  }
  const feed = feedFrom(readParts(context.objects, parts, lengthBytes, signal))
  const source =
    body.kind === 'multipart'
      ? multipartSource(feed, body.boundary, undefined)
      : fileSource(feed, { fileName: name, sizeBytes: undefined })
  const options = { ...settings, isKubo: false, held }
  if (body.kind === 'car') return (await importCar(context, address, source, { ...options, signal })).roots
  return (await addParts(context, address, source, { ...options, onlyHash: false })).roots
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
  parts: readonly UploadPart[],
  failure: unknown,
): Promise<void> {
  const { id } = upload
  const now = context.clock.now()
  // A request before the next attempt is due does not count: otherwise a minute of a full disk would discard the
  // whole upload.
  const isDue = upload.retry_at <= now
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
  const { code, message, hint } = CairnError.from(failure)
  await attemptCleanup(context, 'record the result', async () => {
    await context.db.write(async (trx) => {
      await releaseReservation(trx, id)
      await endUpload(trx, id, writer, now, {
        state: 'failed',
        result: null,
        error: JSON.stringify({ code, message, hint }),
        expires_at: context.clock.now() + resultLifeMs,
      })
    })
    await removeParts(context, keysOf(parts))
  })
  await attemptCleanup(context, 'release the lease', () => releaseUpload(context, id, writer))
}
