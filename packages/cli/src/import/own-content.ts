import { CairnError, type Client, getFileInfo, listFiles } from '@cairn/sdk'

/**
 * Whether the account has uploads of this CID, and one of this name among them. Any name counts if the source states none.
 * @param cid text in which the account lists it
 */
export async function findOwn(
  client: Client,
  cid: string,
  name: string | undefined,
  signal: AbortSignal,
): Promise<'named' | 'otherwise named' | undefined> {
  try {
    const { isOwn, fileName } = await getFileInfo(client, cid, { signal })
    if (isOwn !== true) return undefined
    if (name === undefined || fileName === name) return 'named'
  } catch (error) {
    if (CairnError.is(error, 'NOT_FOUND') || CairnError.is(error, 'INVALID_CID')) return undefined
    throw error
  }
  for await (const entry of listFiles(client, { search: cid }, { signal }))
    if (entry.cid === cid && entry.fileName === name) return 'named'
  return 'otherwise named'
}
