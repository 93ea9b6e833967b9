import { CairnError, freePiece } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { decryptUnverified } from '../encryption/decrypt-stream.ts'
import { openBytes } from './open-file.ts'

/**
 * Downloads a file to check whether a key is its key.
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
    for await (const piece of decryptUnverified(whole.bytes, masterKey)) freePiece(piece)
    return true
  } catch (error) {
    if (CairnError.is(error, 'DECRYPTION_FAILED') || CairnError.is(error, 'NOT_ENCRYPTED')) return false
    throw error
  } finally {
    await whole.close()
  }
}
