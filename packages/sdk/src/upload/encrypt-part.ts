import type { SeedV1 } from '@cairn/crypto'
import { createFileImporter, type ImportedNode } from '@cairn/unixfs'
import { hashSha256 } from '#platform/native-crypto'
import { keepPieces } from '#platform/send-body'
import { type EncryptBlob, encryptStream, type FileFormat } from '../encryption/encrypt-stream.ts'
import { freeOnceSent } from '../local/sent-pieces.ts'
import type { LocalFile } from '../local-source.ts'
import type { UploadOptions } from './send-files.ts'
import { discard, profileOf } from './write-body.ts'

/** How a file is encrypted and turned into a DAG. */
export type EncryptPartOptions = Pick<UploadOptions, 'cidVersion' | 'profile'> & {
  format?: FileFormat
  chunkBytes?: number
  encrypt?: EncryptBlob
  /** Prepared for this file, which is encrypted on this thread. */
  seed?: SeedV1
}

/** Result for one file: its size in bytes before encryption, and its root after it. */
export type EncryptedPart = { sizeBytes: number; node: ImportedNode }

/** Returns the Blob and the function with which another thread encrypts a file; undefined if this thread encrypts it. */
export function findWorker(
  { blob }: LocalFile,
  { encrypt }: EncryptPartOptions,
): { blob: Blob; encrypt: EncryptBlob } | undefined {
  return blob === undefined || encrypt === undefined ? undefined : { blob, encrypt }
}

/**
 * Encrypts a file and computes its CID on the way.
 * @param count called with the number of bytes read
 */
export async function* encryptPart(
  file: LocalFile,
  masterKey: string,
  { format, chunkBytes, seed, ...options }: EncryptPartOptions,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array, EncryptedPart, undefined> {
  const importer = createFileImporter({ profile: profileOf(options), hash: hashSha256, sink: discard })
  const worker = findWorker(file, options)
  let sizeBytes = 0
  const plain = async function* () {
    for await (const piece of file.open()) {
      sizeBytes += piece.length
      count(piece.length)
      yield piece
    }
  }
  /** Bytes read elsewhere are estimated from the output, capped at the size of the file. */
  const encryptElsewhere = async function* ({ blob, encrypt }: NonNullable<typeof worker>) {
    for await (const piece of keepPieces(encrypt(blob, masterKey, settings))) {
      const read = Math.min(piece.length, blob.size - sizeBytes)
      sizeBytes += read
      count(read)
      yield piece
    }
  }
  const settings = {
    ...(format === undefined ? {} : { format }),
    ...(chunkBytes === undefined ? {} : { chunkBytes }),
    sizeBytes: file.sizeBytes,
  }
  const elsewhere = worker === undefined ? undefined : encryptElsewhere(worker)
  for await (const piece of elsewhere ??
    encryptStream(plain(), masterKey, { ...settings, ...(seed === undefined ? {} : { seed }) })) {
    if (piece.length === 0) continue
    const taken = importer.write(piece)
    if (taken instanceof Promise) await taken
    // The other thread may reuse the buffers of its pieces.
    if (elsewhere === undefined) freeOnceSent(piece)
    yield piece
  }
  return { sizeBytes, node: await importer.finish() }
}
