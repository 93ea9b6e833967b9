import { type ByteSource, chunkBytesV2, createSeedV1, encryptedSizeV2, encryptV2, overheadV1 } from '@cairn/crypto'
import { encryptV1 } from '#cipher'
import { readBlob } from '../upload/blob-file.ts'

/** The two file formats: `v1` is one message, as published clients read it; `v2` is chunks that can be sought in. */
export type FileFormat = 'v1' | 'v2'

/** How a file is encrypted. */
export type EncryptSettings = { format?: FileFormat; chunkBytes?: number; sizeBytes?: number | undefined }

/**
 * Encrypts a File or Blob: what the encrypted uploads take in place of their own, to encrypt somewhere else, as in a worker.
 * A piece is valid until the next is asked for.
 * @throws CairnError FILE_TOO_LARGE, FILE_UNREADABLE
 */
export type EncryptBlob = (blob: Blob, masterKey: string, settings?: EncryptSettings) => AsyncIterable<Uint8Array>

/** Encrypts a File or Blob where it is called. @throws CairnError FILE_TOO_LARGE, FILE_UNREADABLE */
export const encryptBlob: EncryptBlob = (blob, masterKey, settings = {}) =>
  encryptStream(readBlob(blob), masterKey, { ...settings, sizeBytes: blob.size })

/** Encrypts a stream. @throws CairnError FILE_TOO_LARGE */
export function encryptStream(
  source: ByteSource,
  masterKey: string,
  { format = 'v1', chunkBytes, sizeBytes }: EncryptSettings = {},
): AsyncIterable<Uint8Array> {
  return format === 'v1'
    ? encryptV1(source, masterKey, createSeedV1())
    : encryptV2(source, masterKey, { chunkBytes, sizeBytes })
}

/** Bytes of the encrypted file. */
export function encryptedSize(sizeBytes: number, format: FileFormat = 'v1', chunkBytes = chunkBytesV2): number {
  return format === 'v1' ? sizeBytes + overheadV1 : encryptedSizeV2(sizeBytes, chunkBytes)
}
