import { CairnError } from '@cairn/protocol'
import type { Context } from '../../context.ts'
import { promoteNewest } from '../../object-versions/object-versions.ts'
import { isLatestVersion, selectVersions, type VersionRow } from '../listings/select-versions.ts'
import { abortMultipart, listMultiparts } from '../multipart/parts.ts'
import { deleteObject } from '../objects/objects.ts'
import { s3CodeOf, s3Error } from '../s3-error.ts'
import { type BucketRow, deleteMarker, lockBucket, type MarkerRow, type ObjectRow, selectBucket } from '../store.ts'
import {
  abortTimeOf,
  coveredOf,
  covers,
  coversAll,
  coversKey,
  earlierExpiryOf,
  expiryOf,
  type LifecycleRule,
  readLifecycleRules,
} from './rules.ts'

/** Versions per query. */
const pageSize = 1000

/** What rules do in one bucket. */
type Round = { context: Context; bucket: BucketRow; rules: readonly LifecycleRule[]; now: number }

/** What is known of a key while its versions pass, newest first. */
type KeyState = {
  readonly key: string
  /** When the next newer version was created; undefined for the newest one. */
  readonly newerAt: number | undefined
  /** Versions so far that are not the latest. */
  readonly earlier: number
}

/**
 * Applies the rules of a bucket to its objects and multipart uploads, as they stand at one time. Each deletion is a unit of work of
 * its own, and holds only while the version is still what the rules were asked about.
 * @param mayGoOn asked before each version and each abort
 * @param now the time that the rules are applied at, in ms since 1970
 * @returns whether it came to the end; otherwise the next round begins again
 */
export async function applyRules(
  context: Context,
  bucketName: string,
  mayGoOn: () => Promise<boolean>,
  now = context.clock.now(),
): Promise<boolean> {
  const bucket = await selectBucket(context.db.read, bucketName)
  if (bucket === undefined || bucket.lifecycle === null) return true
  const round = { context, bucket, rules: readLifecycleRules(bucket.lifecycle), now }
  if (!(await abortUploads(round, mayGoOn))) return false
  let state: KeyState = { key: '', newerAt: undefined, earlier: 0 }
  let cursor = { key: '', versionId: '' }
  for (;;) {
    if (!(await isCurrent(round))) return false
    const page = await selectVersions(context.db.read, bucketName, '', cursor, pageSize)
    for (const version of page) {
      if (!(await mayGoOn())) return false
      const { key, created_at } = version.row
      if (state.key !== key) state = { key, newerAt: undefined, earlier: 0 }
      const before = state
      await unlessChanged(() => applyToVersion(round, version, before))
      state = { key, newerAt: created_at, earlier: before.earlier + (isEarlier(version, before) ? 1 : 0) }
    }
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) break
    cursor = { key: last.row.key, versionId: last.row.version_id }
  }
  await recordRound(round)
  return true
}

/** Returns whether the bucket still has these rules. */
async function isCurrent({ context, bucket }: Round): Promise<boolean> {
  const row = await selectBucket(context.db.read, bucket.name)
  return row?.address === bucket.address && row.lifecycle === bucket.lifecycle
}

/** A marker that is not the first of its key is hidden by a newer version. */
function isEarlier({ kind, row }: VersionRow, { newerAt }: KeyState): boolean {
  return kind === 'object' ? row.is_latest === 0 : newerAt !== undefined
}

function applyToVersion(round: Round, version: VersionRow, state: KeyState): Promise<void> {
  const { kind, row } = version
  if (isEarlier(version, state)) return removeEarlier(round, version, state)
  return kind === 'object' ? deleteLatest(round, row) : removeLoneMarker(round, row)
}

/** Deletes an object as its owner would: with all versions, or by a delete marker if the bucket has versioning. */
async function deleteLatest({ context, bucket, rules, now }: Round, row: ObjectRow): Promise<void> {
  const object = coveredOf(row)
  const isDue = rules.some((rule) => covers(rule, object) && isReached(expiryOf(rule, row.created_at), now))
  if (isDue) await deleteVersionOf(context, bucket, row, { isLatest: true })
}

/** Removes a version that another one has replaced. */
async function removeEarlier(
  { context, bucket, rules, now }: Round,
  version: VersionRow,
  state: KeyState,
): Promise<void> {
  const { kind, row } = version
  const replacedAt = state.newerAt ?? row.created_at
  const isDue = rules.some(
    (rule) =>
      (kind === 'object' ? covers(rule, coveredOf(row)) : coversKey(rule, row.key) && coversAll(rule)) &&
      isReached(earlierExpiryOf(rule, replacedAt), now) &&
      state.earlier >= (rule.earlierKept ?? 0),
  )
  if (!isDue) return
  if (kind === 'object') await deleteVersionOf(context, bucket, row, { isLatest: false })
  else await removeMarker(context, bucket, row, 'earlier')
}

/** Removes a delete marker that hides no version. */
async function removeLoneMarker({ context, bucket, rules, now }: Round, row: MarkerRow): Promise<void> {
  const isDue = rules.some(
    (rule) =>
      coversKey(rule, row.key) &&
      coversAll(rule) &&
      (rule.removesMarkers === true || isReached(expiryOf(rule, row.created_at), now)),
  )
  if (isDue) await removeMarker(context, bucket, row, 'alone')
}

function isReached(at: number | undefined, now: number): boolean {
  return at !== undefined && at <= now
}

async function deleteVersionOf(
  context: Context,
  { address, lifecycle }: BucketRow,
  { bucket, key, version_id, tags }: ObjectRow,
  { isLatest }: { isLatest: boolean },
): Promise<void> {
  await deleteObject(
    context,
    { address },
    { bucket, key },
    {
      versionId: isLatest ? undefined : version_id,
      requireDue: (locked, current) => {
        const isSame =
          locked.lifecycle === lifecycle &&
          current?.version_id === version_id &&
          (current.is_latest === 1) === isLatest &&
          current.tags === tags
        if (!isSame) throw s3Error('PreconditionFailed')
      },
    },
  )
}

/** @param state what the marker must still be: hidden by a newer version, or the only version of its key */
function removeMarker(
  context: Context,
  { address, lifecycle }: BucketRow,
  marker: MarkerRow,
  state: 'earlier' | 'alone',
): Promise<void> {
  const { bucket, key } = marker
  return context.db.write(async (trx) => {
    if ((await lockBucket(trx, address, bucket))?.lifecycle !== lifecycle) return
    const isLatest = await isLatestVersion(trx, marker)
    if (state === 'earlier') {
      if (isLatest) return
      await deleteMarker(trx, marker)
      await promoteNewest(trx, { bucket, key })
      return
    }
    const versions = await selectVersions(trx, bucket, key, { key: '', versionId: '' }, 2)
    if (isLatest && versions.filter(({ row }) => row.key === key).length === 1) await deleteMarker(trx, marker)
  })
}

/** Returns whether it came to the end. */
async function abortUploads(round: Round, mayGoOn: () => Promise<boolean>): Promise<boolean> {
  const { context, bucket, rules, now } = round
  if (!rules.some(({ abortDays }) => abortDays !== undefined)) return true
  for (const { id, key, created_at } of await listMultiparts(context.db.read, bucket.name)) {
    if (!rules.some((rule) => coversKey(rule, key) && isReached(abortTimeOf(rule, created_at), now))) continue
    if (!(await mayGoOn()) || !(await isCurrent(round))) return false
    await abortMultipart(context, id)
  }
  return true
}

/** A version that changed meanwhile is for the next round. */
async function unlessChanged(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!CairnError.is(error) || s3CodeOf(error) !== 'PreconditionFailed') throw error
  }
}

/** Records the round, unless the rules have changed meanwhile. */
async function recordRound({ context, bucket, now }: Round): Promise<void> {
  await context.db.write((trx) =>
    trx
      .updateTable('s3_bucket')
      .set({ lifecycle_applied_at: now })
      .where('name', '=', bucket.name)
      .where('address', '=', bucket.address)
      .where('lifecycle', '=', bucket.lifecycle)
      .execute(),
  )
}
