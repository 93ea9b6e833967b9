import type { Client } from '../client.ts'
import { fitsKey } from '../encryption/decrypt-stream.ts'
import { openBytes } from './open-file.ts'

/**
 * Downloads a file, or its beginning if that suffices, to check whether a key is its key.
 * @throws CairnError as openFile
 */
export async function isKeyOfFile(
  client: Client,
  cid: string,
  masterKey: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const whole = await openBytes(client, cid, signal === undefined ? {} : { signal })
  try {
    return await fitsKey(whole.bytes, masterKey)
  } finally {
    await whole.close()
  }
}
