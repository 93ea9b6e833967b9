import { CairnError, type FileEntry } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { CID } from 'multiformats/cid'
import { readCidText } from '../content/parse-cid.ts'
import { readUploadPath } from '../content/upload-path.ts'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { credit } from '../ledger/ledger.ts'
import { withdrawVersions } from '../object-versions/object-versions.ts'
import { findManagers, type Manager } from './managed-uploads.ts'
import {
  claimForDeletion,
  deleteUploads,
  findForDeletion,
  selectByRoot,
  selectOwnByRoot,
  selectUploadCount,
  type UploadRow,
  updateName,
} from './store.ts'

export { type ListOptions, listFiles } from './list-files.ts'
export type { Access, Filter, Sorting } from './list-queries.ts'
export type { UploadRow } from './store.ts'

/** Uploads of an account: all of them without an id and a CID. */
type WantedUploads = { id?: string | undefined; cid?: CID | undefined }

/** Rows deleted per unit of work. */
const deletionsAtOnce = 500
/** Maximum number of uploads of one root that are searched for the same codec. */
const maxSameRoot = 20

/**
 * Finds the upload of a CID to show: the caller's own newest one, else the oldest of any account, so that a later
 * upload of the same content cannot change what others see. Private uploads are shown to their owner only. Version and
 * base of the CID do not matter, its codec does.
 *
 * @param address of the caller; undefined for an anonymous one
 * @throws CairnError NOT_FOUND
 */
export async function findUpload(context: Context, cid: CID, address?: string): Promise<UploadRow> {
  const { bytes } = cid.multihash
  const own = address === undefined ? [] : await selectOwnByRoot(context.db.read, bytes, address, maxSameRoot)
  const rows = own.length > 0 ? own : await selectByRoot(context.db.read, bytes, maxSameRoot)
  const wanted = cid.toV1().toString()
  const row = rows.find((candidate) => candidate.cid === wanted || candidate.cid === cid.toString()) ?? rows[0]
  if (row === undefined) throw new CairnError('NOT_FOUND')
  return row
}

/** Returns an account's newest uploads of a CID as it is written, newest first: at most {@link maxSameRoot}. */
export async function findOwnUploads(db: Kysely<Schema>, address: string, cid: string): Promise<UploadRow[]> {
  const multihash = readCidText(cid)?.multihash.bytes
  const rows = multihash === undefined ? [] : await selectOwnByRoot(db, multihash, address, maxSameRoot)
  return rows.filter((row) => row.cid === cid)
}

/** Returns an account's newest upload of a CID; undefined if the account has none. */
export async function findOwnUpload(context: Context, address: string, cid: CID): Promise<UploadRow | undefined> {
  return (await selectOwnByRoot(context.db.read, cid.multihash.bytes, address, 1))[0]
}

/**
 * Deletes uploads of an account: the row of an id, or all rows of a CID. Used bytes decrease in the same unit of work; packs are
 * removed when no upload needs them.
 *
 * @throws CairnError NOT_FOUND, CONFLICT
 */
export async function deleteFiles(
  context: DeletionContext,
  address: string,
  wanted: { id?: string | undefined; cid?: CID | undefined },
): Promise<void> {
  if ((await deleteWanted(context, address, wanted)) === 0) throw new CairnError('NOT_FOUND')
}

/** Deletes all uploads of an account. Returns how many. @throws CairnError CONFLICT */
export function deleteAllFiles(context: DeletionContext, address: string): Promise<number> {
  return deleteWanted(context, address, {})
}

type DeletionContext = Pick<Context, 'db' | 'clock'> & { packs: Pick<Context['packs'], 'release'> }

async function deleteWanted(context: DeletionContext, address: string, wanted: WantedUploads): Promise<number> {
  for (let deleted = 0; ; ) {
    const { deletedCount, foundCount } = await context.db.write((trx) => deleteFilesIn(context, trx, address, wanted))
    deleted += deletedCount
    // Not the number of those deleted: another unit may have taken some of them.
    if (foundCount < deletionsAtOnce) return deleted
  }
}

/** Removes some uploads from an account in the caller's unit of work. Returns how many it found, and how many it deleted. */
export async function deleteFilesIn(
  context: Pick<Context, 'clock'> & { packs: Pick<Context['packs'], 'release'> },
  trx: Kysely<Schema>,
  address: string,
  wanted: WantedUploads & {
    /** Ids of uploads: at most 500. */
    ids?: readonly string[]
  },
): Promise<{ deletedCount: number; foundCount: number }> {
  const multihash = wanted.cid?.multihash.bytes
  const ids = await findForDeletion(trx, address, { id: wanted.id, ids: wanted.ids, multihash }, deletionsAtOnce)
  if (ids.length === 0) return { deletedCount: 0, foundCount: 0 }
  let deletedCount = 0
  // In one order, as uploads do: buckets, uploads, packs, account. Otherwise two units of work wait for each other.
  await withdrawVersions(trx, ids, async () => {
    const rows = await claimForDeletion(trx, ids)
    deletedCount = rows.length
    if (rows.length === 0) return
    await context.packs.release(
      trx,
      rows.map(({ id }) => id),
    )
    await deleteUploads(trx, address, rows, context.clock.now())
    const usedBytes = rows.reduce((sum, row) => sum + row.size_bytes, 0)
    await credit(trx, address, usedBytes)
  })
  return { deletedCount, foundCount: ids.length }
}

/** How many uploads an account has. */
export function countFiles({ db }: Pick<Context, 'db'>, address: string): Promise<number> {
  return selectUploadCount(db.read, address)
}

/** Renames an upload. @throws CairnError NOT_FOUND, INVALID_PATH, CONFLICT */
export async function renameFile(
  context: Pick<Context, 'db' | 'clock'>,
  address: string,
  id: string,
  name: string,
): Promise<UploadRow> {
  const path = readUploadPath(name).join('/')
  if (path === '') throw new CairnError('INVALID_PATH')
  const now = context.clock.now()
  const row = await context.db.write((trx) => updateName(trx, context.db.kind, { address, id, name: path, now }))
  if (row === undefined) throw new CairnError('NOT_FOUND')
  return row
}

/** Converts rows of an account to their wire form, with the API that manages each. */
export async function toFileEntries(
  { db }: Pick<Context, 'db'>,
  address: string,
  rows: readonly UploadRow[],
): Promise<FileEntry[]> {
  const ids = rows.map(({ id }) => id)
  const managers = await findManagers(db.read, address, ids)
  return rows.map((row) => toFileEntry(row, managers.get(row.id)))
}

/** Converts a row to its wire form. */
export function toFileEntry(row: UploadRow, managedBy?: Manager): FileEntry {
  return {
    id: row.id,
    publicKey: row.address,
    fileName: row.name,
    mimeType: row.mime_type,
    txHash: row.tx_hash,
    status: row.status,
    sentForDeal: '',
    createdAt: row.created_at,
    lastUpdate: row.updated_at,
    fileSizeInBytes: String(row.size_bytes),
    cid: row.cid,
    encryption: row.encryption === 1,
    ...(row.is_private === 1 ? { private: true as const } : {}),
    ...(managedBy === undefined ? {} : { managedBy }),
    ...(row.upload_link_id === null ? {} : { uploadLinkId: row.upload_link_id }),
  }
}
