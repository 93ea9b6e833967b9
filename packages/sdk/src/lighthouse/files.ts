import {
  type CallResult,
  deleteFile as deleteFileCall,
  type getFileInfo as getFileInfoCall,
  listFiles,
} from '@cairn/protocol'
import { getFileInfo as findInfo } from '../files/files.ts'
import { call } from '../request.ts'
import { clientOf } from './client.ts'

/** One page of uploads, newest first; `lastKey` is the id of the last row of the page before. */
export async function getUploads(
  authToken: string,
  lastKey: string | null = null,
  fileType = 'all',
): Promise<{ data: CallResult<typeof listFiles> }> {
  return { data: await call(clientOf(authToken), listFiles, { query: { lastKey: String(lastKey), fileType } }) }
}

/** Takes an upload off the account by the id of its row. @throws CairnError NOT_FOUND */
export async function deleteFile(apiKey: string, fileId: string): Promise<{ data: { message: string } }> {
  return { data: await call(clientOf(apiKey), deleteFileCall, { query: { id: fileId } }) }
}

/** What is known of a CID. @throws CairnError INVALID_CID, NOT_FOUND */
export async function getFileInfo(cid: string): Promise<{ data: CallResult<typeof getFileInfoCall> }> {
  return { data: await findInfo(clientOf(), cid) }
}
