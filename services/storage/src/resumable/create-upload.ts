import { CairnError, MIB, maxResumableBytes, resumableSegmentBytes } from '@cairn/protocol'
import { isUniqueViolation, uuidv7 } from '@cairn/service'
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import { endedWithLink, isInProgress } from '../db/is-in-progress.ts'
import type { Schema } from '../db/schema.ts'
import { isShortage, lastingOwner, measureFreeDisk, reserveSpace } from '../ledger/ledger.ts'
import { claimUpload } from '../upload-links/upload-links.ts'
import { insertImport } from './import-progress.ts'
import { type ResumableUpload, selectUploads, toUpload, type Uploader, uploadLifeMs } from './store.ts'
import { narrowMetadata, readIdempotencyKey, readUploadMetadata } from './upload-metadata.ts'

/** Maximum excess of a body's length over the bytes of its files: headers of many small parts. */
const maxFramingBytes = 16 * MIB

/**
 * Smaller files are imported once all of their bytes have arrived, which takes one more read of one object and creates one pack.
 */
const minImportBytes = resumableSegmentBytes

/**
 * Creates an upload and reserves quota for its bytes until it ends. A repeated call with the same idempotency key returns the
 * same upload, and counts once towards the limits of an upload link.
 *
 * @throws CairnError as `reserve`; UPLOAD_LIMIT, PAYLOAD_TOO_LARGE, errors about the metadata and the key, and those of
 *   {@link claimUpload}
 */
export async function createUpload(
  context: Context,
  uploader: Uploader,
  lengthBytes: number,
  metadata: string,
): Promise<ResumableUpload> {
  const { uploadLink = null } = uploader
  const key = readIdempotencyKey(metadata)
  const narrow = uploadLink === null ? { metadata, contentType: undefined } : narrowMetadata(metadata)
  const upload = describeUpload(context, uploader, lengthBytes, narrow.metadata, key)
  const known = await findCreated(context, upload)
  if (known !== undefined) return known
  const file = { lengthBytes, contentType: narrow.contentType }
  try {
    return await insertUpload(context, upload, file)
  } catch (error) {
    // A concurrent call with the same key created it, or the answer to the commit was lost.
    const created = await findCreated(context, upload)
    if (created !== undefined) return created
    if (isUniqueViolation(error)) throw new CairnError('CONFLICT', { cause: error })
    throw uploadLink !== null && isShortage(error) ? describeToSender(error) : error
  }
}

/** The upload that a call with the same key created. @throws CairnError INVALID_REQUEST if that call was about another file */
async function findCreated(context: Context, upload: ResumableUpload): Promise<ResumableUpload | undefined> {
  if (upload.idempotency_key === null) return undefined
  const row = await selectUploads(context.db.read)
    .where('address', '=', upload.address)
    .where('idempotency_key', '=', upload.idempotency_key)
    .where('expires_at', '>', endedWithLink)
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.length_bytes === upload.length_bytes && row.metadata === upload.metadata) return toUpload(row)
  throw new CairnError('INVALID_REQUEST', {
    message: 'The idempotency-key belongs to an upload with another length or other metadata',
    hint: 'Use a new random key for each upload.',
  })
}

/** A sender learns nothing about the storage of the account. */
function describeToSender(error: CairnError): CairnError {
  return new CairnError('QUOTA_EXCEEDED', {
    message: 'The account of this link has too little storage left',
    hint: 'Ask the person who shared the link.',
    cause: error,
  })
}

function describeUpload(
  context: Context,
  uploader: Uploader,
  lengthBytes: number,
  metadata: string,
  key: string | undefined,
): ResumableUpload {
  const { address, uploadLink = null } = uploader
  // An invalid description is reported before bytes are sent.
  const { body } = readUploadMetadata(metadata)
  if (lengthBytes > maxResumableBytes) {
    throw new CairnError('PAYLOAD_TOO_LARGE', { details: { limitBytes: maxResumableBytes } })
  }
  const now = context.clock.now()
  return {
    id: uuidv7(now),
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
    expires_at: now + uploadLifeMs(context.config, uploadLink),
    upload_link_id: uploadLink,
    // Each link has keys of its own.
    idempotency_key: key === undefined ? null : `${uploadLink ?? ''}:${key}`,
    isImporting: body.kind === 'file' && lengthBytes >= minImportBytes,
  }
}

async function insertUpload(
  context: Context,
  upload: ResumableUpload,
  file: { lengthBytes: number; contentType: string | undefined },
): Promise<ResumableUpload> {
  const { address, upload_link_id: uploadLink } = upload
  const { body } = readUploadMetadata(upload.metadata)
  const { maxOpenUploads } = context.config
  const limits = { now: upload.created_at, maxOpen: maxOpenUploads }
  // A file that the link does not accept is reported as such, not as missing storage.
  if (uploadLink !== null) await claimUpload(context.db.read, uploadLink, file, limits)
  const freeDiskBytes = await measureFreeDisk(context)
  await context.db.write(async (trx) => {
    // It locks the account's row, so that uploads of one account are created one after the other.
    await hold(context, trx, { ...upload, freeDiskBytes }, body.kind === 'file')
    if (uploadLink === null) await requireFewOpen(trx, address, maxOpenUploads)
    else await claimUpload(trx, uploadLink, file, limits)
    const { isImporting, ...row } = upload
    await trx.insertInto('resumable_upload').values(row).execute()
    if (isImporting) await insertImport(trx, upload.id)
  })
  return upload
}

async function requireFewOpen(trx: Kysely<Schema>, address: string, limit: number): Promise<void> {
  const { open } = await trx
    .selectFrom('resumable_upload')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('address', '=', address)
    .where('upload_link_id', 'is', null)
    .where(isInProgress)
    .executeTakeFirstOrThrow()
  if (Number(open) >= limit) throw new CairnError('UPLOAD_LIMIT', { details: { limit } })
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
