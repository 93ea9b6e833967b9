import { CairnError, maxPathDepth, splitUploadPath } from '@cairn/protocol'
import { type BlockSink, createEntryTable, type EntryTable, topEntry, UnixfsError, writeFolder } from '@cairn/unixfs'
import { type Kysely, sql } from 'kysely'
import { CID } from 'multiformats/cid'
import type { Context } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import { deleteFilesIn } from '../../files/files.ts'
import { hashSha256 } from '../../packs/packs.ts'
import { readImportProfile } from '../../uploads/uploads.ts'
import type { BucketRow } from '../store.ts'

/** Maximum number of objects of a folder: more take too long for one response. */
const defaultMaxObjects = 100_000
const rowsAtOnce = 1000

/** A bucket as a folder, with each key as a path. */
export type BucketFolder = {
  cid: CID
  /** Size of the folder with everything below it, in bytes. */
  dagSizeBytes: number
  /** Size of its own nodes, without those of the objects, in bytes. */
  nodeBytes: number
  objectCount: number
  /** Number of objects whose keys are not valid paths. */
  skippedCount: number
}

/**
 * Builds the folder of a bucket from the index, without reading content.
 * @param sink receives the nodes of the folder; those of the objects are stored already
 * @throws CairnError TOO_MANY_PARTS for too many objects, OVERLOADED
 */
export async function buildBucketFolder(
  { db, partMemory }: Pick<Context, 'db' | 'partMemory'>,
  bucket: string,
  sink: BlockSink,
  signal: AbortSignal,
  maxObjects = defaultMaxObjects,
): Promise<BucketFolder> {
  await requireFewObjects(db.read, bucket, maxObjects)
  const memory = partMemory.open('TOO_MANY_PARTS')
  try {
    const table = createEntryTable({ maxDepth: maxPathDepth, acquireMemory: memory.acquire })
    let skippedCount = 0
    let rowCount = 0
    for await (const row of selectEntries(db.read, bucket)) {
      signal.throwIfAborted()
      rowCount++
      if (!addEntry(table, row)) skippedCount++
    }
    let nodeBytes = 0
    const counted: BlockSink = {
      put(cid, bytes) {
        nodeBytes += bytes.length
        return sink.put(cid, bytes)
      },
    }
    const options = { profile: readImportProfile({}, 1), hash: hashSha256, sink: counted }
    await writeFolder(table, topEntry, options, () => undefined)
    const { cid, dagSizeBytes } = table.nodeOf(topEntry)
    return { cid, dagSizeBytes, nodeBytes, objectCount: rowCount - skippedCount, skippedCount }
  } finally {
    memory.release()
  }
}

/** Counts in the index first, as reading the objects takes a hundred times as long. */
async function requireFewObjects(db: Kysely<Schema>, bucket: string, maxObjects: number): Promise<void> {
  const some = db
    .selectFrom('s3_object')
    .select('key')
    .where('bucket', '=', bucket)
    .where('is_latest', '=', sql.lit(1))
    .limit(maxObjects + 1)
  const { count } = await db
    .selectFrom(some.as('some'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) <= maxObjects) return
  throw new CairnError('TOO_MANY_PARTS', {
    message: `The bucket has more than ${maxObjects} objects, so its CID is not computed`,
    hint: 'Distribute the objects over several buckets.',
    details: { limit: maxObjects },
  })
}

/** Deletes the stored folders of a bucket. The bucket must be locked. */
export async function deleteRoots(
  context: Pick<Context, 'clock' | 'packs'>,
  trx: Kysely<Schema>,
  { address, root_upload_id, previous_root_id }: BucketRow,
): Promise<void> {
  const ids = [root_upload_id, previous_root_id].filter((id) => id !== null)
  if (ids.length > 0) await deleteFilesIn(context, trx, address, { ids })
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
