import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { getFileInfo } from '../files/files.ts'

/**
 * Returns whether the account stored a public CID that no other account can have, such as one of content that was just encrypted.
 * An API key without the scope to read files does not matter: without a key, the service reports the upload of any account.
 * @throws CairnError ABORTED, and errors that a later attempt may not have
 */
export async function isOwnUpload(client: Client, cid: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    return (await getFileInfo(client, cid, { signal })).isOwn === true
  } catch (error) {
    if (CairnError.is(error, 'FORBIDDEN')) return isStored({ ...client, apiKey: undefined }, cid, signal)
    if (isFinal(error)) return false
    throw error
  }
}

async function isStored(client: Client, cid: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await getFileInfo(client, cid, { signal })
    return true
  } catch (error) {
    if (isFinal(error)) return false
    throw error
  }
}

/** Whether a later attempt would have the same error. */
function isFinal(error: unknown): boolean {
  return CairnError.is(error) && error.status >= 400 && error.status < 500 && !error.retry
}
