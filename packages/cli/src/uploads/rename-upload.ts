import { CairnError, type Client, listFiles, renameFile } from '@cairn/sdk'

/**
 * Renames an upload to its whole path, because the service took only the last segment as its name. Of several uploads with that
 * name and content, renames the newest one.
 * @param cid text in which the account lists it
 * @throws CairnError INVALID_PATH, INVALID_LABEL for a name that the service refuses; NOT_FOUND if the account does not list it
 */
export async function renameUpload(
  client: Client,
  { cid, storedName, name }: { cid: string; storedName: string; name: string },
  signal: AbortSignal,
): Promise<void> {
  for await (const entry of listFiles(client, { search: cid }, { signal })) {
    if (entry.cid !== cid || entry.fileName !== storedName) continue
    await renameFile(client, entry.id, name, { signal })
    return
  }
  throw new CairnError('NOT_FOUND', {
    message: `Stored as ${storedName}, not as ${name}: the account does not list the upload`,
    hint: 'If it was deleted in the meantime, import it again. Otherwise rename it with cairn rename.',
  })
}
