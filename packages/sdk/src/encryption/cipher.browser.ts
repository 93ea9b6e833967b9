import { type ByteSource, decryptBytesV1, encryptBytesV1, type SeedV1 } from '@cairn/crypto'
import { CairnError } from '@cairn/protocol'

// The browser's half of cipher.ts: WebCrypto takes a message whole, in the browser's own threads, not in the page's.

/** Largest file of the first format in a page's memory, which holds it twice. */
const bytesMost = 512 * 1024 * 1024
const mobileBytesMost = 128 * 1024 * 1024

function limitBytes(): number {
  const hints: unknown = Reflect.get(navigator, 'userAgentData')
  const isMobile = typeof hints === 'object' && hints !== null && 'mobile' in hints && hints.mobile === true
  return isMobile ? mobileBytesMost : bytesMost
}

async function gather(source: ByteSource): Promise<Uint8Array> {
  const most = limitBytes()
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let total = 0
  for await (const piece of source) {
    total += piece.length
    if (total > most) {
      throw new CairnError('FILE_TOO_LARGE', {
        details: { bytesMost: most },
        hint: 'Use the second format in browsers, or the command line.',
      })
    }
    pieces.push(new Uint8Array(piece))
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}

export async function* encryptV1(
  source: ByteSource,
  masterKey: string,
  seed: SeedV1,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield await encryptBytesV1(await gather(source), masterKey, seed)
}

export async function* decryptV1(source: ByteSource, masterKey: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield await decryptBytesV1(await gather(source), masterKey)
}

/** In a browser there is no place that nobody sees: what it gives is verified. */
export const decryptUnverifiedV1 = decryptV1
