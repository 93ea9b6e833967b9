// Functions about another storage network. They are here so that programs link, and say at the call what to do instead.
import { CairnError } from '@cairn/protocol'

function refuse(hint: string): never {
  throw new CairnError('NOT_SUPPORTED', { message: 'There is no walrus backend', hint })
}

/** Blobs of a CID at Walrus. @throws CairnError NOT_SUPPORTED */
export async function walrusBlobs(_cid: string): Promise<{ blobIds: string[] }> {
  return refuse('Ask where a CID is kept with `dealStatus`.')
}

/** Deletes a file at Walrus. @throws CairnError NOT_SUPPORTED */
export async function deleteFileWalrus(_apiKey: string, _fileId: string): Promise<{ data: { message: string } }> {
  return refuse('Delete a file with `deleteFile`.')
}
