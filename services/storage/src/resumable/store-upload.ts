import { randomUUID } from 'node:crypto'
import { CairnError, type Uploaded, uploadWriterLifetimeMs } from '@cairn/protocol'
import { giveBack, isShortage, reservationOf } from '../accounts/quota.ts'
import type { Context } from '../context.ts'
import { type Feed, feedFrom } from '../multipart/read-multipart.ts'
import { removeDoomed } from '../objects/doomed-objects.ts'
import { addFiles, giveUp, type HeldUpload, importCar, openQuotaMeter } from '../uploads/uploads.ts'
import { endUpload, keepUpload, leaveUpload, listParts, type ResumableUpload, type UploadPart } from './store.ts'
import { readParts } from './stored-body.ts'
import { readUploadMetadata } from './upload-metadata.ts'

/** How long what came of an upload can be asked. */
const resultLifeMs = 24 * 3_600_000
/** Tries to store an upload that fails by our own fault, and the pause after the first, doubled each time. */
const triesMost = 12
const firstRetryMs = 5_000
const longestRetryMs = 3_600_000

/**
 * Makes content of an upload whose bytes are all there, on the same way as `/api/v0/add`. What is stored, the room it takes
 * and the end of the upload are one unit of work: it happens once, whoever tries how often.
 *
 * @param writer has the right to work on the upload; it is given back
 * @throws CairnError what is wrong with the bytes (the upload has failed then), or why it could not be stored now
 */
export async function storeUpload(
  context: Context,
  upload: ResumableUpload,
  writer: string,
  signal: AbortSignal,
): Promise<Uploaded[]> {
  const { id } = upload
  const beat = setInterval(() => {
    keepUpload(context, id, writer).catch((error: unknown) =>
      context.failures.failed('keep upload', error, 'cannot keep an upload', { upload: id }),
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

/** Removes the objects of dropped parts. The worker finishes what fails here. */
export async function removeParts(context: Context, keys: readonly string[]): Promise<void> {
  await giveUp(context, 'remove the parts', () => removeDoomed(context, keys))
}

const keysOf = (parts: readonly UploadPart[]): string[] => parts.map(({ object_key }) => object_key)

async function importBody(
  context: Context,
  upload: ResumableUpload,
  writer: string,
  parts: readonly UploadPart[],
  signal: AbortSignal,
): Promise<Uploaded[]> {
  const { id, address, length_bytes: lengthBytes, metadata } = upload
  const { name, mimeType, storageType, encryption, wrap, profile, body } = readUploadMetadata(metadata)
  const room = await context.db.read.selectFrom('reservation').select('bytes').where('id', '=', id).executeTakeFirst()
  const held: HeldUpload = {
    meter: openQuotaMeter(context, address, {
      reservation: reservationOf(context, id, address),
      heldBytes: room?.bytes ?? 0,
    }),
    record: (trx, roots) =>
      endUpload(trx, id, writer, context.clock.now(), {
        state: 'stored',
        result: JSON.stringify(roots),
        error: null,
        expires_at: context.clock.now() + resultLifeMs,
      }),
  }
  const bytes = readParts(context.objects, parts, lengthBytes, signal)
  // A file is given to the reader of multipart bodies as the one part of such a body: there is one way in.
  const boundary = body.kind === 'multipart' ? body.boundary : `cairn-${randomUUID()}`
  const feed = body.kind === 'multipart' ? feedFrom(bytes) : wrapFile(bytes, boundary, name)
  const common = { boundary, bodyBytes: undefined, isKubo: false, storageType, held }
  if (body.kind === 'car') return (await importCar(context, address, feed, { ...common, signal })).roots
  return (await addFiles(context, address, feed, { ...common, profile, wrap, onlyHash: false, encryption, mimeType }))
    .roots
}

function wrapFile(bytes: AsyncIterable<Uint8Array>, boundary: string, name: string | undefined): Feed {
  // In quotes, a backslash or %22 of the name itself would be read as an escape.
  const fileName = name === undefined ? '' : `; filename*=UTF-8''${encodeURIComponent(name)}`
  return feedFrom(
    (async function* () {
      yield Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"${fileName}\r\n\r\n`)
      yield* bytes
      yield Buffer.from(`\r\n--${boundary}--\r\n`)
    })(),
  )
}

/** Whether another try would fail in the same way. */
function isFinal(error: unknown, tries: number): boolean {
  if (tries >= triesMost) return true
  if (!CairnError.is(error)) return false
  if (error.code === 'DATA_DAMAGED') return true
  return error.status >= 400 && error.status < 500 && !error.retry && !isShortage(error)
}

async function end(
  context: Context,
  upload: ResumableUpload,
  writer: string,
  parts: readonly UploadPart[],
  fault: unknown,
): Promise<void> {
  const { id } = upload
  const now = context.clock.now()
  // Whoever asks before the next try is due uses none up: else a minute of a full disk would be the end of all that was sent.
  const isDue = upload.retry_at <= now
  const tries = isDue ? upload.tries + 1 : upload.tries
  if (!isFinal(fault, tries)) {
    const retryAt = isDue ? now + Math.min(longestRetryMs, firstRetryMs * 2 ** upload.tries) : upload.retry_at
    await giveUp(context, 'note a try', async () => {
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
  const { code, message, hint } = CairnError.from(fault)
  await giveUp(context, 'note the end', async () => {
    await context.db.write(async (trx) => {
      await giveBack(trx, id)
      await endUpload(trx, id, writer, now, {
        state: 'failed',
        result: null,
        error: JSON.stringify({ code, message, hint }),
        expires_at: context.clock.now() + resultLifeMs,
      })
    })
    await removeParts(context, keysOf(parts))
  })
  await giveUp(context, 'give an upload back', () => leaveUpload(context, id, writer))
}
