import {
  type ByteSource,
  chunkBytesV2,
  createSeedV1,
  encryptedSizeV2,
  encryptV2,
  overheadV1,
  type SeedV1,
} from '@cairn/crypto'
import { encryptV1 } from '#cipher'
import { readBlob } from '../local/blob-file.ts'

/** The file formats: `v1` is one message, which published clients read; `v2` consists of chunks and is seekable. */
export type FileFormat = 'v1' | 'v2'

/** Parameters of an encryption. */
export type EncryptSettings = {
  format?: FileFormat
  chunkBytes?: number
  sizeBytes?: number | undefined
  /** Salt, IV and key of a file of the first format, if they were prepared before. */
  seed?: SeedV1
}

/**
 * Encrypts a File or Blob. Encrypted uploads accept one to encrypt elsewhere, for example in a worker. A chunk is valid
 * until the next read.
 * @throws CairnError FILE_TOO_LARGE, FILE_UNREADABLE
 */
export type EncryptBlob = (blob: Blob, masterKey: string, settings?: EncryptSettings) => AsyncIterable<Uint8Array>

/**
 * Encrypts a File or Blob on the calling thread.
 * @throws CairnError FILE_TOO_LARGE, FILE_UNREADABLE
 */
export const encryptBlob: EncryptBlob = (blob, masterKey, settings = {}) =>
  encryptStream(readBlob(blob), masterKey, { ...settings, sizeBytes: blob.size })

/**
 * Encrypts a stream.
 * @throws CairnError FILE_TOO_LARGE
 */
export function encryptStream(
  source: ByteSource,
  masterKey: string,
  { format = 'v1', chunkBytes, sizeBytes, seed }: EncryptSettings = {},
): AsyncIterable<Uint8Array> {
  return format === 'v1'
    ? encryptV1(source, masterKey, seed ?? createSeedV1())
    : encryptV2(source, masterKey, { chunkBytes, sizeBytes })
}

/** Returns the size of the encrypted file in bytes. */
export function encryptedSize(sizeBytes: number, format: FileFormat = 'v1', chunkBytes = chunkBytesV2): number {
  return format === 'v1' ? sizeBytes + overheadV1 : encryptedSizeV2(sizeBytes, chunkBytes)
}
