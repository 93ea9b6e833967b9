import { CairnError, createClient, type NetworkProfile, type OnProgress, openDecrypted } from '@cairn/sdk'
import { openTarget } from './open-target.ts'

/**
 * Fetches, verifies and decrypts a file.
 * @throws CairnError as openDecrypted, FILE_TOO_LARGE if the browser has no space
 */
export async function decryptFile(
  network: NetworkProfile,
  cid: string,
  masterKey: string,
  onProgress: OnProgress,
): Promise<Blob> {
  const pieces = await openDecrypted(createClient({ network }), cid, { masterKey, onProgress })
  const parts: Blob[] = []
  for await (const piece of pieces) parts.push(new Blob([new Uint8Array(piece)]))
  const blob = new Blob(parts)
  try {
    // A browser without space for the bytes reports it on the first read.
    await blob.slice(-1).arrayBuffer()
  } catch (cause) {
    throw new CairnError('FILE_TOO_LARGE', { cause })
  }
  return blob
}

/**
 * Fetches, verifies and decrypts a file into one that the user chose. Until the last byte is verified, an existing file stays
 * as it was.
 * @throws CairnError as openDecrypted and openTarget
 */
export async function saveFile(
  network: NetworkProfile,
  cid: string,
  masterKey: string,
  target: FileSystemFileHandle,
  onProgress: OnProgress,
): Promise<void> {
  const pieces = await openDecrypted(createClient({ network }), cid, { masterKey, onProgress })
  const file = await openTarget(target)
  try {
    for await (const piece of pieces) await file.write(piece)
    await file.close()
  } catch (error) {
    await file.abort()
    throw error
  }
}
