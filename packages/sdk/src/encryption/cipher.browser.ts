import { type ByteSource, openSource, verifyV1 } from '@cairn/crypto'
import { CairnError } from '@cairn/protocol'

// The browser half of cipher.ts: the first format in constant memory with WebCrypto.
export { decryptUnverifiedV1, encryptV1 } from '@cairn/crypto'

/**
 * Encrypted bytes are buffered in Blobs: the browser keeps them outside the memory of the page, and large ones on disk.
 */
const spoolBytes = 8 * 1024 * 1024

/**
 * Decrypts a stream of the first format and yields no bytes until all are verified. Buffers the encrypted bytes in
 * Blobs, which are immutable, verifies them, and decrypts in a second pass.
 * @throws CairnError NOT_ENCRYPTED, DECRYPTION_FAILED, FILE_TOO_LARGE if the browser has no space for the Blobs
 */
export async function* decryptV1(source: ByteSource, masterKey: string): AsyncGenerator<Uint8Array, void, undefined> {
  const spool: Blob[] = []
  const verified = await verifyV1(fill(spool, source), masterKey)
  yield* verified.decrypt(drain(spool))
}

/** Passes chunks through and stores them. */
async function* fill(spool: Blob[], source: ByteSource): AsyncGenerator<Uint8Array> {
  const pieces = openSource(source)
  let waiting: Uint8Array<ArrayBuffer>[] = []
  let waitingBytes = 0
  const flush = () => {
    spool.push(new Blob(waiting))
    waiting = []
    waitingBytes = 0
  }
  try {
    for await (const piece of pieces) {
      waiting.push(new Uint8Array(piece))
      waitingBytes += piece.length
      if (waitingBytes >= spoolBytes) flush()
      yield piece
    }
    flush()
  } finally {
    await pieces.close()
  }
}

/** Yields the stored bytes and releases them on the way. */
async function* drain(spool: Blob[]): AsyncGenerator<Uint8Array> {
  for (let blob = spool.shift(); blob !== undefined; blob = spool.shift()) yield await read(blob)
}

async function read(blob: Blob): Promise<Uint8Array> {
  try {
    return new Uint8Array(await blob.arrayBuffer())
  } catch (cause) {
    throw new CairnError('FILE_TOO_LARGE', {
      message: 'The browser does not have enough space for this file',
      hint: 'Decrypt it with the command line, or free disk space.',
      cause,
    })
  }
}
