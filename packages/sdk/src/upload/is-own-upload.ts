import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { getFileInfo } from '../files/files.ts'

/**
 * Returns whether the account stored a CID; false if the API key may not know.
 * @throws CairnError ABORTED, and errors that a later attempt may not have
 */
export async function isOwnUpload(client: Client, cid: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    return (await getFileInfo(client, cid, { signal })).isOwn === true
  } catch (error) {
    if (CairnError.is(error) && error.status >= 400 && error.status < 500 && !error.retry) return false
    throw error
  }
}
