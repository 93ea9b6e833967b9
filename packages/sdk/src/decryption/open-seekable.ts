import { type HeaderV2, headerBytesV2, isFormatV2, openUnverifiedV1, openV2, type ReadRange } from '@cairn/crypto'
import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { downloadBytes, openFile } from '../download/open-file.ts'
import { getKey } from '../keys/get-key.ts'
import type { DecryptOptions } from './decrypt-file.ts'

/** An encrypted file that is open for random access. */
export type SeekableFile = {
  /** Size of the decrypted file in bytes. */
  sizeBytes: number
  /** Header of the second format; undefined for the first. */
  header: HeaderV2 | undefined
  /** Returns decrypted bytes from a byte on; fewer bytes only at the end. */
  read(fromByte: number, length: number): Promise<Uint8Array>
}

export type SeekableOptions = DecryptOptions & {
  signal?: AbortSignal
  /**
   * Also opens files of the first format, whose ranges are verified by the CID but not by the key. Set it only if both come from
   * one source: the key nodes, a link, or your own records. Defaults to false.
   */
  acceptsFirstFormat?: boolean
}

/**
 * Opens an encrypted file for random access, for players and large archives. Fetches only the chunks that a range touches,
 * and verifies each by the CID and, in the second format, by its own tag.
 * @example
 * const film = await openSeekable(client, cid)
 * const part = await film.read(500_000_000, 65_536)
 * @throws CairnError NOT_ENCRYPTED (also for files of the first format, unless `acceptsFirstFormat`), DECRYPTION_FAILED,
 *   and those of getKey and openFile
 */
export async function openSeekable(client: Client, cid: string, options: SeekableOptions = {}): Promise<SeekableFile> {
  const { masterKey: given, dynamicData, signal, acceptsFirstFormat = false } = options
  const stop = signal === undefined ? {} : { signal }
  const masterKey =
    given ??
    (await getKey(client, cid, { ...stop, lateMs: 0, ...(dynamicData === undefined ? {} : { dynamicData }) })).masterKey
  const { sizeBytes, stream } = await openFile(client, cid, { ...stop, toByte: headerBytesV2 })
  const head = new Uint8Array(await new Response(stream).arrayBuffer())
  const readRange: ReadRange = async (fromByte, length) =>
    fromByte + length <= head.length
      ? head.subarray(fromByte, fromByte + length)
      : downloadBytes(client, cid, { ...stop, fromByte, toByte: Math.min(fromByte + length, sizeBytes) })
  if (isFormatV2(head)) return openV2(readRange, sizeBytes, masterKey)
  if (!acceptsFirstFormat) throw new CairnError('NOT_ENCRYPTED')
  return { header: undefined, ...(await openUnverifiedV1(readRange, sizeBytes, masterKey)) }
}
