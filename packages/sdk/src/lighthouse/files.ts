import {
  CairnError,
  type CallResult,
  deleteFile as deleteFileCall,
  type getFileInfo as getFileInfoCall,
  isCid,
  listFiles,
} from '@cairn/protocol'
import { getFileInfo as findInfo } from '../files/files.ts'
import { call } from '../request.ts'
import { clientOf } from './client.ts'
import { withPeerText } from './peer-text.ts'

/** Lists one page of uploads, newest first; `lastKey` is the id of the last row of the previous page. */
export async function getUploads(
  authToken: string,
  lastKey: string | null = null,
  fileType = 'all',
): Promise<{ data: CallResult<typeof listFiles> }> {
  const query = { lastKey: String(lastKey), fileType }
  return { data: await withPeerText('request', call(clientOf(authToken), listFiles, { query })) }
}

/**
 * Removes an upload from the account by its row id.
 * @throws CairnError NOT_FOUND
 */
export async function deleteFile(apiKey: string, fileId: string): Promise<{ data: { message: string } }> {
  return { data: await withPeerText('request', call(clientOf(apiKey), deleteFileCall, { query: { id: fileId } })) }
}

/**
 * Returns the file info of a CID.
 * @throws CairnError INVALID_CID, NOT_FOUND
 */
export async function getFileInfo(cid: string): Promise<{ data: CallResult<typeof getFileInfoCall> }> {
  if (!isCid(cid)) throw new CairnError('INVALID_CID')
  return { data: await withPeerText('http', findInfo(clientOf(), cid)) }
}
