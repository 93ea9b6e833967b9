import { type Client, getKey, saveThumbnail } from '@cairn/sdk'
import { decryptInWorker } from '../cipher/decrypt-in-worker.ts'
import { queryClient } from '../network/query-client.ts'
import { hasThumbnail, makeThumbnail } from './make-thumbnail.ts'
import { thumbnailKey } from './use-thumbnail.ts'

/**
 * Creates a thumbnail of an encrypted picture, and stores it under the key of the picture. Failures are not reported, because the
 * tile then shows an icon.
 */
export async function storeThumbnail(
  client: Client,
  { cid, masterKey, file, name }: { cid: string; masterKey: string; file: File; name: string },
): Promise<void> {
  if (!hasThumbnail(name, file.type === '' ? null : file.type, file.size)) return
  try {
    const drawn = await makeThumbnail(file)
    if (drawn === undefined) return
    await saveThumbnail(client, { cid, masterKey, image: new Uint8Array(await drawn.arrayBuffer()) })
    queryClient.setQueryData(thumbnailKey(cid), drawn)
  } catch {
    // The upload itself is stored.
  }
}

/**
 * As {@link storeThumbnail}, for an upload that continued after a reload: the page no longer has the picture, so it reads the
 * stored one.
 */
export async function storeThumbnailOfStored(
  client: Client,
  { cid, name, sizeBytes, signal }: { cid: string; name: string; sizeBytes: number; signal: AbortSignal },
): Promise<void> {
  if (!hasThumbnail(name, null, sizeBytes)) return
  try {
    const { masterKey } = await getKey(client, cid, { signal })
    const picture = await decryptInWorker(client.network, cid, masterKey, { signal, onProgress: () => undefined })
    await storeThumbnail(client, { cid, masterKey, file: new File([picture], name), name })
  } catch {
    // As above.
  }
}
