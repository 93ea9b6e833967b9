import { CairnError } from '@cairn/protocol'
import type { FileImportState } from '@cairn/unixfs'
import type { Kysely } from 'kysely'
import { CID } from 'multiformats/cid'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { SealedPack } from '../packs/packs.ts'
import { lateWriterMs, type ResumableUpload, renewalOf, uploadTaken } from './store.ts'

/** How much of an upload is content, and what the next importer needs to continue. */
export type ImportProgress = FileImportState & {
  /** Bytes that are durable: complete chunks in packs, the others in `tail`. */
  offsetBytes: number
  /** First bytes of the file, up to `sniffBytes`. */
  start: Uint8Array
  /** How often bytes became durable. */
  parts: number
}

/** A subtree: base64 of its CID, bytes of the file in it, and bytes of all its blocks. */
const subtreeSchema = v.tuple([v.string(), v.number(), v.number()])
const levelsSchema = v.array(v.array(subtreeSchema))

const nothing: ImportProgress = { offsetBytes: 0, levels: [], tail: Buffer.of(), start: Buffer.of(), parts: 0 }

/** Notes, when an upload is created, that its bytes become content as they come. */
export async function insertImport(trx: Kysely<Schema>, uploadId: string): Promise<void> {
  await trx
    .insertInto('resumable_import')
    .values({ upload_id: uploadId, ...encode(nothing) })
    .execute()
}

/** Reads the progress of an upload. @throws CairnError UPLOAD_BUSY if it ended meanwhile */
export async function readImport(db: Kysely<Schema>, uploadId: string): Promise<ImportProgress> {
  const row = await db.selectFrom('resumable_import').selectAll().where('upload_id', '=', uploadId).executeTakeFirst()
  if (row === undefined) throw uploadTaken()
  const levels = v.parse(levelsSchema, JSON.parse(row.levels))
  return {
    offsetBytes: row.offset_bytes,
    levels: levels.map((level) =>
      level.map(([cid, fileSizeBytes, dagSizeBytes]) => ({
        cid: CID.decode(Buffer.from(cid, 'base64')),
        fileSizeBytes,
        dagSizeBytes,
      })),
    ),
    tail: row.tail,
    start: row.start,
    parts: row.parts,
  }
}

function encode({ offsetBytes, levels, tail, start, parts }: ImportProgress) {
  const texts = levels.map((level) =>
    level.map(({ cid, fileSizeBytes, dagSizeBytes }) => [
      Buffer.from(cid.bytes).toString('base64'),
      fileSizeBytes,
      dagSizeBytes,
    ]),
  )
  return {
    offset_bytes: offsetBytes,
    levels: JSON.stringify(texts),
    tail: Buffer.from(tail),
    start: Buffer.from(start),
    parts,
  }
}

/**
 * Records that more bytes of an upload are durable, with the pack that holds their complete chunks, in one unit of work.
 * @throws CairnError UPLOAD_BUSY when another writer took over, UNAVAILABLE when a pack with the same content was removed
 *   meanwhile: the same bytes can be sent again
 */
export async function advanceImport(
  context: Context,
  upload: ResumableUpload,
  writer: string,
  { from, to, sealed }: { from: number; to: ImportProgress; sealed: SealedPack },
): Promise<void> {
  const { id } = upload
  try {
    await context.db.write(async (trx) => {
      const now = context.clock.now()
      const { numUpdatedRows: renewed } = await trx
        .updateTable('resumable_upload')
        .set(renewalOf(context, upload, now))
        .where('id', '=', id)
        .where('writer', '=', writer)
        .where('state', '=', 'receiving')
        .where('writer_until', '>', now - lateWriterMs)
        .executeTakeFirstOrThrow()
      const { numUpdatedRows: advanced } = await trx
        .updateTable('resumable_import')
        .set(encode(to))
        .where('upload_id', '=', id)
        .where('offset_bytes', '=', from)
        .executeTakeFirstOrThrow()
      if (renewed === 0n || advanced === 0n) throw uploadTaken()
      await context.packs.hold(trx, sealed, id)
    })
  } catch (error) {
    if (!CairnError.is(error, 'CONFLICT')) throw error
    throw new CairnError('UNAVAILABLE', { message: error.message, retryAfterSeconds: 1, cause: error })
  }
}
