import { type OpenV2, openV2 } from '@cairn/crypto'
import type { Client } from '../client.ts'
import { getKey } from '../keys/get-key.ts'
import type { DecryptOptions } from './decrypt-file.ts'
import { downloadBytes, openFile } from './open-file.ts'

/**
 * Opens an encrypted file of the second format for random access, for players and large archives. Fetches only the
 * chunks that a range touches, and verifies each by the CID and its own tag.
 * @example
 * const film = await openSeekable(client, cid)
 * const part = await film.read(500_000_000, 65_536)
 * @throws CairnError NOT_ENCRYPTED (also for files of the first format), DECRYPTION_FAILED, and those of getKey and
 *   openFile
 */
export async function openSeekable(
  client: Client,
  cid: string,
  options: DecryptOptions & { signal?: AbortSignal } = {},
): Promise<OpenV2> {
  const { masterKey: given, dynamicData, signal } = options
  const stop = signal === undefined ? {} : { signal }
  const masterKey =
    given ??
    (await getKey(client, cid, { ...stop, lateMs: 0, ...(dynamicData === undefined ? {} : { dynamicData }) })).masterKey
  const { sizeBytes, stream } = await openFile(client, cid, stop)
  await stream.cancel()
  const readRange = (fromByte: number, length: number) =>
    downloadBytes(client, cid, { fromByte, toByte: Math.min(fromByte + length, sizeBytes), ...stop })
  return openV2(readRange, sizeBytes, masterKey)
}
