import { CairnError, maxPathDepth, splitUploadPath } from '@cairn/protocol'
import { createEntryTable, type EntryTable, topEntry, UnixfsError, writeFolder } from '@cairn/unixfs'
import type { Kysely } from 'kysely'
import { CID } from 'multiformats/cid'
import type { Schema } from '../db/schema.ts'
import { hashSha256 } from '../packs/packs.ts'
import { readImportProfile } from '../uploads/uploads.ts'
import { authorize, type S3Operation, xmlAnswer } from './s3-call.ts'
import { s3Error } from './s3-error.ts'

/** Maximum number of objects for which the CID is computed: more take too long for one response. */
const maxObjects = 100_000
const rowsAtOnce = 1000

/**
 * Returns the CID of a bucket as a folder, with each key as a path. Keys that are not valid paths are counted and omitted.
 * Computes the CID from the index, without reading content or storing anything.
 */
export const getBucketCid: S3Operation = async (call) => {
  await authorize(call, 'read')
  const { context, request, signal } = call
  const memory = context.partMemory.open('TOO_MANY_PARTS')
  try {
    const table = createEntryTable({ maxDepth: maxPathDepth, acquireMemory: memory.acquire })
    let skippedCount = 0
    let objectCount = 0
    for await (const row of selectEntries(context.db.read, request.bucket)) {
      signal.throwIfAborted()
      objectCount++
      if (objectCount > maxObjects) {
        throw s3Error('InvalidRequest', `The bucket has more than ${maxObjects} objects, so its CID is not computed.`)
      }
      if (!addEntry(table, row)) skippedCount++
    }
    const sink = { put: () => undefined }
    await writeFolder(table, topEntry, { profile: readImportProfile({}, 1), hash: hashSha256, sink }, () => undefined)
    const cid = table.nodeOf(topEntry).cid.toString()
    return xmlAnswer(
      'BucketCid',
      { Bucket: request.bucket, CID: cid, ObjectCount: objectCount - skippedCount, SkippedCount: skippedCount },
      { 'x-amz-meta-cid': cid },
    )
  } finally {
    memory.release()
  }
}

type Entry = { key: string; cid: string; size_bytes: number; dag_size_bytes: number }

/** Adds an object. Returns false if its key is not a valid path, or is the path of a folder. */
function addEntry(
  table: EntryTable,
  { key, cid, size_bytes: fileSizeBytes, dag_size_bytes: dagSizeBytes }: Entry,
): boolean {
  const isFolder = key.endsWith('/') && fileSizeBytes === 0
  const path = isFolder ? key.slice(0, -1) : key
  try {
    if (path === '' || splitUploadPath(path).join('/') !== path) return false
    if (isFolder) table.addFolder(path)
    else
      table.setNode(
        table.addFile(path),
        { cid: CID.parse(cid), fileSizeBytes, dagSizeBytes, kind: 'file' },
        fileSizeBytes,
      )
    return true
  } catch (error) {
    if (CairnError.is(error, 'INVALID_PATH') || UnixfsError.is(error)) return false
    throw error
  }
}

async function* selectEntries(db: Kysely<Schema>, bucket: string): AsyncGenerator<Entry, void, undefined> {
  for (let after: string | undefined; ; ) {
    let query = db
      .selectFrom('s3_object')
      .innerJoin('upload', 'upload.id', 's3_object.version_id')
      .select(['s3_object.key', 's3_object.cid', 's3_object.size_bytes', 'upload.dag_size_bytes'])
      .where('s3_object.bucket', '=', bucket)
      .where('s3_object.is_latest', '=', 1)
    if (after !== undefined) query = query.where('s3_object.key', '>', after)
    const rows = await query.orderBy('s3_object.key').limit(rowsAtOnce).execute()
    yield* rows
    if (rows.length < rowsAtOnce) return
    after = rows.at(-1)?.key
  }
}
