import { openSource } from '@cairn/crypto'
import { CairnError, freePiece } from '@cairn/protocol'
import { type EarlierBytes, openComplete, openPart, type PartFile } from '#platform/part-file'
import type { Client } from '../client.ts'
import { checkDecryptedPart, type DecryptedPart, type SealedFile } from '../download/decrypted-part.ts'
import type { DownloadResult, DownloadToDiskOptions } from '../download/disk-options.ts'
import { type DownloadOptions, type OpenBytes, openBytes } from '../download/open-file.ts'
import { smallFileBytes } from '../download/save-file.ts'
import { decryptPieces, decryptStream, decryptUnverified } from '../encryption/decrypt-stream.ts'
import type { FileFormat } from '../encryption/encrypt-stream.ts'
import { type GetKeyOptions, getKey } from '../keys/get-key.ts'

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
  const { masterKey, whole } = await prepare(client, cid, options)
  return decryptStream(whole.bytes, masterKey)
}

/** A file that is decrypted while it is read. */
export type DecryptedFile = {
  format: FileFormat
  /** Verified bytes only. */
  plain: AsyncGenerator<Uint8Array, void, undefined>
  /** Ends the download, whether or not `plain` was read. */
  close(): Promise<void>
}

/**
 * Decrypts a file as {@link openDecrypted} does, and returns the format it is stored in.
 * @throws CairnError as openDecrypted
 */
export async function openWithFormat(
  client: Client,
  cid: string,
  options: Pick<DownloadOptions, 'signal'> = {},
): Promise<DecryptedFile> {
  const { masterKey, whole } = await prepare(client, cid, options)
  const pieces = openSource(whole.bytes)
  const close = async () => {
    await pieces.close()
    await whole.close()
  }
  try {
    return { ...(await decryptPieces(pieces, masterKey)), close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Decrypts a whole file into memory.
 * @throws CairnError as openDecrypted
 */
export async function decryptBytes(
  client: Client,
  cid: string,
  options: DecryptOptions & Pick<DownloadOptions, 'signal' | 'onProgress'> = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of await openDecrypted(client, cid, options)) pieces.push(new Uint8Array(piece))
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}

/**
 * Decrypts a file to a path (Node). Writes to `{path}.part` and renames it once the whole file is verified and durable. A later
 * call resumes an interrupted one, as `downloadFile` does; with `overwrite`, it keeps a file that is already complete. A file
 * that cannot be decrypted leaves nothing on the disk.
 * @throws CairnError FILE_EXISTS, and those of openDecrypted
 */
export async function decryptFile(
  client: Client,
  cid: string,
  target: string,
  { overwrite = false, ...options }: DecryptOptions & DownloadToDiskOptions = {},
): Promise<DownloadResult> {
  const { masterKey, reading, whole } = await prepare(client, cid, options)
  const file: SealedFile = { client, cid, encryptedBytes: whole.sizeBytes, masterKey, reading }
  try {
    const complete = overwrite && whole.sizeBytes > smallFileBytes ? await openComplete(target) : undefined
    if (complete !== undefined) {
      await whole.close()
      const { sizeBytes } = complete
      if (await isContentOf(file, complete).finally(complete.close)) return { path: target, sizeBytes, files: 1 }
    }
    const part = await openPart(target, overwrite)
    // A file that was closed for a check is opened again.
    const first = complete === undefined ? whole : undefined
    return { path: target, sizeBytes: await fillPart(file, part, overwrite, first), files: 1 }
  } finally {
    await whole.close()
  }
}

/** Decrypts a file into its part file, and moves that to the target. Returns its size in bytes. */
async function fillPart(
  file: SealedFile,
  part: PartFile,
  overwrite: boolean,
  whole: OpenBytes | undefined,
): Promise<number> {
  let isOpen = true
  try {
    let earlier: DecryptedPart | undefined
    if (part.sizeBytes > 0) {
      await whole?.close()
      earlier = await checkDecryptedPart(file, part)
      await part.truncate(earlier.sizeBytes, file.reading.signal)
    }
    const fresh = earlier === undefined ? whole : undefined
    const source = earlier?.sealedBytes() ?? (fresh ?? (await openBytes(file.client, file.cid, file.reading))).bytes
    const keptBytes = earlier?.sizeBytes ?? 0
    let sizeBytes = 0
    for await (const piece of decryptUnverified(source, file.masterKey)) {
      const known = Math.min(piece.length, Math.max(0, keptBytes - sizeBytes))
      if (known < piece.length) await part.write(piece.subarray(known), sizeBytes + known)
      sizeBytes += piece.length
      freePiece(piece)
    }
    isOpen = false
    await part.finish(overwrite)
    return sizeBytes
  } catch (error) {
    if (isOpen) {
      isOpen = false
      // A later call cannot use these bytes.
      const isWrong = CairnError.is(error, 'DECRYPTION_FAILED') || CairnError.is(error, 'NOT_ENCRYPTED')
      await (isWrong ? part.discard() : part.close())
    }
    throw error
  }
}

/** Whether a file on the disk is the decrypted one. */
async function isContentOf(file: SealedFile, complete: EarlierBytes): Promise<boolean> {
  const { sizeBytes, totalBytes, sealedBytes } = await checkDecryptedPart(file, complete)
  if (totalBytes !== complete.sizeBytes) return false
  let at = 0
  for await (const piece of decryptUnverified(sealedBytes(), file.masterKey)) {
    const known = Math.min(piece.length, Math.max(0, sizeBytes - at))
    const fresh = piece.subarray(known)
    const found = await complete.read(at + known, fresh.length)
    const isSame = found.length === fresh.length && fresh.every((byte, i) => byte === found[i])
    at += piece.length
    freePiece(piece)
    if (!isSame) return false
  }
  return at === totalBytes
}

async function prepare(
  client: Client,
  cid: string,
  options: DecryptOptions & Pick<DownloadOptions, 'signal' | 'onProgress'>,
): Promise<{ masterKey: string; reading: SealedFile['reading']; whole: OpenBytes }> {
  const { dynamicData, signal, onProgress } = options
  const keyOptions: GetKeyOptions = {
    ...(signal === undefined ? {} : { signal }),
    ...(dynamicData === undefined ? {} : { dynamicData }),
  }
  const masterKey = options.masterKey ?? (await getKey(client, cid, { ...keyOptions, lateMs: 0 })).masterKey
  const reading = {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  }
  return { masterKey, reading, whole: await openBytes(client, cid, reading) }
}
