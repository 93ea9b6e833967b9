import { type ByteSource, decryptV2, isFormatV2, type OpenSource, openSource } from '@cairn/crypto'
import { CairnError, freePiece } from '@cairn/protocol'
import { decryptUnverifiedV1, decryptV1 } from '#cipher'
import type { FileFormat } from './encrypt-stream.ts'

const markBytes = 8

/**
 * Decrypts a stream of either format, and yields verified bytes only.
 * @throws CairnError NOT_ENCRYPTED, DECRYPTION_FAILED
 */
export async function* decryptStream(
  source: ByteSource,
  masterKey: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = openSource(source)
  try {
    yield* (await decryptPieces(pieces, masterKey)).plain
  } finally {
    await pieces.close()
  }
}

/**
 * Finds the format of a stream by its first bytes. Yields verified bytes only; the caller closes `pieces`.
 * @throws CairnError as decryptStream, from `plain`
 */
export async function decryptPieces(
  pieces: OpenSource,
  masterKey: string,
): Promise<{ format: FileFormat; plain: AsyncGenerator<Uint8Array, void, undefined> }> {
  const { isV2, again } = await detectFormat(pieces)
  return isV2
    ? { format: 'v2', plain: decryptV2(again, masterKey) }
    : { format: 'v1', plain: decryptV1(again, masterKey) }
}

/**
 * Decrypts a stream for a destination that no reader sees before the end: the output is valid only once the stream
 * ended without an error.
 */
export async function* decryptUnverified(
  source: ByteSource,
  masterKey: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = openSource(source)
  try {
    const { isV2, again } = await detectFormat(pieces)
    yield* isV2 ? decryptV2(again, masterKey) : decryptUnverifiedV1(again, masterKey)
  } finally {
    await pieces.close()
  }
}

/**
 * Reads as much of a stream as a check of the key needs: one chunk of the second format, all of the first.
 * @throws CairnError as the source
 */
export async function fitsKey(source: ByteSource, masterKey: string): Promise<boolean> {
  const pieces = openSource(source)
  try {
    const { isV2, again } = await detectFormat(pieces)
    for await (const piece of isV2 ? decryptV2(again, masterKey) : decryptUnverifiedV1(again, masterKey)) {
      freePiece(piece)
      if (isV2) break
    }
    return true
  } catch (error) {
    if (CairnError.is(error, 'DECRYPTION_FAILED') || CairnError.is(error, 'NOT_ENCRYPTED')) return false
    throw error
  } finally {
    await pieces.close()
  }
}

/** Reads the first bytes to detect the format; the returned stream starts with them again. */
async function detectFormat(pieces: OpenSource): Promise<{ isV2: boolean; again: OpenSource }> {
  const first: Uint8Array[] = []
  let length = 0
  while (length < markBytes) {
    const { done, value } = await pieces.next()
    if (done === true) break
    first.push(new Uint8Array(value))
    length += value.length
  }
  const start = new Uint8Array(length)
  let at = 0
  for (const piece of first) {
    start.set(piece, at)
    at += piece.length
  }
  let isStarted = length === 0
  const again: OpenSource = {
    ...pieces,
    next() {
      if (isStarted) return pieces.next()
      isStarted = true
      return Promise.resolve({ done: false, value: start })
    },
    [Symbol.asyncIterator]: () => again,
  }
  return { isV2: isFormatV2(start), again }
}
