import { CairnError, type Client, getFileInfo } from '@cairn/sdk'

/** Returns the name of an upload of this account with this CID; undefined without one. */
export async function findOwnName(client: Client, cid: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { isOwn, fileName } = await getFileInfo(client, cid, { signal })
    return isOwn === true ? fileName : undefined
  } catch (error) {
    if (CairnError.is(error, 'NOT_FOUND') || CairnError.is(error, 'INVALID_CID')) return undefined
    throw error
  }
}
