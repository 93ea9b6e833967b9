import { openThumbnail, sealThumbnail } from '@cairn/crypto'
import { getThumbnails, maxThumbnailsPerCall, putThumbnail } from '@cairn/protocol'
import { decodeBase64, encodeBase64 } from '../base64.ts'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'

/**
 * Stores a thumbnail of an encrypted upload of the account, encrypted under the key of the file.
 * @param image of any type, at most 24 KiB with its encryption, and at most as large as the upload
 * @throws CairnError NOT_FOUND, INVALID_REQUEST, KEY_NOT_SHARDABLE
 */
export async function saveThumbnail(
  client: Client,
  { cid, masterKey, image }: { cid: string; masterKey: string; image: Uint8Array },
  options: CallOptions = {},
): Promise<void> {
  const data = encodeBase64(await sealThumbnail(image, cid, masterKey))
  await call(client, putThumbnail, { params: { cid }, body: { data } }, options)
}

/** An encrypted thumbnail. */
export type SealedThumbnail = {
  cid: string
  /**
   * Decrypts it with the key of the file.
   * @throws CairnError DECRYPTION_FAILED, NOT_ENCRYPTED
   */
  open(masterKey: string): Promise<Uint8Array>
}

/** Returns the thumbnails of uploads of the account, by CID. Uploads without one are omitted. */
export async function findThumbnails(
  client: Client,
  cids: readonly string[],
  options: CallOptions = {},
): Promise<Map<string, SealedThumbnail>> {
  const found = new Map<string, SealedThumbnail>()
  for (let at = 0; at < cids.length; at += maxThumbnailsPerCall) {
    const query = { cids: cids.slice(at, at + maxThumbnailsPerCall).join() }
    const { thumbnails } = await call(client, getThumbnails, { query }, options)
    for (const { cid, data } of thumbnails)
      found.set(cid, { cid, open: (masterKey) => openThumbnail(decodeBase64(data), cid, masterKey) })
  }
  return found
}
