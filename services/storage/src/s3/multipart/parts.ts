import { randomUUID } from 'node:crypto'
import { type CairnError, MIB } from '@cairn/protocol'
import { uuidv7 } from '@cairn/service'
import type { Kysely, Selectable } from 'kysely'
import type { Context } from '../../context.ts'
import type { S3MultipartTable, S3PartTable, Schema } from '../../db/schema.ts'
import {
  joinReservation,
  lastingOwner,
  releaseReservation,
  reserve,
  reserveSpace,
  shrinkReservation,
} from '../../ledger/ledger.ts'
import { doomObjects, removeDoomed } from '../../objects/doomed-objects.ts'
import { attemptCleanup } from '../../uploads/uploads.ts'
import { type ChecksumAlgorithm, type ChecksumType, checksumAlgorithms } from '../checksums/checksums.ts'
import type { ObjectInfo } from '../objects/object-info.ts'
import type { ObjectBody } from '../read-body.ts'
import { s3Error } from '../s3-error.ts'
import type { Target } from '../s3-request.ts'
import { lockBucket } from '../store.ts'

export type Multipart = Selectable<S3MultipartTable>
export type Part = Selectable<S3PartTable>

/** Prefix of parts in the object store, until their upload is completed or aborted. */
export const partPrefix = 's3-parts/'
/** Maximum part number, as in S3. */
export const maxPartNumber = 10_000
/** Maximum number of unfinished uploads per bucket. */
const maxOpenUploads = 1000
/**
 * Bytes that a part reserves at least, so that the quota of an account limits the number of its parts, too: one of a few bytes is a
 * row and an object as well.
 */
const minReservedBytes = 4096
const reservedBytes = (sizeBytes: number): number => Math.max(sizeBytes, minReservedBytes)
/** Chunks are combined up to this size before they are written, in bytes. */
const writeBytes = MIB

/** Creates a multipart upload. Its reservation covers its parts until it is completed or aborted. */
export async function createMultipart(
  context: Context,
  address: string,
  { bucket, key }: Target,
  info: ObjectInfo,
  checksum: { algorithm: ChecksumAlgorithm; type: ChecksumType } | undefined,
): Promise<string> {
  const now = context.clock.now()
  const id = uuidv7(now)
  const expiresAt = now + context.config.uploadLifeMs
  await context.db.write(async (trx) => {
    if ((await lockBucket(trx, address, bucket)) === undefined)
      throw s3Error('NoSuchBucket', undefined, { BucketName: bucket })
    const { open } = await trx
      .selectFrom('s3_multipart')
      .select(({ fn }) => fn.countAll<number>().as('open'))
      .where('bucket', '=', bucket)
      .executeTakeFirstOrThrow()
    if (Number(open) >= maxOpenUploads) {
      throw s3Error(
        'InvalidRequest',
        `The bucket has ${maxOpenUploads} unfinished multipart uploads. Abort some of them.`,
      )
    }
    await reserveSpace(context, trx, {
      id,
      address,
      bytes: 0,
      processId: lastingOwner,
      expiresAt,
      freeDiskBytes: Number.POSITIVE_INFINITY,
    })
    await trx
      .insertInto('s3_multipart')
      .values({
        id,
        bucket,
        key,
        address,
        headers: JSON.stringify(info.headers),
        metadata: JSON.stringify(info.metadata),
        tags: info.tags.length === 0 ? null : JSON.stringify(info.tags),
        checksum_algorithm: checksum?.algorithm ?? null,
        checksum_type: checksum?.type ?? null,
        created_at: now,
        expires_at: expiresAt,
      })
      .execute()
  })
  return id
}

/** Returns a multipart upload. @throws CairnError `NoSuchUpload` */
export async function requireMultipart(
  { db }: Pick<Context, 'db'>,
  { bucket, key }: Target,
  id: string,
): Promise<Multipart> {
  const row = await findMultipart({ db }, { bucket, key }, id)
  if (row === undefined) throw noSuchUpload(id)
  return row
}

/** Returns a multipart upload; undefined if it is not in progress. */
export async function findMultipart(
  { db }: Pick<Context, 'db'>,
  { bucket, key }: Target,
  id: string,
): Promise<Multipart | undefined> {
  const row = await db.read.selectFrom('s3_multipart').selectAll().where('id', '=', id).executeTakeFirst()
  return row?.bucket === bucket && row.key === key ? row : undefined
}

export function noSuchUpload(id: string): CairnError {
  return s3Error('NoSuchUpload', undefined, { UploadId: id.slice(0, 64) })
}

/** Returns the algorithm that was chosen when the upload was created. */
export function algorithmOf({ checksum_algorithm: name }: Multipart): ChecksumAlgorithm | undefined {
  return checksumAlgorithms.find((one) => one === name)
}

/** Lists the unfinished uploads of a bucket, ordered by key. */
export function listMultiparts(db: Kysely<Schema>, bucket: string): Promise<Multipart[]> {
  return db.selectFrom('s3_multipart').selectAll().where('bucket', '=', bucket).orderBy('key').orderBy('id').execute()
}

/** Lists the parts of an upload, in order. */
export function listParts(db: Kysely<Schema>, id: string): Promise<Part[]> {
  return db.selectFrom('s3_part').selectAll().where('upload_id', '=', id).orderBy('part_number').execute()
}

/**
 * Stores a part: durable when the promise resolves. Replaces a part with the same number. Of a part whose upload ends meanwhile, nothing
 * remains.
 * @throws CairnError as `openBody`; `NoSuchUpload`, QUOTA_EXCEEDED, STORAGE_FULL, STORAGE_FAILED
 */
export async function putPart(context: Context, upload: Multipart, number: number, body: ObjectBody): Promise<Part> {
  const { db, objects, clock } = context
  const { id } = upload
  // Of this process until the part is recorded, so that a killed one leaves nothing reserved.
  const reservation = await reserve(context, upload.address, reservedBytes(body.sizeBytes))
  let replaced: string[] = []
  try {
    const key = `${partPrefix}${id}.${number}.${randomUUID()}`
    await writeObject(context, key, body)
    const sum = body.checksum()
    const part: Part = {
      upload_id: id,
      part_number: number,
      size_bytes: body.sizeBytes,
      etag: body.md5(),
      checksum: sum?.value ?? null,
      object_key: key,
      created_at: clock.now(),
    }
    let isRefused = false
    try {
      await db.write(async (trx) => {
        isRefused = true
        replaced = await recordPart(context, trx, part, reservation.id)
        isRefused = false
      })
    } catch (error) {
      // After a failed commit, whose response may be lost, the object stays unconfirmed, and the worker settles it.
      if (isRefused) await attemptCleanup(context, 'remove a part', () => objects.remove(key))
      throw error
    }
    await attemptCleanup(context, 'confirm a part', () => objects.confirm(key))
    await attemptCleanup(context, 'remove a part', () => removeDoomed(context, replaced))
    return part
  } catch (error) {
    await attemptCleanup(context, 'release the reservation of a part', () => reservation.release())
    throw error
  }
}

async function recordPart(
  { clock, config }: Context,
  trx: Kysely<Schema>,
  part: Part,
  reservationId: string,
): Promise<string[]> {
  const { upload_id: id, part_number: number } = part
  const upload = await trx
    .updateTable('s3_multipart')
    .set({ expires_at: clock.now() + config.uploadLifeMs })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (upload === undefined) throw noSuchUpload(id)
  await joinReservation(trx, reservationId, id)
  const old = await trx
    .deleteFrom('s3_part')
    .where('upload_id', '=', id)
    .where('part_number', '=', number)
    .returning(['object_key', 'size_bytes'])
    .execute()
  const keys = old.map(({ object_key }) => object_key)
  if (keys.length > 0) await doomObjects(trx, keys, clock.now())
  for (const { size_bytes } of old) await shrinkReservation(trx, id, reservedBytes(size_bytes))
  await trx.insertInto('s3_part').values(part).execute()
  return keys
}

async function writeObject(context: Context, key: string, body: ObjectBody): Promise<void> {
  const out = await context.objects.create(key)
  try {
    const buffer = new Uint8Array(Math.min(writeBytes, body.sizeBytes))
    let used = 0
    await body.feed(async (piece) => {
      for (let rest = piece; rest.length > 0; ) {
        const fitting = rest.subarray(0, buffer.length - used)
        buffer.set(fitting, used)
        used += fitting.length
        rest = rest.subarray(fitting.length)
        if (used < buffer.length) continue
        await out.append([buffer])
        used = 0
      }
    })
    if (used > 0) await out.append([buffer.subarray(0, used)])
    await out.finish()
  } catch (error) {
    await attemptCleanup(context, 'remove an unfinished part', () => out.abort())
    throw error
  }
}

/**
 * Removes an upload and its parts, in the caller's unit of work. Does not release its reservation.
 * @returns the keys of its objects, recorded for removal; undefined if the upload does not exist
 */
export async function dropMultipart(trx: Kysely<Schema>, id: string, now: number): Promise<string[] | undefined> {
  // Locks the upload first, so that no part is added meanwhile.
  const row = await trx
    .updateTable('s3_multipart')
    .set({ expires_at: now })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) return undefined
  const parts = await trx.deleteFrom('s3_part').where('upload_id', '=', id).returning('object_key').execute()
  const keys = parts.map(({ object_key }) => object_key)
  await doomObjects(trx, keys, now)
  await trx.deleteFrom('s3_multipart').where('id', '=', id).execute()
  return keys
}

/**
 * Aborts an upload. Returns false if it does not exist.
 * @param expiredBy skips an upload that a part renewed meanwhile, and that expires later than this time, in ms since 1970
 */
export async function abortMultipart(context: Context, id: string, expiredBy?: number): Promise<boolean> {
  const now = context.clock.now()
  const keys = await context.db.write(async (trx) => {
    if (expiredBy !== undefined && !(await isExpired(trx, id, expiredBy))) return undefined
    const dropped = await dropMultipart(trx, id, now)
    if (dropped !== undefined) await releaseReservation(trx, id)
    return dropped
  })
  if (keys === undefined) return false
  await removeParts(context, keys)
  return true
}

/**
 * Removes all uploads of a bucket with their parts and reservations, in the caller's unit of work.
 * @returns the keys of their objects, for {@link removeParts}
 */
export async function dropMultiparts(trx: Kysely<Schema>, bucket: string, now: number): Promise<string[]> {
  const dropped: string[] = []
  for (const { id } of await listMultiparts(trx, bucket)) {
    // An upload that was aborted meanwhile has released its own.
    const keys = await dropMultipart(trx, id, now)
    if (keys === undefined) continue
    await releaseReservation(trx, id)
    dropped.push(...keys)
  }
  return dropped
}

/** Removes objects of dropped uploads. What cannot be removed now is removed later. */
export async function removeParts(context: Context, keys: readonly string[]): Promise<void> {
  await attemptCleanup(context, 'remove the parts', () => removeDoomed(context, keys))
}

/** Locks the row, so that no part renews it before it is dropped. */
async function isExpired(trx: Kysely<Schema>, id: string, expiredBy: number): Promise<boolean> {
  const row = await trx
    .updateTable('s3_multipart')
    .set({ id })
    .where('id', '=', id)
    .where('expires_at', '<=', expiredBy)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
