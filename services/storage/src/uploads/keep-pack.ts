import { idAfter, uuidv7 } from '@cairn/service'
import type { Kysely } from 'kysely'
import type { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { announceUploads } from '../ipni/ipni.ts'
import type { PackWriter } from '../packs/packs.ts'
import { visitInTurns } from '../resources/yield-to-others.ts'
import { attemptCleanup } from './attempt-cleanup.ts'
import { isRecorded } from './is-recorded.ts'
import type { QuotaMeter } from './quota-meter.ts'
import { findRepeated } from './repeated-uploads.ts'
import { hasUpload, insertUploads, lockUploads, type NewUpload } from './store.ts'

/** The listed fields of one root. */
export type UploadToKeep = {
  cid: CID
  name: string
  mimeType: string | null
  sizeBytes: number
  dagSizeBytes: number
  encryption: boolean
  storageType: string | null
  /** Set for a pack that began as a private one. Defaults to false. */
  isPrivate?: boolean | undefined
  kind: NewUpload['kind']
  /** Whether the upload is announced to indexers. Defaults to the operator's setting, and to no for encrypted content. */
  announce?: boolean | undefined
  /** With which the client can repeat the request. Only the first upload of a request has it. */
  idempotencyKey?: Uint8Array | undefined
  /** The upload link that it came through. */
  uploadLink?: string | undefined
}

/** Records more in the unit of work of the uploads, whose row ids it gets: both are recorded, or neither is. */
export type RecordAlongside = (trx: Kysely<Schema>, ids: readonly string[]) => Promise<void> | undefined

/** Locks rows at the start of a unit of work that other units lock before they lock the account. */
export type LockFirst = (trx: Kysely<Schema>) => Promise<LockedFirst>

export type LockedFirst = {
  /** The row id that those of the uploads must sort after, if there is one. */
  after?: string | undefined
  /** Ids of uploads that `record` deletes: they and their packs are locked before the account as well. */
  deletes?: readonly string[] | undefined
}

/** A written pack and its uploads. */
export type PackToKeep = {
  address: string
  writer: PackWriter
  meter: QuotaMeter
  /** Iterated more than once; rows are created a few at a time. */
  uploads: Iterable<UploadToKeep>
  record?: RecordAlongside | undefined
  /** Required if `record` locks such rows: in the opposite order, two units would wait for each other. */
  lock?: LockFirst | undefined
}

/**
 * Charges the uploads of a written pack, makes it durable and records it, its uploads and their references in one unit of work. When
 * the promise resolves, the data cannot be lost; when it rejects, nothing remains. Returns the row ids in order; the first one of an
 * earlier request with the same key, which stored the same.
 *
 * @throws CairnError QUOTA_EXCEEDED and other shortages, STORAGE_FULL, STORAGE_FAILED, CONFLICT, UNAVAILABLE, INVALID_REQUEST for a
 *   key of other content
 */
export async function keepPack(
  context: Context,
  { address, writer, meter, uploads, record, lock }: PackToKeep,
): Promise<string[]> {
  let usedBytes = 0
  await visitInTurns(uploads, ({ sizeBytes }) => {
    usedBytes += sizeBytes
  })
  if (usedBytes > meter.takenBytes) await meter.take(usedBytes - meter.takenBytes)
  await meter.ready()
  const sealed = await writer.seal(cidsOf(uploads))
  const now = context.clock.now()
  const ids: string[] = []
  await visitInTurns(uploads, () => {
    ids.push(uuidv7(now))
  })
  try {
    await context.db.write(async (trx) => {
      const locked = await lock?.(trx)
      let previous = locked?.after
      if (previous !== undefined) {
        for (const [at, id] of ids.entries()) {
          previous = idAfter(previous, id)
          ids[at] = previous
        }
      }
      await lockUploads(trx, context.db.kind, locked?.deletes)
      await context.packs.lock(trx, sealed, locked?.deletes)
      await insertUploads(trx, context.db.kind, address, toRows(address, uploads, ids, now))
      await announceUploads(trx, listAnnounced(context, uploads, ids), now)
      await visitInTurns(ids, (id) => context.packs.record(trx, sealed, id))
      await meter.settle(trx, usedBytes)
      await record?.(trx, ids)
    })
  } catch (error) {
    if (!(await isRecorded(context, sealed, () => hasFirst(context, ids)))) {
      const repeated = await findRepeated(context.db.read, { address, uploads }, error)
      if (repeated === undefined) throw error
      // Its quota is taken already.
      await attemptCleanup(context, 'release the reservation', () => meter.release())
      return [repeated.id]
    }
    // The answer to the commit was lost, but the commit took effect.
    context.log.warn({ err: error }, 'upload was recorded although its commit reported an error')
  }
  await attemptCleanup(context, 'confirm the pack', () => context.packs.confirm(sealed))
  context.metrics.uploadedBytes.inc(usedBytes)
  return ids
}

async function hasFirst({ db }: Context, [first]: readonly string[]): Promise<boolean> {
  return first !== undefined && (await hasUpload(db.read, first))
}

/** Returns the uploads to announce to indexers and the operator's Kubo. */
function* listAnnounced(
  { config: { ipni, kubo } }: Pick<Context, 'config'>,
  uploads: Iterable<UploadToKeep>,
  ids: readonly string[],
): Generator<Pick<NewUpload, 'id' | 'cid' | 'root_multihash'>, void, undefined> {
  const byDefault = (ipni.indexers.length > 0 || kubo !== undefined) && ipni.announcesByDefault
  let index = 0
  for (const { cid, encryption, announce, isPrivate } of uploads) {
    const id = ids[index++]
    if (id === undefined || isPrivate || !(announce ?? (byDefault && !encryption))) continue
    yield { id, cid: cid.toString(), root_multihash: cid.multihash.bytes }
  }
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
  for (const upload of uploads) yield toRow(address, upload, ids[index++] ?? uuidv7(now), now)
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
    is_private: upload.isPrivate ? 1 : 0,
    idempotency_key: upload.idempotencyKey,
    upload_link_id: upload.uploadLink,
  }
}
