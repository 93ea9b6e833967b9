import { CairnError, createClient, type NetworkProfile, type OnProgress, openDecrypted } from '@cairn/sdk'

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
    throw new CairnError('FILE_TOO_LARGE', {
      message: 'The browser has no room for this file',
      hint: 'Decrypt it with the command line, or free room on the disk.',
      cause,
    })
  }
  return blob
}
