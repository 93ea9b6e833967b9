import { idAfter, uuidv7 } from '@cairn/service'
import type { Kysely } from 'kysely'
import { CID } from 'multiformats/cid'
import type { Context } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import { deleteFilesIn } from '../../files/files.ts'
import { promoteNewest } from '../../object-versions/object-versions.ts'
import { addParts, fileSource, type LockFirst, type RecordedRoot, readUploadSettings } from '../../uploads/uploads.ts'
import type { S3Caller } from '../access/require-bucket.ts'
import type { Checksum } from '../checksums/checksums.ts'
import type { ObjectBody } from '../read-body.ts'
import { s3Error } from '../s3-error.ts'
import type { Target } from '../s3-request.ts'
import {
  type BucketRow,
  clearNull,
  deleteMarker,
  insertLatest,
  insertMarker,
  lockBucket,
  nullVersionId,
  type ObjectRow,
  selectMarker,
  selectObject,
  selectVersionIds,
  versionIdOf,
} from '../store.ts'
import {
  type Conditions,
  type DeleteConditions,
  hasWriteCondition,
  requireDeletable,
  requireWritable,
} from './conditions.ts'
import type { ObjectInfo } from './object-info.ts'

/** Properties of a new version of an object. */
export type NewVersion = {
  info: ObjectInfo
  etag: string
  checksum: Checksum | undefined
  partSizes: readonly number[] | undefined
  conditions: Conditions
}

/** The steps by which the unit of work of an upload makes it the latest version of an object. */
export type VersionRecord = {
  /**
   * First in the unit of work: deletions lock the bucket before the account, too. Returns the id of the newest version so far, which
   * the id of the new one must sort after: versions are listed by their ids, and clocks of replicas differ. Also returns the version
   * that the new one replaces while versioning is suspended.
   * @throws CairnError `NoSuchBucket`
   */
  lock: LockFirst
  /** @throws CairnError `PreconditionFailed`, `NoSuchKey` */
  record(trx: Kysely<Schema>, root: RecordedRoot | undefined, version: NewVersion): Promise<void>
  /** Returns the version, after the unit of work was committed. */
  row(): ObjectRow
}

/** Opens the record of a new version of an object in a bucket of an account. */
export function openVersion(
  context: Pick<Context, 'packs' | 'clock'>,
  address: string,
  { bucket, key }: Target,
): VersionRecord {
  let locked: LockedObject | undefined
  let recorded: ObjectRow | undefined
  return {
    async lock(trx) {
      const row = await requireLocked(trx, address, bucket)
      locked = { bucket: row, key, current: await selectObject(trx, bucket, key) }
      const after = await findNewest(trx, locked)
      if (row.versioning !== 'Suspended') return { after }
      // The bucket is locked, so this is the one that the record replaces.
      const replaced = await selectObject(trx, bucket, key, nullVersionId)
      return { after, deletes: replaced === undefined ? [] : [replaced.version_id] }
    },
    async record(trx, root, version) {
      if (root === undefined || locked === undefined) throw s3Error('InternalError')
      recorded = await recordVersion(context, trx, root, locked, version)
    },
    row() {
      if (recorded === undefined) throw s3Error('InternalError')
      return recorded
    },
  }
}

/** An object of a locked bucket, and its latest version. */
type LockedObject = { bucket: BucketRow; key: string; current: ObjectRow | undefined }

/** Returns the id of the newest version or delete marker of an object. */
async function findNewest(
  trx: Kysely<Schema>,
  { bucket: { name, versioning }, key, current }: LockedObject,
): Promise<string | undefined> {
  // Without versioning, there are no markers.
  const marker = versioning === null ? undefined : await selectMarker(trx, name, key)
  const ids = [current?.version_id, marker?.version_id].filter((id) => id !== undefined)
  return ids.sort().at(-1)
}

/**
 * Records an upload as the latest version of an object of a locked bucket. The previous version stays. Exceptions: while versioning
 * was never enabled, a version with the same content is replaced; while it is suspended, the version `null` is.
 */
async function recordVersion(
  context: Pick<Context, 'packs' | 'clock'>,
  trx: Kysely<Schema>,
  root: RecordedRoot,
  { bucket: { versioning, address, name: bucket }, key, current }: LockedObject,
  version: NewVersion,
): Promise<ObjectRow> {
  const { info, etag, checksum, partSizes, conditions } = version
  requireWritable(conditions, current)
  if (versioning === 'Suspended') await deleteVersion(context, trx, address, { bucket, key }, nullVersionId)
  // Without versioning, a key without a latest version has no version at all.
  const isFirst = versioning === null && current === undefined
  if (versioning === null && !isFirst) await clearNull(trx, { bucket, key })
  const row: ObjectRow = {
    bucket,
    key,
    version_id: root.uploadId,
    is_latest: 1,
    is_null: versioning === 'Enabled' ? 0 : 1,
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
  await insertLatest(trx, row, isFirst)
  if (versioning === null && current?.cid === root.cid)
    await deleteFilesIn(context, trx, address, { id: current.version_id })
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
 * @throws CairnError as `addParts`, `openBody` and {@link openVersion}
 */
export async function putObject(
  context: Context,
  { address }: S3Caller,
  target: Target,
  body: ObjectBody,
  { info, conditions }: { info: ObjectInfo; conditions: Conditions },
): Promise<ObjectRow> {
  // Rejects early, before the body is read. The decisive check runs when the version is recorded.
  if (hasWriteCondition(conditions)) {
    requireWritable(conditions, await selectObject(context.db.read, target.bucket, target.key))
  }
  const version = openVersion(context, address, target)
  await addParts(context, address, fileSource(body.feed, { fileName: undefined, sizeBytes: body.sizeBytes }), {
    ...importOptions(target, info),
    lock: version.lock,
    record: async (trx, [root]) => {
      const sum = body.checksum()
      await version.record(trx, root, {
        info,
        etag: body.md5(),
        checksum: sum === undefined ? undefined : { ...sum, type: 'FULL_OBJECT' },
        partSizes: undefined,
        conditions,
      })
    },
  })
  return version.row()
}

/** Returns an object of a bucket. @throws CairnError `NoSuchKey`, `NoSuchVersion`, `MethodNotAllowed` for a delete marker */
export async function requireObject(
  db: Kysely<Schema>,
  { bucket, key }: Target,
  versionId?: string,
): Promise<ObjectRow> {
  const row = await selectObject(db, bucket, key, versionId)
  if (row !== undefined) return row
  const marker = await selectMarker(db, bucket, key, versionId)
  if (marker !== undefined) {
    const headers = { 'x-amz-delete-marker': 'true', 'x-amz-version-id': versionIdOf(marker) }
    throw versionId === undefined
      ? s3Error('NoSuchKey', undefined, { Key: key }, { headers })
      : s3Error('MethodNotAllowed', undefined, { Method: 'GET' }, { headers: { ...headers, allow: 'DELETE' } })
  }
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
  const row = await requireObject(context.db.read, target, versionId)
  context.denylist.requireContent(CID.parse(row.cid))
  return row
}

/** What a deletion removed or wrote. */
export type Deletion = {
  /** The version that was deleted, or the delete marker that was written; undefined without versioning. */
  versionId: string | undefined
  /** Whether that version is a delete marker. */
  isMarker: boolean
}

/**
 * Deletes one version, or the object: with all its versions if versioning was never enabled, otherwise by a delete marker. A missing
 * object is not an error. If the latest version is deleted by its id, the previous one becomes the latest.
 * @throws CairnError `NoSuchBucket`, `PreconditionFailed`, `NoSuchKey` if `ifMatch` requires an object and none exists
 */
export async function deleteObject(
  context: Context,
  caller: Pick<S3Caller, 'address'>,
  target: Target,
  options: DeleteOptions = {},
): Promise<Deletion> {
  for (;;) {
    const deletion = await deleteSome(context, caller, target, options)
    if (deletion !== undefined) return deletion
  }
}

type DeleteOptions = {
  versionId?: string | undefined
  conditions?: DeleteConditions
  /** Throws unless the deletion still holds, once the bucket is locked. */
  requireDue?: (bucket: BucketRow, current: ObjectRow | undefined) => void
}

/**
 * Versions deleted per unit of work: an object that is overwritten every minute has 20,000 in two weeks, and nothing else is
 * written meanwhile. Until the last unit, the latest version stays.
 */
const versionsAtOnce = 100

/** Deletes what one unit of work may. Returns undefined while there is more. */
function deleteSome(
  context: Context,
  { address }: Pick<S3Caller, 'address'>,
  { bucket, key }: Target,
  { versionId, conditions, requireDue }: DeleteOptions,
): Promise<Deletion | undefined> {
  const target = { bucket, key }
  return context.db.write(async (trx) => {
    const locked = await requireLocked(trx, address, bucket)
    const { versioning } = locked
    const addsMarker = versioning !== null && versionId === undefined
    const isRead = addsMarker || conditions !== undefined || requireDue !== undefined
    const current = isRead ? await selectObject(trx, bucket, key, versionId) : undefined
    requireDue?.(locked, current)
    if (conditions !== undefined) requireDeletable(conditions, current)
    if (versionId !== undefined) {
      const isMarker = await deleteVersion(context, trx, address, target, versionId)
      return { versionId, isMarker }
    }
    if (versioning === null) {
      const found = await selectVersionIds(trx, { bucket, key, limit: versionsAtOnce + 1 })
      if (found.length > 0) await deleteFilesIn(context, trx, address, { ids: found.slice(0, versionsAtOnce) })
      return found.length > versionsAtOnce ? undefined : { versionId: undefined, isMarker: false }
    }
    const newest = await findNewest(trx, { bucket: locked, key, current })
    if (versioning === 'Suspended') await deleteVersion(context, trx, address, target, nullVersionId)
    const now = context.clock.now()
    const marker = {
      ...target,
      version_id: idAfter(newest, uuidv7(now)),
      is_null: versioning === 'Suspended' ? (1 as const) : (0 as const),
      created_at: now,
    }
    await insertMarker(trx, marker)
    return { versionId: versionIdOf(marker), isMarker: true }
  })
}

/** Deletes a version or a delete marker, if there is one. Returns whether it was a delete marker. */
async function deleteVersion(
  context: Pick<Context, 'packs' | 'clock'>,
  trx: Kysely<Schema>,
  address: string,
  { bucket, key }: Target,
  versionId: string,
): Promise<boolean> {
  const row = await selectObject(trx, bucket, key, versionId)
  // The files of the account promote the previous version.
  if (row !== undefined) await deleteFilesIn(context, trx, address, { id: row.version_id })
  const marker = await selectMarker(trx, bucket, key, versionId)
  if (marker === undefined) return false
  await deleteMarker(trx, marker)
  await promoteNewest(trx, { bucket, key })
  return true
}

/** Locks a bucket of an account. @throws CairnError `NoSuchBucket` */
async function requireLocked(trx: Kysely<Schema>, address: string, bucket: string): Promise<BucketRow> {
  const row = await lockBucket(trx, address, bucket)
  if (row === undefined) throw s3Error('NoSuchBucket', undefined, { BucketName: bucket })
  return row
}
