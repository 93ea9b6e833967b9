import { CairnError } from '@cairn/protocol'
import { overheadV1, tagBytes } from './file-v1.ts'
import { decryptedSizeV2, headerBytesV2, isFormatV2 } from './file-v2.ts'

/**
 * Returns the decrypted size of an encrypted file in bytes, by its format. Only decryption verifies it.
 * @param head its first bytes: those of the header of the second format, or all of a shorter file
 * @param encryptedBytes size of the whole encrypted file
 * @throws CairnError NOT_ENCRYPTED, DECRYPTION_FAILED (a header that does not fit the size)
 */
export function decryptedSize(head: Uint8Array, encryptedBytes: number): number {
  if (isFormatV2(head)) return decryptedSizeV2(head, encryptedBytes)
  if (encryptedBytes < overheadV1) throw new CairnError('NOT_ENCRYPTED')
  return encryptedBytes - overheadV1
}

/** The smallest chunk size that clients choose: that of media. */
const minUsualChunkBytes = 64 * 1024

/**
 * Returns bounds of the decrypted size of an encrypted file, without reading its bytes: the first format adds the same number of
 * bytes to every file, the second at most about 150 bytes more and one in 4,096. Chunks smaller than 64 KiB add more.
 * @param encryptedBytes size of the whole encrypted file
 */
export function estimateDecryptedSize(encryptedBytes: number): { minBytes: number; maxBytes: number } {
  const maxBytes = Math.max(0, encryptedBytes - overheadV1)
  const body = encryptedBytes - headerBytesV2
  // Too short for the second format.
  if (body < tagBytes) return { minBytes: maxBytes, maxBytes }
  return { minBytes: body - tagBytes * Math.ceil(body / (minUsualChunkBytes + tagBytes)), maxBytes }
}
