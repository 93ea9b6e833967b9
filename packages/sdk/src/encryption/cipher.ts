import { createCipheriv, createDecipheriv, type DecipherGCM, pbkdf2 } from 'node:crypto'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  type ByteSource,
  ivBytes,
  maxBytesV1,
  openSource,
  passwordOf,
  type SeedV1,
  saltBytes,
  tagBytes,
} from '@cairn/crypto'
import { CairnError, freePiece, writeAll } from '@cairn/protocol'

// The first file format in Node, streamed: its own cipher supports what WebCrypto does not. cipher.browser.ts is the
// browser half.

const algorithm = 'aes-256-gcm'
const iterations = 250_000
const pieceBytes = 1024 * 1024
const derive = promisify(pbkdf2)

/** @throws CairnError KEY_NOT_SHARDABLE, DECRYPTION_FAILED */
async function keyOf(masterKey: string, salt: Uint8Array, use: 'encrypt' | 'decrypt'): Promise<Buffer> {
  return derive(passwordOf(masterKey, use), salt, iterations, 32, 'sha256')
}

/**
 * Encrypts a stream in the first format, in constant memory.
 * @throws CairnError KEY_NOT_SHARDABLE, FILE_TOO_LARGE beyond 64 GiB
 */
export async function* encryptV1(
  source: ByteSource,
  masterKey: string,
  seed: SeedV1,
): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = openSource(source)
  try {
    yield* encryptPieces(pieces, masterKey, seed)
  } finally {
    await pieces.close()
  }
}

async function* encryptPieces(
  pieces: AsyncIterable<Uint8Array>,
  masterKey: string,
  { salt, iv, keyBytes }: SeedV1,
): AsyncGenerator<Uint8Array, void, undefined> {
  const key = await (keyBytes ?? keyOf(masterKey, salt, 'encrypt'))
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes })
  yield Buffer.concat([salt, iv])
  let total = 0
  for await (const piece of pieces) {
    total += piece.length
    if (total > maxBytesV1) throw tooLarge()
    yield cipher.update(piece)
  }
  yield cipher.final()
  yield cipher.getAuthTag()
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
  const headBytes = saltBytes + ivBytes
  // Keeps the bytes that may turn out to be the tag.
  let held: Uint8Array = new Uint8Array(0)
  let decipher: DecipherGCM | undefined
  for await (const piece of source) {
    let bytes: Uint8Array = held.length === 0 ? piece : Buffer.concat([held, piece])
    held = new Uint8Array(0)
    if (decipher === undefined) {
      if (bytes.length < headBytes) {
        held = Buffer.from(bytes)
        continue
      }
      const head = Buffer.from(bytes.subarray(0, headBytes))
      const key = await keyOf(masterKey, head.subarray(0, saltBytes), 'decrypt')
      decipher = createDecipheriv(algorithm, key, head.subarray(saltBytes), { authTagLength: tagBytes })
      bytes = bytes.subarray(headBytes)
    }
    const body = Math.max(0, bytes.length - tagBytes)
    held = Buffer.from(bytes.subarray(body))
    const plain = body > 0 ? decipher.update(bytes.subarray(0, body)) : undefined
    if (bytes !== piece) freePiece(bytes)
    if (plain !== undefined) yield plain
  }
  if (decipher === undefined || held.length < tagBytes) throw new CairnError('NOT_ENCRYPTED')
  decipher.setAuthTag(held)
  try {
    yield decipher.final()
  } catch (cause) {
    throw new CairnError('DECRYPTION_FAILED', { cause })
  }
}

/**
 * Decrypts a stream of the first format and yields no bytes until all are verified. Buffers the encrypted bytes in a
 * temporary file, verifies them, and decrypts in a second pass.
 * @throws CairnError NOT_ENCRYPTED, DECRYPTION_FAILED
 */
export async function* decryptV1(source: ByteSource, masterKey: string): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = openSource(source)
  try {
    yield* decryptSpooled(pieces, masterKey)
  } finally {
    await pieces.close()
  }
}

async function* decryptSpooled(
  pieces: AsyncIterable<Uint8Array>,
  masterKey: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-decrypt-'))
  try {
    const file = await open(join(folder, 'encrypted'), 'wx+', 0o600)
    try {
      let sizeBytes = 0
      const spooled = async function* () {
        for await (const piece of pieces) {
          sizeBytes += await writeAll(file, [piece], sizeBytes)
          yield piece
        }
      }
      await goThrough(decryptUnverifiedV1(spooled(), masterKey))
      const replay = async function* () {
        const buffer = Buffer.allocUnsafe(pieceBytes)
        for (let at = 0; at < sizeBytes; ) {
          const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
          if (bytesRead === 0) throw new CairnError('FILE_CHANGED')
          at += bytesRead
          yield buffer.subarray(0, bytesRead)
        }
      }
      yield* decryptUnverifiedV1(replay(), masterKey)
    } finally {
      await file.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Reads to the end; the iterable throws on an invalid chunk. */
async function goThrough(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) freePiece(piece)
}

function tooLarge(): CairnError {
  return new CairnError('FILE_TOO_LARGE', {
    details: { limitBytes: maxBytesV1 },
    hint: 'Use file format 2, which has no such limit.',
  })
}
