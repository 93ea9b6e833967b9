import { createHash } from 'node:crypto'
import { CairnError } from '@cairn/protocol'
import type { Context } from '../../context.ts'
import { reservationOf } from '../../ledger/ledger.ts'
import { type Feed, feedFrom } from '../../multipart/read-multipart.ts'
import { readParts } from '../../resumable/resumable.ts'
import { addParts, fileSource, openQuotaMeter } from '../../uploads/uploads.ts'
import { digestBody } from '../checksums/body-digests.ts'
import {
  type Checksum,
  type ChecksumAlgorithm,
  composeChecksum,
  type DeclaredChecksum,
} from '../checksums/checksums.ts'
import type { DigestThread } from '../checksums/digest-thread-client.ts'
import type { Conditions } from '../objects/conditions.ts'
import { infoOf } from '../objects/object-info.ts'
import { importOptions, openVersion } from '../objects/objects.ts'
import { s3Error } from '../s3-error.ts'
import type { Target } from '../s3-request.ts'
import { type ObjectRow, selectObject } from '../store.ts'
import {
  algorithmOf,
  dropMultipart,
  findMultipart,
  listParts,
  type Multipart,
  noSuchUpload,
  type Part,
  removeParts,
} from './parts.ts'

/** A part in the request that completes the upload, with its checksum if the request names one. */
export type NamedPart = { number: number; etag: string; checksum?: PartChecksum | undefined }
type PartChecksum = { algorithm: ChecksumAlgorithm; value: string }

/** Minimum size of all parts except the last, as in S3. */
export const minPartBytes = 5 * 1024 * 1024

type CompleteOptions = {
  conditions: Conditions
  declared: DeclaredChecksum | undefined
  /** Size that the client expects of the object, in bytes. */
  declaredBytes: number | undefined
  digests: Pick<DigestThread, 'begin'>
  signal: AbortSignal
}

/**
 * Imports the parts as one object, like any upload: durable when the promise resolves. If completion fails, the multipart upload
 * stays unchanged. If another request completes it meanwhile, returns the object of that request.
 * @throws CairnError `InvalidPart` (also for another checksum than the part has), `InvalidPartOrder`, `EntityTooSmall`, `BadDigest`, `NoSuchUpload`, and as `openVersion`
 */
export async function completeMultipart(
  context: Context,
  upload: Multipart,
  named: readonly NamedPart[],
  options: CompleteOptions,
): Promise<ObjectRow> {
  try {
    return await importMultipart(context, upload, named, options)
  } catch (error) {
    // A client that lost its connection sends the request again while the first one is still running.
    if ((await findMultipart(context, upload, upload.id)) !== undefined) throw error
    return requireCompleted(context, upload, upload.id, named)
  }
}

async function importMultipart(
  context: Context,
  upload: Multipart,
  named: readonly NamedPart[],
  { conditions, declared, declaredBytes, digests, signal }: CompleteOptions,
): Promise<ObjectRow> {
  const { id, address, bucket, key } = upload
  const parts = chooseParts(named, await listParts(context.db.read, id), algorithmOf(upload))
  const sizes = parts.map(({ size_bytes }) => size_bytes)
  const sizeBytes = sizes.reduce((sum, one) => sum + one, 0)
  if (declaredBytes !== undefined && declaredBytes !== sizeBytes) {
    throw s3Error('InvalidRequest', `The parts have ${sizeBytes} bytes, x-amz-mp-object-size is ${declaredBytes}.`)
  }
  const info = infoOf(upload)
  const etag = composeEtag(parts)
  let offset = 0
  const stored = parts.map((part) => {
    const at = offset
    offset += part.size_bytes
    return { object_key: part.object_key, offset_bytes: at, size_bytes: part.size_bytes }
  })
  const bytes = feedFrom(readParts(context.objects, stored, sizeBytes, signal))
  let checksum: Checksum | undefined
  const source = fileSource(
    async (take) => {
      checksum = await takeParts({ upload, parts, bytes, sizeBytes, digests }, take)
      if (declared?.value !== undefined && !matches(checksum, declared.value)) throw s3Error('BadDigest')
    },
    { fileName: undefined, sizeBytes },
  )
  const held = await context.db.read.selectFrom('reservation').select('bytes').where('id', '=', id).executeTakeFirst()
  const meter = openQuotaMeter(context, address, {
    reservation: reservationOf(context, id, address),
    heldBytes: held?.bytes ?? 0,
  })
  const version = openVersion(context, address, { bucket, key })
  let keys: string[] | undefined
  await addParts(context, address, source, {
    ...importOptions({ bucket, key }, info),
    held: { meter, record: async () => undefined },
    lock: async (trx) => {
      const locked = await version.lock(trx)
      keys = await dropMultipart(trx, id, context.clock.now())
      if (keys === undefined) throw noSuchUpload(id)
      return locked
    },
    record: (trx, [root]) => version.record(trx, root, { info, etag, checksum, partSizes: sizes, conditions }),
  })
  await removeParts(context, keys ?? [])
  return version.row()
}

function chooseParts(
  named: readonly NamedPart[],
  stored: readonly Part[],
  algorithm: ChecksumAlgorithm | undefined,
): Part[] {
  if (named.length === 0) throw s3Error('MalformedXML', 'At least one part must be specified')
  const byNumber = new Map(stored.map((part) => [part.part_number, part]))
  const chosen: Part[] = []
  let last = 0
  for (const { number, etag, checksum } of named) {
    if (number <= last) throw s3Error('InvalidPartOrder')
    last = number
    const part = byNumber.get(number)
    if (part === undefined || part.etag !== etag || !isChecksumOf(part, algorithm, checksum)) {
      throw s3Error('InvalidPart', undefined, { PartNumber: number })
    }
    chosen.push(part)
  }
  const small = chosen.slice(0, -1).find(({ size_bytes }) => size_bytes < minPartBytes)
  if (small !== undefined) {
    const { part_number: PartNumber, size_bytes: ProposedSize } = small
    throw s3Error('EntityTooSmall', undefined, { PartNumber, ProposedSize, MinSizeAllowed: minPartBytes })
  }
  return chosen
}

/** Without an algorithm of the upload, it is unknown which one the checksum of a part was computed with. */
/** Clients of MinIO declare a composite checksum without the number of its parts. */
function matches(checksum: Checksum | undefined, declared: string): boolean {
  if (checksum?.type !== 'COMPOSITE') return checksum?.value === declared
  return [checksum.value, checksum.value.replace(/-\d+$/, '')].includes(declared)
}

function isChecksumOf(part: Part, algorithm: ChecksumAlgorithm | undefined, named: PartChecksum | undefined): boolean {
  if (named === undefined || algorithm === undefined) return true
  return named.algorithm === algorithm && named.value === part.checksum
}

/** The ETag of an object in parts, as in S3: the MD5 of the MD5s of its parts, and their number. */
function composeEtag(parts: readonly { etag: string }[]): string {
  const hash = createHash('md5')
  for (const { etag } of parts) hash.update(Buffer.from(etag, 'hex'))
  return `${hash.digest('hex')}-${parts.length}`
}

/**
 * Returns the object that an earlier request completed from these parts. As in S3, a client that lost the response may send its
 * request again: the ETag of the current object tells whether it consists of the same parts.
 * @throws CairnError `NoSuchUpload` if it does not
 */
export async function requireCompleted(
  { db }: Pick<Context, 'db'>,
  { bucket, key }: Target,
  id: string,
  named: readonly NamedPart[],
): Promise<ObjectRow> {
  const row = await selectObject(db.read, bucket, key)
  if (row === undefined || row.etag !== composeEtag(named)) throw noSuchUpload(id)
  return row
}

type TakenParts = {
  upload: Multipart
  parts: readonly Part[]
  bytes: Feed
  sizeBytes: number
  digests: Pick<DigestThread, 'begin'>
}

/** Passes the bytes of all parts on to `take`. Returns the checksum that was requested when the upload was created. */
async function takeParts(
  { upload, parts, bytes, sizeBytes, digests }: TakenParts,
  take: Parameters<Feed>[0],
): Promise<Checksum | undefined> {
  const algorithm = algorithmOf(upload)
  const sums = parts.map(({ checksum }) => checksum ?? '')
  if (algorithm === undefined || upload.checksum_type !== 'FULL_OBJECT') {
    await bytes(take)
    return algorithm === undefined ? undefined : { ...composeChecksum(algorithm, sums), parts: sums }
  }
  const computing = digests.begin({ md5: false, sha256: false, checksum: algorithm }, sizeBytes)
  const { checksum: value } = await digestBody(bytes, computing, take, () => undefined)
  if (value === undefined) throw new CairnError('INTERNAL')
  return { algorithm, value, type: 'FULL_OBJECT', parts: sums }
}
