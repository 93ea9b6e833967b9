import { CairnError } from '@cairn/protocol'
import { overheadV1 } from './file-v1.ts'
import { decryptedSizeV2, isFormatV2 } from './file-v2.ts'

/**
 * Returns the size in bytes of an encrypted file once it is decrypted, by its format. Only decryption verifies it.
 * @param head its first bytes: those of the header of the second format, or all of a shorter file
 * @param encryptedBytes size of the whole encrypted file
 * @throws CairnError NOT_ENCRYPTED, DECRYPTION_FAILED (a header that does not fit the size)
 */
export function decryptedSize(head: Uint8Array, encryptedBytes: number): number {
  if (isFormatV2(head)) return decryptedSizeV2(head, encryptedBytes)
  if (encryptedBytes < overheadV1) throw new CairnError('NOT_ENCRYPTED')
  return encryptedBytes - overheadV1
}
