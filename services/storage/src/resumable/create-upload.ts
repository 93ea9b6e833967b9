import { CairnError, MIB, resumableBytesMost } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import { measureFreeDisk } from '../accounts/free-storage.ts'
import { holdRoom, lastingOwner } from '../accounts/quota.ts'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { createUploadId } from '../uploads/uploads.ts'
import type { ResumableUpload } from './store.ts'
import { readUploadMetadata } from './upload-metadata.ts'

/** How far a body's length may lie above the bytes of its files: headers of many small parts. */
const framingBytesMost = 16 * MIB

/**
 * Begins an upload: room for its bytes is held until it is over.
 *
 * @throws CairnError as `reserve`; UPLOAD_LIMIT, PAYLOAD_TOO_LARGE, and what is wrong with the metadata
 */
export async function createUpload(
  context: Context,
  address: string,
  lengthBytes: number,
  metadata: string,
): Promise<ResumableUpload> {
  const { body } = readUploadMetadata(metadata)
  if (lengthBytes > resumableBytesMost) {
    throw new CairnError('PAYLOAD_TOO_LARGE', { details: { bytesMost: resumableBytesMost } })
  }
  const { openUploadsMost, uploadLifeMs } = context.config
  const now = context.clock.now()
  const id = createUploadId(now)
  const upload: ResumableUpload = {
    id,
    address,
    length_bytes: lengthBytes,
    offset_bytes: 0,
    metadata,
    state: lengthBytes === 0 ? 'received' : 'receiving',
    result: null,
    error: null,
    writer: null,
    writer_until: null,
    tries: 0,
    retry_at: now,
    created_at: now,
    expires_at: now + uploadLifeMs,
  }
  const freeDiskBytes = await measureFreeDisk(context)
  await context.db.write(async (trx) => {
    // It takes the account's row, so that those of one account come here one after the other.
    await hold(context, trx, { ...upload, freeDiskBytes }, body.kind === 'file')
    const { open } = await trx
      .selectFrom('resumable_upload')
      .select(({ fn }) => fn.countAll<number>().as('open'))
      .where('address', '=', address)
      .where('state', 'in', ['receiving', 'received'])
      .executeTakeFirstOrThrow()
    if (Number(open) >= openUploadsMost) {
      throw new CairnError('UPLOAD_LIMIT', { details: { uploadsMost: openUploadsMost } })
    }
    await trx.insertInto('resumable_upload').values(upload).execute()
  })
  return upload
}

/** Files may fit where they do not with the headers between them; then all that is left is held. */
async function hold(
  context: Context,
  trx: Kysely<Schema>,
  {
    id,
    address,
    length_bytes: bytes,
    expires_at: expiresAt,
    freeDiskBytes,
  }: ResumableUpload & { freeDiskBytes: number },
  isExact: boolean,
): Promise<void> {
  const room = { id, address, processId: lastingOwner, expiresAt, freeDiskBytes }
  try {
    await holdRoom(context, trx, { ...room, bytes })
  } catch (error) {
    if (isExact || !CairnError.is(error, 'QUOTA_EXCEEDED')) throw error
    const missing = Number(error.details['missingBytes'])
    if (!(missing <= Math.min(framingBytesMost, bytes / 4))) throw error
    await holdRoom(context, trx, { ...room, bytes: bytes - missing })
  }
}
