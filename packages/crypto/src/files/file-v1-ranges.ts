import { CairnError } from '@cairn/protocol'
import { deriveBytesV1 } from './file-key.ts'
import { ivBytes, maxBytesV1, overheadV1, saltBytes } from './file-v1.ts'
import type { ReadRange, SealedAgain } from './file-v2.ts'
import { type GcmMessage, openGcm } from './gcm-message.ts'

/** Bytes of an AES block: the key stream starts at a multiple of it. */
const blockBytes = 16
const headBytes = saltBytes + ivBytes

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
  const { sizeBytes, message } = await openHead(readRange, encryptedBytes, masterKey)
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

/**
 * Restores the encrypted bytes of a file of the first format from its plaintext, without the tag at the end, to compare them
 * with what a CID promises.
 * @throws CairnError NOT_ENCRYPTED, DECRYPTION_FAILED (an invalid key)
 */
export async function sealAgainV1(
  readRange: ReadRange,
  encryptedBytes: number,
  masterKey: string,
  readPlain: ReadRange,
): Promise<SealedAgain> {
  const { sizeBytes, head, message } = await openHead(readRange, encryptedBytes, masterKey)
  return {
    sizeBytes,
    sealedPrefix: (plainBytes) => headBytes + Math.min(plainBytes, sizeBytes),
    plainPrefix: (sealedBytes) => Math.min(Math.max(0, sealedBytes - headBytes), sizeBytes),
    async read(fromByte, length) {
      const first = head.subarray(fromByte, fromByte + length)
      const out = new Uint8Array(length)
      out.set(first)
      if (first.length === length) return out
      const from = Math.max(0, fromByte - headBytes)
      const start = from - (from % blockBytes)
      const plainBytes = from - start + length - first.length
      const plain = new Uint8Array(await readPlain(start, plainBytes))
      if (plain.length < plainBytes) throw new CairnError('FILE_CHANGED')
      out.set((await message.crypt(plain, start)).subarray(from - start), first.length)
      return out
    },
  }
}

/** @throws CairnError NOT_ENCRYPTED, DECRYPTION_FAILED (an invalid key) */
async function openHead(
  readRange: ReadRange,
  encryptedBytes: number,
  masterKey: string,
): Promise<{ sizeBytes: number; head: Uint8Array; message: GcmMessage }> {
  const sizeBytes = encryptedBytes - overheadV1
  if (sizeBytes < 0 || sizeBytes > maxBytesV1) throw new CairnError('NOT_ENCRYPTED')
  const head = new Uint8Array(await readRange(0, headBytes))
  const keyBytes = await deriveBytesV1(masterKey, head.slice(0, saltBytes), 'decrypt')
  return { sizeBytes, head, message: await openGcm(keyBytes, head.slice(saltBytes)) }
}
