import type { Kysely } from 'kysely'
import { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { deleteFilesIn } from '../files/files.ts'
import { addParts, fileSource, type RecordedRoot, readUploadSettings } from '../uploads/uploads.ts'
import type { S3Caller } from './buckets.ts'
import type { Checksum } from './checksums.ts'
import { type Conditions, requireWritable, unconditional } from './conditions.ts'
import type { ObjectInfo } from './object-info.ts'
import type { ObjectBody } from './read-body.ts'
import { s3Error } from './s3-error.ts'
import type { Target } from './s3-request.ts'
import { insertLatest, lockBucket, type ObjectRow, selectObject, selectVersionIds } from './store.ts'

/** Properties of a new version of an object. */
export type NewVersion = Target & {
  address: string
  info: ObjectInfo
  etag: string
  checksum: Checksum | undefined
  partSizes: readonly number[] | undefined
  conditions: Conditions
}

/**
 * Records an upload as the latest version of an object, in the upload's unit of work. The previous version stays, unless it has
 * the same content.
 * @throws CairnError `NoSuchBucket`, `PreconditionFailed`, `NoSuchKey`
 */
export async function recordVersion(
  context: Pick<Context, 'packs' | 'clock'>,
  trx: Kysely<Schema>,
  root: RecordedRoot | undefined,
  version: NewVersion,
): Promise<ObjectRow> {
  const { address, bucket, key, info, etag, checksum, partSizes, conditions } = version
  if (root === undefined) throw s3Error('InternalError')
  if (!(await lockBucket(trx, address, bucket))) throw s3Error('NoSuchBucket', undefined, { BucketName: bucket })
  const current = await selectObject(trx, bucket, key)
  requireWritable(conditions, current)
  const row: ObjectRow = {
    bucket,
    key,
    version_id: root.uploadId,
    is_latest: 1,
    cid: root.cid,
    size_bytes: root.sizeBytes,
    etag,
    headers: JSON.stringify(info.headers),
    metadata: JSON.stringify(info.metadata),
    checksum: checksum === undefined ? null : JSON.stringify(checksum),
    part_sizes: partSizes === undefined ? null : JSON.stringify(partSizes),
    tags: info.tags.length === 0 ? null : JSON.stringify(info.tags),
    created_at: context.clock.now(),
  }
  await insertLatest(trx, row)
  if (current?.cid === root.cid) await deleteFilesIn(context, trx, address, { id: current.version_id })
  return row
}

/** Import options of all objects. */
export const importOptions = (target: Target, info: ObjectInfo) => ({
  ...readUploadSettings({ 'mime-type': info.headers['content-type'] }, 1),
  // Buckets are private to their account.
  announce: false,
  onlyHash: false,
  isKubo: false,
  listedName: listedName(target),
})

/** Returns the name of an object in the account's list of files, without control characters. */
export function listedName({ bucket, key }: Target): string {
  return `${bucket}/${key.replace(/\p{C}/gu, '\uFFFD')}`
}

/**
 * Stores an object: durable when the promise resolves. If anything fails, or the client disconnects, nothing of it remains.
 * @throws CairnError as `addParts`, `openBody` and {@link recordVersion}
 */
export async function putObject(
  context: Context,
  { address }: S3Caller,
  target: Target,
  body: ObjectBody,
  { info, conditions }: { info: ObjectInfo; conditions: Conditions },
): Promise<ObjectRow> {
  // Rejects early, before the body is read. The decisive check runs when the version is recorded.
  requireWritable(conditions, await selectObject(context.db.read, target.bucket, target.key))
  let row: ObjectRow | undefined
  await addParts(context, address, fileSource(body.feed, { fileName: undefined, sizeBytes: body.sizeBytes }), {
    ...importOptions(target, info),
    record: async (trx, [root]) => {
      const sum = body.checksum()
      row = await recordVersion(context, trx, root, {
        ...target,
        address,
        info,
        etag: body.md5(),
        checksum: sum === undefined ? undefined : { ...sum, type: 'FULL_OBJECT' },
        partSizes: undefined,
        conditions,
      })
    },
  })
  if (row === undefined) throw s3Error('InternalError')
  return row
}

/** Returns an object of a bucket. @throws CairnError `NoSuchKey`, `NoSuchVersion` */
export async function requireObject(
  { db }: Pick<Context, 'db'>,
  { bucket, key }: Target,
  versionId?: string,
): Promise<ObjectRow> {
  const row = await selectObject(db.read, bucket, key, versionId)
  if (row !== undefined) return row
  throw versionId === undefined
    ? s3Error('NoSuchKey', undefined, { Key: key })
    : s3Error('NoSuchVersion', undefined, { Key: key, VersionId: versionId })
}

/**
 * Returns an object to read or copy.
 * @throws CairnError as {@link requireObject}; CONTENT_DENIED, CONTENT_DENIED_BY_LAW
 */
export async function requireReadable(
  context: Pick<Context, 'db' | 'denylist'>,
  target: Target,
  versionId?: string,
): Promise<ObjectRow> {
  const row = await requireObject(context, target, versionId)
  context.denylist.requireContent(CID.parse(row.cid))
  return row
}

/**
 * Deletes an object with all its versions, or one version. A missing object is not an error. If the latest version is deleted by
 * its id, the previous one becomes the latest.
 * @throws CairnError `PreconditionFailed`
 */
export async function deleteObject(
  context: Context,
  { address }: S3Caller,
  { bucket, key }: Target,
  { versionId, conditions = unconditional }: { versionId?: string | undefined; conditions?: Conditions } = {},
): Promise<void> {
  await context.db.write(async (trx) => {
    if (!(await lockBucket(trx, address, bucket))) throw s3Error('NoSuchBucket', undefined, { BucketName: bucket })
    const current = await selectObject(trx, bucket, key)
    if (conditions.ifMatch !== undefined) requireWritable(conditions, current)
    const ids = await selectVersionIds(trx, bucket, key)
    const doomed = versionId === undefined ? ids : ids.filter((id) => id === versionId)
    for (const id of doomed) await deleteFilesIn(context, trx, address, { id })
    const previous = ids
      .filter((id) => id !== versionId)
      .toSorted()
      .at(-1)
    if (versionId === undefined || versionId !== current?.version_id || previous === undefined) return
    await trx.updateTable('s3_object').set({ is_latest: 1 }).where('version_id', '=', previous).execute()
  })
}
