import { CairnError, type FileEntry } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import { credit } from '../accounts/quota.ts'
import type { Context } from '../context.ts'
import { readUploadPath } from '../uploads/upload-path.ts'
import { claimForDeletion, deleteUploads, selectByRoot, selectOwnByRoot, type UploadRow, updateName } from './store.ts'

export { type ListOptions, listFiles } from './list-files.ts'
export type { Filter, Sorting, UploadRow } from './store.ts'

/** Rows deleted in one unit of work. */
const deletionsAtOnce = 500
/** Uploads of one root that are looked at for one of the same codec. */
const sameRootMost = 20

/**
 * Finds the upload of a CID that the caller is told of: the caller's own newest one, else the oldest of any account, so that
 * a later upload of the same content cannot change what others see of it. The version and base of the CID do not matter, its
 * codec does.
 *
 * @param address of the caller; undefined without one
 * @throws CairnError NOT_FOUND
 */
export async function findUpload(context: Context, cid: CID, address?: string): Promise<UploadRow> {
  const { bytes } = cid.multihash
  const own = address === undefined ? [] : await selectOwnByRoot(context.db.read, bytes, address, sameRootMost)
  const rows = own.length > 0 ? own : await selectByRoot(context.db.read, bytes, sameRootMost)
  const wanted = cid.toV1().toString()
  const row = rows.find((candidate) => candidate.cid === wanted || candidate.cid === cid.toString()) ?? rows[0]
  if (row === undefined) throw new CairnError('NOT_FOUND')
  return row
}

/** The newest upload of a CID by an account; undefined if the account has none. */
export async function findOwnUpload(context: Context, address: string, cid: CID): Promise<UploadRow | undefined> {
  return (await selectOwnByRoot(context.db.read, cid.multihash.bytes, address, 1))[0]
}

/**
 * Takes uploads off an account: the row of an id, all rows of a CID. Used bytes go down in the same unit of work; the
 * packs go when nobody needs them.
 *
 * @throws CairnError NOT_FOUND, CONFLICT
 */
export async function deleteFiles(
  context: Context,
  address: string,
  wanted: { id?: string | undefined; cid?: CID | undefined },
): Promise<void> {
  const multihash = wanted.cid?.multihash.bytes
  for (let deleted = 0; ; ) {
    const count = await context.db.write(async (trx) => {
      const rows = await claimForDeletion(trx, address, { id: wanted.id, multihash }, deletionsAtOnce)
      if (rows.length === 0) return 0
      for (const { id } of rows) await context.packs.release(trx, id)
      const ids = rows.map(({ id }) => id)
      await deleteUploads(trx, address, ids)
      await credit(
        trx,
        address,
        rows.reduce((sum, row) => sum + row.size_bytes, 0),
      )
      return rows.length
    })
    deleted += count
    if (count < deletionsAtOnce) {
      if (deleted === 0) throw new CairnError('NOT_FOUND')
      return
    }
  }
}

/** Gives an upload another name. @throws CairnError NOT_FOUND, INVALID_PATH, CONFLICT */
export async function renameFile(context: Context, address: string, id: string, name: string): Promise<UploadRow> {
  const path = readUploadPath(name).join('/')
  if (path === '') throw new CairnError('INVALID_PATH')
  const now = context.clock.now()
  const row = await context.db.write((trx) => updateName(trx, address, id, path, now))
  if (row === undefined) throw new CairnError('NOT_FOUND')
  return row
}

/** A row as the wire has it. */
export function toFileEntry(row: UploadRow): FileEntry {
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
  }
}
