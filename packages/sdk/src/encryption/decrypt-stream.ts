import { decryptV2, isFormatV2 } from '@cairn/crypto'
import { decryptUnverifiedV1, decryptV1 } from '#cipher'

const markBytes = 8

/**
 * Decrypts a stream of either format; nothing is given before it is verified.
 * @throws CairnError NOT_ENCRYPTED, DECRYPTION_FAILED
 */
export async function* decryptStream(
  source: AsyncIterable<Uint8Array>,
  masterKey: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { isV2, pieces } = await look(source)
  yield* isV2 ? decryptV2(pieces, masterKey) : decryptV1(pieces, masterKey)
}

/** The same for a place that nobody sees before the end: what is given counts only once it ended without an error. */
export async function* decryptUnverified(
  source: AsyncIterable<Uint8Array>,
  masterKey: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { isV2, pieces } = await look(source)
  yield* isV2 ? decryptV2(pieces, masterKey) : decryptUnverifiedV1(pieces, masterKey)
}

/** Looks at the first bytes; the stream begins with them again. */
async function look(source: AsyncIterable<Uint8Array>): Promise<{ isV2: boolean; pieces: AsyncIterable<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let length = 0
  while (length < markBytes) {
    const { done, value } = await iterator.next()
    if (done === true) break
    first.push(value.slice())
    length += value.length
  }
  const start = new Uint8Array(length)
  let at = 0
  for (const piece of first) {
    start.set(piece, at)
    at += piece.length
  }
  const pieces = async function* () {
    try {
      if (length > 0) yield start
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return { isV2: isFormatV2(start), pieces: pieces() }
}
