import { CairnError } from '@cairn/protocol'
import { deriveBytesV1 } from './file-key.ts'
import { ivBytes, maxBytesV1, overheadV1, saltBytes } from './file-v1.ts'
import type { ReadRange } from './file-v2.ts'
import { openGcm } from './gcm-message.ts'

/** Bytes of an AES block: the key stream starts at a multiple of it. */
const blockBytes = 16

/** A file of the first format, open for ranges. */
export type OpenV1 = {
  /** Size of the plaintext in bytes. */
  sizeBytes: number
  /** Returns plaintext from a byte on; fewer bytes only at the end. */
  read(fromByte: number, length: number): Promise<Uint8Array>
}

/**
 * Opens a file of the first format for ranges. **Neither the key nor the bytes are verified**: the tag of this format covers
 * the whole file. Use it only for bytes that a CID verifies, and only if this CID and the key come from one source, so
 * that no other bytes can be given for the key. A wrong key returns meaningless bytes.
 * @param encryptedBytes size of the whole encrypted file
 * @throws CairnError NOT_ENCRYPTED, DECRYPTION_FAILED (an invalid key)
 */
export async function openUnverifiedV1(
  readRange: ReadRange,
  encryptedBytes: number,
  masterKey: string,
): Promise<OpenV1> {
  const sizeBytes = encryptedBytes - overheadV1
  if (sizeBytes < 0 || sizeBytes > maxBytesV1) throw new CairnError('NOT_ENCRYPTED')
  const headBytes = saltBytes + ivBytes
  const head = new Uint8Array(await readRange(0, headBytes))
  const message = await openGcm(
    await deriveBytesV1(masterKey, head.slice(0, saltBytes), 'decrypt'),
    head.slice(saltBytes),
  )
  return {
    sizeBytes,
    async read(fromByte, length) {
      const end = Math.min(fromByte + length, sizeBytes)
      if (fromByte < 0 || end <= fromByte) return new Uint8Array(0)
      const start = fromByte - (fromByte % blockBytes)
      const sealed = new Uint8Array(await readRange(headBytes + start, end - start))
      return (await message.crypt(sealed, start)).subarray(fromByte - start)
    },
  }
}
