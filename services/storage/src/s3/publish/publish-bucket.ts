import { CairnError, type S3BucketState } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Context } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import { deleteFilesIn } from '../../files/files.ts'
import { chooseSequence, createName, getName, publishName } from '../../names/names.ts'
import { keepPack, withPack } from '../../uploads/uploads.ts'
import { type BucketRow, selectBucket } from '../store.ts'
import { buildBucketFolder, deleteRoots } from './bucket-folder.ts'

/** `published_revision` of a bucket whose name does not point to any revision yet. */
const noRevision = -1

/** Returns the name of a bucket of an account, and what it points to. @throws CairnError NOT_FOUND */
export async function describeBucket(
  { db }: Pick<Context, 'db'>,
  address: string,
  bucket: string,
): Promise<S3BucketState> {
  const row = await requireOwn(db.read, address, bucket)
  const root = row.root_upload_id === null ? undefined : await selectRoot(db.read, row.root_upload_id)
  return {
    bucket,
    name: row.ipns_name,
    cid: root?.cid ?? null,
    isPublished: row.published_revision !== null,
    isCurrent: row.published_revision === row.revision,
    error: row.publish_error,
  }
}

/**
 * Publishes a bucket of an account as a folder under a name of the account, and from then on after each change. A bucket keeps its
 * name: it is created the first time, and again if the account has removed it.
 * @throws CairnError NOT_FOUND, NAME_LIMIT, NAME_KEY_WITH_OWNER, QUOTA_EXCEEDED, TOO_MANY_PARTS, CONFLICT
 */
export async function publishBucket(
  context: Context,
  address: string,
  bucket: string,
  signal: AbortSignal,
): Promise<S3BucketState> {
  const row = await requireOwn(context.db.read, address, bucket)
  const hasName = row.ipns_name !== null && (await isNameOf(context, address, row.ipns_name))
  if (!hasName) await assignName(context, row)
  else if (row.published_revision === null) {
    await context.db.write((trx) => setPublished(trx, row, { published_revision: noRevision, publish_error: null }))
  }
  await publishChanges(context, bucket, signal)
  return describeBucket(context, address, bucket)
}

/** Stops publishing a bucket, and deletes its stored folder. The account keeps the name. @throws CairnError NOT_FOUND */
export async function unpublishBucket(context: Context, address: string, bucket: string): Promise<S3BucketState> {
  const row = await requireOwn(context.db.read, address, bucket)
  await context.db.write(async (trx) => {
    const locked = await setPublished(trx, row, { published_revision: null, publish_error: null })
    if (locked !== undefined) await deleteRoots(context, trx, locked)
  })
  return describeBucket(context, address, bucket)
}

async function isNameOf(context: Context, address: string, name: string): Promise<boolean> {
  try {
    await getName(context, address, name)
    return true
  } catch (error) {
    if (CairnError.is(error, 'NAME_NOT_FOUND')) return false
    throw error
  }
}

/** Creates a name for a bucket, in the unit of work that assigns it. Of concurrent requests, one does. */
async function assignName(context: Context, row: BucketRow): Promise<void> {
  let isAssigned = true
  try {
    await createName(context, row.address, {
      label: row.name,
      // Before the account, as changes of objects do. Otherwise the two wait for each other.
      async lock(trx) {
        const values = { published_revision: noRevision, publish_error: null }
        const locked = await setPublished(trx, row, values)
        isAssigned = locked?.ipns_name === row.ipns_name
        if (!isAssigned) throw new CairnError('CONFLICT')
      },
      step: (trx, name) => assign(trx, row, name),
    })
  } catch (error) {
    if (isAssigned) throw error
  }
}

async function assign(trx: Kysely<Schema>, { name }: BucketRow, ipnsName: string): Promise<void> {
  await trx.updateTable('s3_bucket').set({ ipns_name: ipnsName }).where('name', '=', name).execute()
}

function setPublished(
  trx: Kysely<Schema>,
  { name, address }: BucketRow,
  values: { published_revision: number | null; publish_error: string | null },
): Promise<BucketRow | undefined> {
  return trx
    .updateTable('s3_bucket')
    .set(values)
    .where('name', '=', name)
    .where('address', '=', address)
    .returningAll()
    .executeTakeFirst()
}

/**
 * Stores the folder of a bucket and points its name to it, if it is published. Concurrent calls, on any replica, do no harm: a call
 * that started earlier cannot publish a record over that of a later one.
 * @throws CairnError as {@link publishBucket}; NAME_NOT_FOUND if the account removed the name
 */
export async function publishChanges(context: Context, bucket: string, signal: AbortSignal): Promise<void> {
  const { db, clock } = context
  const row = await selectBucket(db.read, bucket)
  if (row === undefined || row.ipns_name === null || row.published_revision === null) return
  const { address, ipns_name: name } = row
  // Read before the folder is built: any record that is published meanwhile has a higher sequence.
  const { value: known, sequence: seen } = await getName(context, address, name)
  const sequence = chooseSequence(seen === null ? undefined : BigInt(seen), clock.now())
  const root = await storeFolder(context, row, signal)
  const value = `/ipfs/${root.cid}`
  if (value !== known) {
    try {
      await publishName(context, address, name, { value, sequence })
    } catch (error) {
      // A later call has published the bucket.
      if (CairnError.is(error, 'IPNS_RECORD_OUTDATED')) return
      throw error
    }
  }
  await db.write((trx) => settle(context, trx, row, root.uploadId))
}

/** Records which revision the name points to, and deletes the folder before. */
async function settle(context: Context, trx: Kysely<Schema>, row: BucketRow, uploadId: string): Promise<void> {
  const locked = await trx
    .updateTable('s3_bucket')
    .set({ published_revision: row.revision, publish_error: null })
    .where('name', '=', row.name)
    .where('root_upload_id', '=', uploadId)
    .where('ipns_name', '=', row.ipns_name)
    .where('published_revision', 'is not', null)
    .returningAll()
    .executeTakeFirst()
  if (locked === undefined) {
    // Another call stored another folder: which of them the name points to is settled by the next round.
    await trx
      .updateTable('s3_bucket')
      .set({ published_revision: noRevision })
      .where('name', '=', row.name)
      .where('published_revision', 'is not', null)
      .execute()
    return
  }
  if (locked.previous_root_id !== null) await deleteFilesIn(context, trx, row.address, { id: locked.previous_root_id })
}

/**
 * Stores the folder of a bucket as an upload of its account, unless it is stored. The upload does not protect the objects: a deleted
 * object is gone, also before the next folder is published.
 */
function storeFolder(
  context: Context,
  row: BucketRow,
  signal: AbortSignal,
): Promise<{ uploadId: string; cid: string }> {
  return withPack(context, row.address, {}, async (writer, meter) => {
    const folder = await buildBucketFolder(context, row.name, writer.sink, signal)
    const cid = folder.cid.toString()
    const root = row.root_upload_id === null ? undefined : await selectRoot(context.db.read, row.root_upload_id)
    if (root?.cid === cid) {
      await writer.abort()
      return { uploadId: root.id, cid }
    }
    const upload = {
      cid: folder.cid,
      name: row.name,
      mimeType: null,
      sizeBytes: folder.nodeBytes,
      dagSizeBytes: folder.dagSizeBytes,
      encryption: false,
      storageType: null,
      kind: 'directory' as const,
      announce: false,
    }
    const record = (trx: Kysely<Schema>, [id = '']: readonly string[]) => replaceRoot(context, trx, row, id)
    const lock = async (trx: Kysely<Schema>) => {
      await lockRow(trx, row.name)
      return { deletes: row.previous_root_id === null ? [] : [row.previous_root_id] }
    }
    const kept = { address: row.address, writer, meter, uploads: [upload], record, lock }
    const [uploadId = ''] = await keepPack(context, kept)
    return { uploadId, cid }
  })
}

/** Locks a bucket before its account, as deletions do, without counting a change of its objects. */
async function lockRow(trx: Kysely<Schema>, name: string): Promise<void> {
  await trx
    .updateTable('s3_bucket')
    .set(({ ref }) => ({ revision: ref('revision') }))
    .where('name', '=', name)
    .execute()
}

/** @throws CairnError CONFLICT if another call replaced it meanwhile, or the bucket is not published any more */
async function replaceRoot(context: Context, trx: Kysely<Schema>, row: BucketRow, uploadId: string): Promise<void> {
  const locked = await trx
    .updateTable('s3_bucket')
    .set({ root_upload_id: uploadId, previous_root_id: row.root_upload_id })
    .where('name', '=', row.name)
    .where('address', '=', row.address)
    .where('published_revision', 'is not', null)
    .where('root_upload_id', row.root_upload_id === null ? 'is' : '=', row.root_upload_id)
    .returning('name')
    .executeTakeFirst()
  if (locked === undefined) throw new CairnError('CONFLICT')
  // Left by a call that ended before the name pointed to the newer folder.
  if (row.previous_root_id !== null) await deleteFilesIn(context, trx, row.address, { id: row.previous_root_id })
}

function selectRoot(db: Kysely<Schema>, id: string): Promise<{ id: string; cid: string } | undefined> {
  return db.selectFrom('upload').select(['id', 'cid']).where('id', '=', id).executeTakeFirst()
}

async function requireOwn(db: Kysely<Schema>, address: string, bucket: string): Promise<BucketRow> {
  const row = await selectBucket(db, bucket)
  if (row?.address === address) return row
  throw new CairnError('NOT_FOUND', {
    message: `The account has no bucket ${bucket}`,
    hint: 'List the buckets with an S3 client, or create this one.',
  })
}
