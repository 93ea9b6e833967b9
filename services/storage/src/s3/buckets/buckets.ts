import { bucketNamePattern } from '@cairn/protocol'
import type { Context } from '../../context.ts'
import { canSeeBucket } from '../access/access-rules.ts'
import type { S3Caller } from '../access/require-bucket.ts'
import { dropMultiparts, removeParts } from '../multipart/parts.ts'
import { deleteRoots } from '../publish/bucket-folder.ts'
import { s3Error } from '../s3-error.ts'
import { type BucketRow, lockBucket, selectBucket } from '../store.ts'

/** Maximum number of buckets per account. */
const maxBuckets = 1000

/** The region in which S3 accepts the creation of a bucket that the caller owns already. Clients rely on it. */
const repeatableRegion = 'us-east-1'

/**
 * Creates a bucket. Names are unique across all accounts, so that a browser's preflight, which does not identify its sender,
 * finds the bucket.
 * @throws CairnError `InvalidBucketName`, `BucketAlreadyOwnedByYou`, `BucketAlreadyExists`, `TooManyBuckets`
 */
export async function createBucket(
  { db, clock }: Context,
  { address }: S3Caller,
  { name, region }: { name: string; region: string },
): Promise<void> {
  if (!bucketNamePattern.test(name)) throw s3Error('InvalidBucketName', undefined, { BucketName: name })
  await db.write(async (trx) => {
    const found = await selectBucket(trx, name)
    if (found !== undefined) return requireRepeatable(found, { address, region })
    const { count } = await trx
      .selectFrom('s3_bucket')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('address', '=', address)
      .executeTakeFirstOrThrow()
    if (Number(count) >= maxBuckets) throw s3Error('TooManyBuckets', undefined, { MaxBuckets: maxBuckets })
    const created = await trx
      .insertInto('s3_bucket')
      .values({
        name,
        address,
        cors: null,
        lifecycle: null,
        lifecycle_applied_at: null,
        tags: null,
        versioning: null,
        ipns_name: null,
        root_upload_id: null,
        previous_root_id: null,
        published_revision: null,
        publish_error: null,
        created_at: clock.now(),
      })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returning('name')
      .executeTakeFirst()
    // Another unit of work has created it since.
    if (created === undefined) requireRepeatable(await selectBucket(trx, name), { address, region })
  })
}

/** @throws CairnError unless the caller may create its bucket again */
function requireRepeatable(
  found: BucketRow | undefined,
  { address, region }: { address: string; region: string },
): void {
  if (found?.address !== address) throw s3Error('BucketAlreadyExists')
  if (region !== repeatableRegion) throw s3Error('BucketAlreadyOwnedByYou')
}

/** Lists the buckets of the caller that its access key may see, by name. An account has few: {@link maxBuckets}. */
export async function listBuckets({ db }: Context, caller: S3Caller): Promise<BucketRow[]> {
  const rows = await db.read
    .selectFrom('s3_bucket')
    .selectAll()
    .where('address', '=', caller.address)
    .orderBy('name')
    .execute()
  return rows.filter(({ name }) => canSeeBucket(caller, name))
}

/**
 * Deletes a bucket without objects and delete markers. As in S3, its unfinished multipart uploads are aborted.
 * @throws CairnError `NoSuchBucket`, `BucketNotEmpty`
 */
export async function deleteBucket(context: Context, { address }: S3Caller, name: string): Promise<void> {
  const now = context.clock.now()
  const dropped = await context.db.write(async (trx) => {
    const bucket = await lockBucket(trx, address, name)
    if (bucket === undefined) throw s3Error('NoSuchBucket')
    for (const table of ['s3_object', 's3_delete_marker'] as const) {
      const version = await trx.selectFrom(table).select('key').where('bucket', '=', name).limit(1).executeTakeFirst()
      if (version !== undefined) throw s3Error('BucketNotEmpty')
    }
    const keys = await dropMultiparts(trx, name, now)
    await deleteRoots(context, trx, bucket)
    await trx.deleteFrom('s3_bucket').where('name', '=', name).execute()
    return keys
  })
  await removeParts(context, dropped)
}
