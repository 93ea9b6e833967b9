import { CairnError, MIB, maxResumableBytes } from '@cairn/protocol'
import { uuidv7 } from '@cairn/service'
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { lastingOwner, measureFreeDisk, reserveSpace } from '../ledger/ledger.ts'
import type { ResumableUpload } from './store.ts'
import { readUploadMetadata } from './upload-metadata.ts'

/** Maximum excess of a body's length over the bytes of its files: headers of many small parts. */
const maxFramingBytes = 16 * MIB

/**
 * Creates an upload and reserves quota for its bytes until it ends.
 *
 * @throws CairnError as `reserve`; UPLOAD_LIMIT, PAYLOAD_TOO_LARGE, and errors about the metadata
 */
export async function createUpload(
  context: Context,
  address: string,
  lengthBytes: number,
  metadata: string,
): Promise<ResumableUpload> {
  const { body } = readUploadMetadata(metadata)
  if (lengthBytes > maxResumableBytes) {
    throw new CairnError('PAYLOAD_TOO_LARGE', { details: { limitBytes: maxResumableBytes } })
  }
  const { maxOpenUploads, uploadLifeMs } = context.config
  const now = context.clock.now()
  const id = uuidv7(now)
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
    // It locks the account's row, so that uploads of one account are created one after the other.
    await hold(context, trx, { ...upload, freeDiskBytes }, body.kind === 'file')
    const { open } = await trx
      .selectFrom('resumable_upload')
      .select(({ fn }) => fn.countAll<number>().as('open'))
      .where('address', '=', address)
      .where('state', 'in', ['receiving', 'received'])
      .executeTakeFirstOrThrow()
    if (Number(open) >= maxOpenUploads) {
      throw new CairnError('UPLOAD_LIMIT', { details: { limit: maxOpenUploads } })
    }
    await trx.insertInto('resumable_upload').values(upload).execute()
  })
  return upload
}

/** Files may fit although files and headers together do not; then the whole rest is reserved. */
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
  const space = { id, address, processId: lastingOwner, expiresAt, freeDiskBytes }
  try {
    await reserveSpace(context, trx, { ...space, bytes })
  } catch (error) {
    if (isExact || !CairnError.is(error, 'QUOTA_EXCEEDED')) throw error
    const missing = Number(error.details['missingBytes'])
    if (!(missing <= Math.min(maxFramingBytes, bytes / 4))) throw error
    await reserveSpace(context, trx, { ...space, bytes: bytes - missing })
  }
}
