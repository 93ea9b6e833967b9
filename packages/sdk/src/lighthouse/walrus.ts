// Functions for another storage network. They exist so that programs link, and throw with an alternative when called.
import { CairnError } from '@cairn/protocol'

function refuse(hint: string): never {
  throw new CairnError('NOT_SUPPORTED', { message: 'There is no walrus backend', hint })
}

/**
 * Lists the blobs of a CID at Walrus.
 * @throws CairnError NOT_SUPPORTED
 */
export async function walrusBlobs(_cid: string): Promise<{ blobIds: string[] }> {
  return refuse('Use `dealStatus` to find out where a CID is stored.')
}

/**
 * Deletes a file at Walrus.
 * @throws CairnError NOT_SUPPORTED
 */
export async function deleteFileWalrus(_apiKey: string, _fileId: string): Promise<{ data: { message: string } }> {
  return refuse('Use `deleteFile` to delete a file.')
}
