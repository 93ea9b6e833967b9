import { decryptedSize, estimateDecryptedSize, headerBytesV2 } from '@cairn/crypto'
import type { Client } from '../client.ts'
import { indexName } from '../encryption/folder-index.ts'
import { listDirectory } from './list-directory.ts'
import { openFile } from './open-file.ts'

/**
 * Returns the decrypted size of an encrypted file in bytes. The size follows from the format, so this needs no key and fetches
 * only the first bytes of the file.
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

/** Longer lists of a folder are not read for its size. */
const defaultMaxFiles = 20_000

/**
 * Estimates the decrypted size of a folder encrypted as one, in bytes, to within one in 1,000. Reads the list of its files, which
 * states their encrypted sizes and needs no key. Undefined if the folder has more than `maxFiles` files or states no sizes.
 * `openEncryptedFolder` returns the exact sizes with the key.
 * @throws CairnError NOT_A_DIRECTORY, BLOCK_NOT_FOUND, and those of the gateway
 */
export async function estimateDecryptedFolderSize(
  client: Client,
  cidPath: string,
  { maxFiles = defaultMaxFiles, ...options }: { signal?: AbortSignal; maxFiles?: number } = {},
): Promise<number | undefined> {
  let sum = 0
  let count = 0
  for await (const { name, dagSizeBytes } of listDirectory(client, cidPath, options)) {
    if (name === indexName) continue
    count++
    if (dagSizeBytes === undefined || count > maxFiles) return undefined
    // Files of such a folder are of the second format, which the lower bound is for.
    sum += estimateDecryptedSize(dagSizeBytes).minBytes
  }
  return sum
}
