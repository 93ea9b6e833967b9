import type { Client } from '../client.ts'
import { listFiles, listFilesPage } from '../files/list-files.ts'
import type { CallOptions } from '../request.ts'
import type { DriveUpload } from './view/nodes.ts'
import type { UploadIndex } from './view/upload-index.ts'

/** Rows per page when only new uploads are listed. */
const quickPageRows = 100
/** New uploads from which on all are listed, in larger pages. */
const maxQuickRows = 1000
/** Uploads that a partial drive opens with. */
const partialRows = 2000

/** Uploads of the account, newest first. `isWhole` is false if older ones may be missing, or some may be deleted. */
export type Listing = {
  rows: readonly DriveUpload[]
  /** Newer uploads than the rows; undefined if all are in the rows. */
  added?: readonly DriveUpload[]
  isWhole: boolean
}

/** Lists all uploads of the account. */
export async function listUploads(client: Client, options: CallOptions): Promise<Listing> {
  const rows: DriveUpload[] = []
  for await (const upload of listFiles(client, {}, options)) rows.push(upload)
  return { rows, isWhole: true }
}

/** Lists the newest uploads: one call. */
export async function listNewest(client: Client, options: CallOptions): Promise<Listing> {
  const { fileList, totalFiles } = await listFilesPage(client, { limit: partialRows }, options)
  return { rows: fileList, isWhole: fileList.length >= totalFiles }
}

/** Lists the uploads that are newer than the known ones. */
export async function listNewUploads(
  client: Client,
  { rows, has }: Pick<UploadIndex, 'rows' | 'has'>,
  options: CallOptions,
): Promise<Listing> {
  if (rows.length === 0) return listNewest(client, options)
  const added: DriveUpload[] = []
  for (;;) {
    const lastKey = added.at(-1)?.id
    const page = await listFilesPage(
      client,
      { limit: quickPageRows, ...(lastKey === undefined ? {} : { lastKey }) },
      options,
    )
    const fresh = page.fileList.findIndex(({ id }) => has(id))
    added.push(...(fresh === -1 ? page.fileList : page.fileList.slice(0, fresh)))
    if (fresh === -1 && page.fileList.length === quickPageRows && added.length < maxQuickRows) continue
    return { rows, added, isWhole: added.length + rows.length === page.totalFiles }
  }
}
