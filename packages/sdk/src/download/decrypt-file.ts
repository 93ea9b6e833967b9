import { freePiece } from '@cairn/protocol'
import { openPart } from '#platform/part-file'
import type { Client } from '../client.ts'
import { decryptStream, decryptUnverified } from '../encryption/decrypt-stream.ts'
import { type GetKeyOptions, getKey } from '../keys/get-key.ts'
import type { DownloadResult, DownloadToDiskOptions } from './disk-options.ts'
import { type DownloadOptions, openBytes } from './open-file.ts'

export type DecryptOptions = {
  /** The file key, if known. Otherwise the key comes from the key nodes. */
  masterKey?: string
  /** Values that the access conditions require at read time. */
  dynamicData?: Record<string, unknown>
}

/**
 * Decrypts a file by its CID. The key comes from the key nodes; this machine verifies the bytes against the CID and
 * decrypts them. The stream yields verified bytes only, so a file of the first format buffers until it is complete.
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, DECRYPTION_FAILED, NOT_ENCRYPTED and those of getKey and openFile
 */
export async function openDecrypted(
  client: Client,
  cid: string,
  options: DecryptOptions & Pick<DownloadOptions, 'signal' | 'onProgress'> = {},
): Promise<AsyncGenerator<Uint8Array, void, undefined>> {
  const { masterKey, source } = await prepare(client, cid, options)
  return decryptStream(source, masterKey)
}

/**
 * Decrypts a whole file into memory.
 * @throws CairnError as openDecrypted
 */
export async function decryptBytes(
  client: Client,
  cid: string,
  options: DecryptOptions & Pick<DownloadOptions, 'signal' | 'onProgress'> = {},
): Promise<Uint8Array> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of await openDecrypted(client, cid, options)) pieces.push(new Uint8Array(piece))
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}

/**
 * Decrypts a file to a path (Node). Writes to `{path}.part` and renames it once the whole file is verified and durable.
 * A failed call leaves no file.
 * @throws CairnError FILE_EXISTS, and those of openDecrypted
 */
export async function decryptFile(
  client: Client,
  cid: string,
  target: string,
  { overwrite = false, ...options }: DecryptOptions & DownloadToDiskOptions = {},
): Promise<DownloadResult> {
  const { masterKey, source } = await prepare(client, cid, options)
  const part = await openPart(target, overwrite)
  let isOpen = true
  try {
    // Bytes of an earlier attempt were never verified.
    await part.truncate(0)
    let sizeBytes = 0
    for await (const piece of decryptUnverified(source, masterKey)) {
      await part.write(piece, sizeBytes)
      sizeBytes += piece.length
      freePiece(piece)
    }
    isOpen = false
    await part.finish(overwrite)
    return { path: target, sizeBytes, files: 1 }
  } catch (error) {
    if (isOpen) {
      isOpen = false
      await part.discard()
    }
    throw error
  } finally {
    if (isOpen) await part.close()
  }
}

async function prepare(
  client: Client,
  cid: string,
  options: DecryptOptions & Pick<DownloadOptions, 'signal' | 'onProgress'>,
): Promise<{ masterKey: string; source: AsyncIterable<Uint8Array> }> {
  const { dynamicData, signal, onProgress } = options
  const keyOptions: GetKeyOptions = {
    ...(signal === undefined ? {} : { signal }),
    ...(dynamicData === undefined ? {} : { dynamicData }),
  }
  const masterKey = options.masterKey ?? (await getKey(client, cid, { ...keyOptions, lateMs: 0 })).masterKey
  const { bytes } = await openBytes(client, cid, {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  })
  return { masterKey, source: bytes }
}
