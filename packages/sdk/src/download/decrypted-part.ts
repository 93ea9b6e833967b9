import { headerBytesV2, isFormatV2, type ReadRange, type SealedAgain, sealAgainV1, sealAgainV2 } from '@cairn/crypto'
import type { EarlierBytes } from '#platform/part-file'
import type { Client } from '../client.ts'
import { checkPart } from './check-part.ts'
import { parseContentPath } from './content-path.ts'
import { type DownloadOptions, downloadBytes, openBytes } from './open-file.ts'

/** Encrypted bytes that are restored at a time. */
const pieceBytes = 1024 * 1024

/** An encrypted file whose content is decrypted to the disk. */
export type SealedFile = {
  readonly client: Client
  readonly cid: string
  /** Size of the encrypted file in bytes. */
  readonly encryptedBytes: number
  readonly masterKey: string
  readonly reading: Pick<DownloadOptions, 'signal' | 'onProgress'>
}

/** The start of a decrypted file that an earlier download left. */
export type DecryptedPart = {
  /** Number of correct bytes at the start. */
  sizeBytes: number
  /** Size of the whole decrypted file in bytes. */
  totalBytes: number
  /** Returns the whole encrypted file: its start is encrypted again from the correct bytes, and the rest is fetched. */
  sealedBytes(): AsyncGenerator<Uint8Array, void, undefined>
}

/**
 * Counts the correct bytes at the start of a decrypted file: encrypts them again and compares the result with the blocks of the
 * encrypted file.
 * @throws CairnError NOT_ENCRYPTED, DECRYPTION_FAILED, and those of openFile
 */
export async function checkDecryptedPart(file: SealedFile, part: EarlierBytes): Promise<DecryptedPart> {
  const { client, cid, encryptedBytes, reading } = file
  const { signal } = reading
  const again = await sealAgain(file, part.read)
  const keptBytes = Math.min(part.sizeBytes, again.sizeBytes)
  const sealed = { sizeBytes: again.sealedPrefix(keptBytes), read: again.read, close: part.close }
  const sizeBytes = again.plainPrefix(await checkPart(client, parseContentPath(cid), sealed, signal))
  return {
    sizeBytes,
    totalBytes: again.sizeBytes,
    async *sealedBytes() {
      const restoredBytes = again.sealedPrefix(sizeBytes)
      for (let at = 0; at < restoredBytes; ) {
        const piece = await again.read(at, Math.min(pieceBytes, restoredBytes - at))
        yield piece
        at += piece.length
      }
      if (restoredBytes === encryptedBytes) return
      const rest = await openBytes(client, cid, { ...reading, fromByte: restoredBytes, continues: true })
      yield* rest.bytes
    },
  }
}

async function sealAgain(file: SealedFile, readPlain: ReadRange): Promise<SealedAgain> {
  const { client, cid, encryptedBytes, masterKey, reading } = file
  const { signal } = reading
  const toByte = Math.min(headerBytesV2, encryptedBytes)
  const head = await downloadBytes(client, cid, { ...(signal === undefined ? {} : { signal }), toByte })
  const readHead: ReadRange = async (fromByte, length) => head.subarray(fromByte, fromByte + length)
  const open = isFormatV2(head) ? sealAgainV2 : sealAgainV1
  return open(readHead, encryptedBytes, masterKey, readPlain)
}
