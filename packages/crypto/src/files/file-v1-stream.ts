import { CairnError } from '@cairn/protocol'
import { isEqual } from '../is-equal.ts'
import { deriveBytesV1 } from './file-key.ts'
import { createSeedV1, ivBytes, maxBytesV1, type SeedV1, saltBytes, tagBytes } from './file-v1.ts'
import { type GcmMessage, openGcm } from './gcm-message.ts'
import { createLengthReader, type LengthReader } from './length-reader.ts'
import { type ByteSource, type OpenSource, openSource } from './source.ts'

// The first format as a stream, in constant memory, with WebCrypto. Node's own cipher does the same faster.

/** Bytes processed at a time. */
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
  { salt, iv, keyBytes }: SeedV1,
): AsyncGenerator<Uint8Array, void, undefined> {
  const message = await openGcm(await (keyBytes ?? deriveBytesV1(masterKey, salt, 'encrypt')), iv)
  const head = new Uint8Array(saltBytes + ivBytes)
  head.set(salt)
  head.set(iv, saltBytes)
  yield head
  const reader = createLengthReader(pieces)
  let absorbing: Promise<void> | undefined
  for (let total = 0; !(await reader.isAtEnd()); ) {
    const plain = await reader.readChunk(pieceBytes)
    if (total + plain.length > maxBytesV1) throw tooLarge()
    // A chunk is encrypted while the tag of the one before is computed.
    const [sealed] = await Promise.all([message.crypt(plain, total), absorbing])
    absorbing = message.absorb(sealed)
    total += plain.length
    yield sealed
  }
  await absorbing
  yield await message.tag()
}

/**
 * Decrypts a stream of the first format as it arrives. **Its output is unverified until it ends without an error**:
 * write it only where no reader sees it before that.
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

/** A file with a verified tag. */
export type VerifiedV1 = {
  /**
   * Decrypts the verified bytes in a second pass. Compares each chunk before it yields its plaintext.
   * @throws CairnError DECRYPTION_FAILED if the bytes differ
   */
  decrypt(again: ByteSource): AsyncGenerator<Uint8Array, void, undefined>
}

/**
 * Reads a stream of the first format to its end and verifies it, without decrypting.
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
    const reader = createLengthReader(pieces)
    await reader.read(saltBytes + ivBytes)
    let count = 0
    for await (const { sealed, fromByte } of readBody(reader)) {
      // Concurrent, because both take time; only verified chunks are yielded.
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

/** Reads the head; the body ends with an error unless all of it was absorbed and the tag is valid. */
async function openMessage(
  pieces: OpenSource,
  masterKey: string,
): Promise<{ message: GcmMessage; body: AsyncGenerator<Piece, void, undefined> }> {
  const reader = createLengthReader(pieces)
  const head = await reader.read(saltBytes + ivBytes)
  if (head.length < saltBytes + ivBytes) throw new CairnError('NOT_ENCRYPTED')
  const key = await deriveBytesV1(masterKey, head.slice(0, saltBytes), 'decrypt')
  const message = await openGcm(key, head.slice(saltBytes))
  const body = async function* (): AsyncGenerator<Piece, void, undefined> {
    const tag = yield* readBody(reader)
    if (!isEqual(tag, await message.tag())) throw new CairnError('DECRYPTION_FAILED')
  }
  return { message, body: body() }
}

/**
 * Yields the ciphertext in chunks; the last 16 bytes are its tag.
 * @throws CairnError NOT_ENCRYPTED
 */
async function* readBody(reader: LengthReader): AsyncGenerator<Piece, Uint8Array, undefined> {
  // Keeps the bytes that may turn out to be the tag.
  let held = await reader.read(tagBytes)
  if (held.length < tagBytes) throw new CairnError('NOT_ENCRYPTED')
  for (let fromByte = 0; ; fromByte += pieceBytes) {
    const next = await reader.read(pieceBytes)
    if (next.length === 0) return held
    const joined = new Uint8Array(held.length + next.length)
    joined.set(held)
    joined.set(next, held.length)
    if (fromByte + next.length > maxBytesV1) throw new CairnError('DECRYPTION_FAILED')
    yield { sealed: joined.subarray(0, next.length), fromByte }
    held = joined.slice(next.length)
  }
}

function hasChanged(): CairnError {
  return new CairnError('DECRYPTION_FAILED', { message: 'The file changed after verification' })
}

function tooLarge(): CairnError {
  return new CairnError('FILE_TOO_LARGE', {
    details: { limitBytes: maxBytesV1 },
    hint: 'Use file format 2, which has no such limit.',
  })
}
