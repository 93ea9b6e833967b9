import type { Kysely } from 'kysely'
import type { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { PackWriter, SealedPack } from '../packs/packs.ts'
import { giveUp } from './give-up.ts'
import type { QuotaMeter } from './quota-meter.ts'
import { hasUpload, insertUploads, type NewUpload } from './store.ts'
import { createUploadId } from './upload-id.ts'

/** What is listed of one root. */
export type UploadToKeep = {
  cid: CID
  name: string
  mimeType: string | null
  sizeBytes: number
  dagSizeBytes: number
  encryption: boolean
  storageType: string | null
  kind: NewUpload['kind']
}

/** What is recorded in the same unit of work as the uploads: both are, or neither is. */
export type RecordAlongside = (trx: Kysely<Schema>) => Promise<void> | undefined

/**
 * Makes a written pack durable and, in one unit of work, records it, the uploads and what they use. When the promise
 * resolves nothing can take the data away; when it fails nothing of it is left. Answers the rows' ids, in order.
 *
 * @param uploads walked more than once; rows are made of them a few at a time
 * @throws CairnError STORAGE_FULL, STORAGE_FAILED, CONFLICT, UNAVAILABLE
 */
export async function keepPack(
  context: Context,
  address: string,
  writer: PackWriter,
  meter: QuotaMeter,
  uploads: Iterable<UploadToKeep>,
  record?: RecordAlongside,
): Promise<string[]> {
  await meter.ready()
  const sealed = await writer.seal(cidsOf(uploads))
  const now = context.clock.now()
  const ids: string[] = []
  let usedBytes = 0
  for (const { sizeBytes } of uploads) {
    ids.push(createUploadId(now))
    usedBytes += sizeBytes
  }
  try {
    await context.db.write(async (trx) => {
      await insertUploads(trx, address, toRows(address, uploads, ids, now))
      for (const id of ids) await context.packs.record(trx, sealed, id)
      await meter.settle(trx, usedBytes)
      await record?.(trx)
    })
  } catch (error) {
    if (!(await isRecorded(context, ids, sealed))) throw error
    // The answer to the commit was lost, not the commit.
    context.log.warn({ err: error }, 'an upload was recorded although its commit reported a fault')
  }
  await giveUp(context, 'confirm the pack', () => context.packs.confirm(sealed))
  context.metrics.uploadedBytes.inc(usedBytes)
  return ids
}

/** Finds out how a unit of work ended that reported a fault, and removes the pack where nothing names it. */
async function isRecorded(context: Context, [first]: readonly string[], sealed: SealedPack): Promise<boolean> {
  let recorded: boolean
  try {
    // A row in a database file that was removed or replaced does not count.
    await context.db.ping()
    recorded = first !== undefined && (await hasUpload(context.db.read, first))
  } catch (error) {
    // The pack stays unconfirmed: the next start finds out.
    context.log.warn({ err: error }, 'cannot tell whether an upload was recorded')
    return false
  }
  if (!recorded) await context.packs.discard(sealed)
  return recorded
}

function* cidsOf(uploads: Iterable<UploadToKeep>): Generator<CID, void, undefined> {
  for (const { cid } of uploads) yield cid
}

function* toRows(
  address: string,
  uploads: Iterable<UploadToKeep>,
  ids: readonly string[],
  now: number,
): Generator<NewUpload, void, undefined> {
  let index = 0
  for (const upload of uploads) yield toRow(address, upload, ids[index++] ?? createUploadId(now), now)
}

function toRow(address: string, upload: UploadToKeep, id: string, now: number): NewUpload {
  return {
    id,
    address,
    cid: upload.cid.toString(),
    root_multihash: upload.cid.multihash.bytes,
    name: upload.name,
    mime_type: upload.mimeType,
    size_bytes: upload.sizeBytes,
    dag_size_bytes: upload.dagSizeBytes,
    encryption: upload.encryption ? 1 : 0,
    storage_type: upload.storageType,
    kind: upload.kind,
    status: 'stored',
    created_at: now,
    updated_at: now,
  }
}
