import type { Context } from '../../context.ts'
import { createLruCache, type LruCache } from '../../lru-cache.ts'
import { authorize, type S3Operation, xmlAnswer } from '../s3-call.ts'
import type { BucketRow } from '../store.ts'
import { type BucketFolder, buildBucketFolder } from './bucket-folder.ts'

type Folders = LruCache<Promise<BucketFolder>>

/** Number of folders that are not computed again while their bucket stays the same. */
const maxFolders = 1000
const foldersOf = new WeakMap<Context['db'], Folders>()

/**
 * Returns the folder of a bucket. Requests for the same state of it share one computation: each takes up to some hundred MiB of the
 * memory that all uploads have for their parts.
 */
function findFolder(context: Context, bucket: BucketRow): Promise<BucketFolder> {
  const known: Folders = foldersOf.get(context.db) ?? createLruCache(maxFolders)
  foldersOf.set(context.db, known)
  const state = JSON.stringify([bucket.name, bucket.address, bucket.created_at, bucket.revision])
  const found = known.get(state)
  if (found !== undefined) return found
  // Goes on if a client disconnects, because others may wait for it.
  const { signal } = new AbortController()
  const folder = buildBucketFolder(context, bucket.name, { put: () => undefined }, signal)
  known.set(state, folder, 1)
  folder.catch(() => known.delete(state))
  return folder
}

/**
 * Returns the CID of a bucket as a folder, and the name that it is published under. Computes the CID from the index, without
 * storing anything.
 */
export const getBucketCid: S3Operation = async (call) => {
  const bucket = await authorize(call, 'read')
  const { ipns_name, published_revision } = bucket
  const { context, request } = call
  const folder = await findFolder(context, bucket)
  const cid = folder.cid.toString()
  const name = published_revision === null ? null : ipns_name
  return xmlAnswer(
    'BucketCid',
    {
      Bucket: request.bucket,
      CID: cid,
      Name: name ?? undefined,
      ObjectCount: folder.objectCount,
      SkippedCount: folder.skippedCount,
    },
    { 'x-amz-meta-cid': cid, ...(name === null ? {} : { 'x-amz-meta-ipns-name': name }) },
  )
}
