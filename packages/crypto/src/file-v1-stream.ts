import { CairnError } from '@cairn/protocol'
import { deriveBytesV1 } from './file-key.ts'
import { bytesMostV1, createSeedV1, ivBytes, type SeedV1, saltBytes, tagBytes } from './file-v1.ts'
import { type GcmMessage, openGcm } from './gcm-message.ts'
import { isEqual } from './is-equal.ts'
import { type ByteSource, type OpenSource, openSource } from './source.ts'
import { type LengthReader, takeLengths } from './take-lengths.ts'

// The first format as a stream, in flat memory, wherever there is WebCrypto. Node's own cipher does the same faster.

/** Bytes that are worked on at a time. */
const pieceBytes = 1024 * 1024

/**
 * Encrypts a stream in the first format.
 * @param masterKey 64 hex characters
 * @throws CairnError KEY_NOT_SHARDABLE, FILE_TOO_LARGE beyond 64 GiB
 */
export async function* encryptV1(
  source: ByteSource,
  masterKey: string,
  seed: SeedV1 = createSeedV1(),
): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = openSource(source)
  try {
    yield* encryptPieces(pieces, masterKey, seed)
  } finally {
    await pieces.close()
  }
}

async function* encryptPieces(
  pieces: OpenSource,
  masterKey: string,
  { salt, iv }: SeedV1,
): AsyncGenerator<Uint8Array, void, undefined> {
  const message = await openGcm(await deriveBytesV1(masterKey, salt, 'encrypt'), iv)
  const head = new Uint8Array(saltBytes + ivBytes)
  head.set(salt)
  head.set(iv, saltBytes)
  yield head
  const reader = takeLengths(pieces)
  for (let total = 0; !(await reader.isAtEnd()); ) {
    const plain = await reader.take(pieceBytes)
    if (total + plain.length > bytesMostV1) throw tooLarge()
    const sealed = await message.crypt(plain, total)
    await message.absorb(sealed)
    total += plain.length
    yield sealed
  }
  yield await message.tag()
}

/**
 * Decrypts a stream of the first format as it comes. **What it gives is not verified before it has ended without an error**:
 * only for a place that nobody sees until then.
 * @throws CairnError NOT_ENCRYPTED, DECRYPTION_FAILED
 */
export async function* decryptUnverifiedV1(
  source: ByteSource,
  masterKey: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = openSource(source)
  try {
    const { message, body } = await openMessage(pieces, masterKey)
    for await (const { sealed, fromByte } of body) {
      await message.absorb(sealed)
      yield await message.crypt(sealed, fromByte)
    }
  } finally {
    await pieces.close()
  }
}

/** A file whose tag was found to be right. */
export type VerifiedV1 = {
  /**
   * Decrypts what was verified: the same bytes again. Each piece is compared before it is given.
   * @throws CairnError DECRYPTION_FAILED where they are others
   */
  decrypt(again: ByteSource): AsyncGenerator<Uint8Array, void, undefined>
}

/**
 * Goes through a stream of the first format and verifies it; nothing is decrypted.
 * @throws CairnError NOT_ENCRYPTED, DECRYPTION_FAILED
 */
export async function verifyV1(source: ByteSource, masterKey: string): Promise<VerifiedV1> {
  const pieces = openSource(source)
  try {
    const { message, body } = await openMessage(pieces, masterKey)
    for await (const { sealed } of body) await message.absorb(sealed)
    return { decrypt: (again) => decryptVerified(again, message) }
  } finally {
    await pieces.close()
  }
}

async function* decryptVerified(source: ByteSource, message: GcmMessage): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = openSource(source)
  try {
    const reader = takeLengths(pieces)
    await reader.take(saltBytes + ivBytes)
    let count = 0
    for await (const { sealed, fromByte } of readBody(reader)) {
      // Side by side, for both take time; what is given is known to be right.
      const [isSame, plain] = await Promise.all([message.isAbsorbed(count++, sealed), message.crypt(sealed, fromByte)])
      if (!isSame) throw hasChanged()
      yield plain
    }
    if (count !== message.absorbedPieces) throw hasChanged()
  } finally {
    await pieces.close()
  }
}

type Piece = { sealed: Uint8Array<ArrayBuffer>; fromByte: number }

/** Reads the head; the body ends with an error unless all of it was absorbed and the tag is right. */
async function openMessage(
  pieces: OpenSource,
  masterKey: string,
): Promise<{ message: GcmMessage; body: AsyncGenerator<Piece, void, undefined> }> {
  const reader = takeLengths(pieces)
  const head = await reader.take(saltBytes + ivBytes)
  if (head.length < saltBytes + ivBytes) throw new CairnError('NOT_ENCRYPTED')
  const key = await deriveBytesV1(masterKey, head.slice(0, saltBytes), 'decrypt')
  const message = await openGcm(key, head.slice(saltBytes))
  const body = async function* (): AsyncGenerator<Piece, void, undefined> {
    const tag = yield* readBody(reader)
    if (!isEqual(tag, await message.tag())) throw new CairnError('DECRYPTION_FAILED')
  }
  return { message, body: body() }
}

/** The ciphertext in pieces; the last 16 bytes are its tag. @throws CairnError NOT_ENCRYPTED */
async function* readBody(reader: LengthReader): AsyncGenerator<Piece, Uint8Array, undefined> {
  // What may still turn out to be the tag is held back.
  let held = await reader.take(tagBytes)
  if (held.length < tagBytes) throw new CairnError('NOT_ENCRYPTED')
  for (let fromByte = 0; ; fromByte += pieceBytes) {
    const next = await reader.take(pieceBytes)
    if (next.length === 0) return held
    const joined = new Uint8Array(held.length + next.length)
    joined.set(held)
    joined.set(next, held.length)
    if (fromByte + next.length > bytesMostV1) throw new CairnError('DECRYPTION_FAILED')
    yield { sealed: joined.subarray(0, next.length), fromByte }
    held = joined.slice(next.length)
  }
}

function hasChanged(): CairnError {
  return new CairnError('DECRYPTION_FAILED', { message: 'The file changed after it was verified' })
}

function tooLarge(): CairnError {
  return new CairnError('FILE_TOO_LARGE', {
    details: { bytesMost: bytesMostV1 },
    hint: 'Use the second format: it has no such limit.',
  })
}
