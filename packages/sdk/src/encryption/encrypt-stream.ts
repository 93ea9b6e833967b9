import { type ByteSource, chunkBytesV2, createSeedV1, encryptedSizeV2, encryptV2, overheadV1 } from '@cairn/crypto'
import { encryptV1 } from '#cipher'

/** The two file formats: `v1` is one message, as published clients read it; `v2` is chunks that can be sought in. */
export type FileFormat = 'v1' | 'v2'

/** Encrypts a stream. @throws CairnError FILE_TOO_LARGE */
export function encryptStream(
  source: ByteSource,
  masterKey: string,
  {
    format = 'v1',
    chunkBytes,
    sizeBytes,
  }: { format?: FileFormat; chunkBytes?: number; sizeBytes?: number | undefined } = {},
): AsyncIterable<Uint8Array> {
  return format === 'v1'
    ? encryptV1(source, masterKey, createSeedV1())
    : encryptV2(source, masterKey, { chunkBytes, sizeBytes })
}

/** Bytes of the encrypted file. */
export function encryptedSize(sizeBytes: number, format: FileFormat = 'v1', chunkBytes = chunkBytesV2): number {
  return format === 'v1' ? sizeBytes + overheadV1 : encryptedSizeV2(sizeBytes, chunkBytes)
}
