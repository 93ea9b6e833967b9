import { decryptedSize, headerBytesV2 } from '@cairn/crypto'
import type { Client } from '../client.ts'
import { openFile } from './open-file.ts'

/**
 * Returns the size in bytes that an encrypted file has once it is decrypted. It follows from the format, so it needs no key, and
 * only the first bytes of the file are fetched.
 * @throws CairnError NOT_ENCRYPTED for a file that is too short for either format; those of openFile
 */
export async function getDecryptedSize(
  client: Client,
  cidPath: string,
  options: { signal?: AbortSignal } = {},
): Promise<number> {
  const { sizeBytes, stream } = await openFile(client, cidPath, { ...options, toByte: headerBytesV2 })
  return decryptedSize(new Uint8Array(await new Response(stream).arrayBuffer()), sizeBytes)
}
