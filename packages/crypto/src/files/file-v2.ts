import { CairnError } from '@cairn/protocol'
import { isEqual } from '../is-equal.ts'
import { deriveKeysV2, type FileKeysV2, wrongKey } from './file-key.ts'
import { tagBytes } from './file-v1.ts'
import { createLengthReader } from './length-reader.ts'
import { type ByteSource, type OpenSource, openSource } from './source.ts'

/**
 * The second format: a header, then chunks of one size, each its own AES-256-GCM message, so that any range can be read
 * and verified alone, and a file of any length is written and read in constant memory.
 * Header, 148 bytes: magic (8), version (1), chunk size as a power of two (1), flags (2: bit 0 length known, bit 1
 * owner commitment present), file nonce (32), nonce prefix (7) and a zero (1), plaintext length (8, big-endian), key
 * commitment (32), owner commitment (32, zeros if absent), and 24 bytes of an HMAC over all before. The nonce of a
 * chunk is prefix, counter (4, big-endian), 1 for the last and 0 for all others, as in STREAM.
 * @see https://eprint.iacr.org/2015/189
 */
export const headerBytesV2 = 148
const magic = [0x89, 0x43, 0x41, 0x49, 0x52, 0x4e, 0x0d, 0x0a]
const version = 2
const macBytes = 24
const maxChunks = 2 ** 32

/** 1 MiB by default; 64 KiB suits media with seeking. */
export const chunkBytesV2 = 1024 * 1024

export type EncryptOptionsV2 = {
  /** Bytes of a chunk: a power of two from 4 KiB to 16 MiB. */
  chunkBytes?: number | undefined
  /** Size of the plaintext in bytes, if known: the header then states it. */
  sizeBytes?: number | undefined
  /** 32 bytes that let the owner prove to have had the file first. */
  ownerCommitment?: Uint8Array | undefined
}

/** Decoded header of a file. */
export type HeaderV2 = {
  chunkBytes: number
  sizeBytes: number | undefined
  ownerCommitment: Uint8Array | undefined
}

type Header = HeaderV2 & {
  nonce: Uint8Array<ArrayBuffer>
  prefix: Uint8Array
  commitment: Uint8Array
  raw: Uint8Array<ArrayBuffer>
}

/** Returns whether bytes start like a file of the second format. */
export function isFormatV2(first: Uint8Array): boolean {
  return first.length >= magic.length && magic.every((byte, i) => first[i] === byte)
}

/** Returns the size in bytes of the encrypted file for a plaintext of known length. */
export function encryptedSizeV2(sizeBytes: number, chunkBytes = chunkBytesV2): number {
  return headerBytesV2 + sizeBytes + tagBytes * Math.max(1, Math.ceil(sizeBytes / chunkBytes))
}

/**
 * Returns the size in bytes of the plaintext, from the first bytes of the encrypted file. Only decryption verifies it.
 * @throws CairnError NOT_ENCRYPTED, DECRYPTION_FAILED (a header that does not fit the size)
 */
export function decryptedSizeV2(head: Uint8Array, encryptedBytes: number): number {
  return layOut(readHeader(head), encryptedBytes).sizeBytes
}

/**
 * Encrypts a stream in the second format.
 * @param masterKey 64 hex characters
 * @throws CairnError KEY_NOT_SHARDABLE, INVALID_REQUEST (chunk size), FILE_CHANGED (another length than stated)
 */
export async function* encryptV2(
  source: ByteSource,
  masterKey: string,
  options: EncryptOptionsV2 = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = openSource(source)
  try {
    yield* encryptPieces(pieces, masterKey, options)
  } finally {
    await pieces.close()
  }
}

async function* encryptPieces(
  pieces: OpenSource,
  masterKey: string,
  { chunkBytes = chunkBytesV2, sizeBytes, ownerCommitment }: EncryptOptionsV2,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (!Number.isInteger(Math.log2(chunkBytes)) || chunkBytes < 4096 || chunkBytes > 16 * 1024 * 1024)
    throw new CairnError('INVALID_REQUEST', { message: 'The chunk size must be a power of two from 4 KiB to 16 MiB' })
  const nonce = crypto.getRandomValues(new Uint8Array(32))
  const prefix = crypto.getRandomValues(new Uint8Array(7))
  const keys = await deriveKeysV2(masterKey, nonce, 'encrypt')
  yield await writeHeader(keys, { chunkBytes, sizeBytes, ownerCommitment, nonce, prefix })
  const reader = createLengthReader(pieces)
  let total = 0
  // The last chunk is shorter, and empty only if the whole stream is.
  for (let counter = 0, isLast = false; !isLast; counter++) {
    if (counter >= maxChunks) throw new CairnError('FILE_TOO_LARGE')
    const bytes = await reader.readChunk(chunkBytes)
    isLast = await reader.isAtEnd()
    total += bytes.length
    const iv = nonceOf(prefix, counter, isLast)
    yield new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, keys.chunks, bytes))
  }
  if (sizeBytes !== undefined && total !== sizeBytes) throw new CairnError('FILE_CHANGED')
}

/**
 * Decrypts a stream of the second format; yields each chunk once it is verified, and verifies the end.
 * @throws CairnError NOT_ENCRYPTED, DECRYPTION_FAILED
 */
export async function* decryptV2(source: ByteSource, masterKey: string): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = openSource(source)
  try {
    yield* decryptPieces(pieces, masterKey)
  } finally {
    await pieces.close()
  }
}

async function* decryptPieces(pieces: OpenSource, masterKey: string): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = createLengthReader(pieces)
  const header = readHeader(await reader.read(headerBytesV2))
  const keys = await openHeader(header, masterKey)
  let total = 0
  for (let counter = 0; ; counter++) {
    // Beyond it a nonce would repeat: no writer produces such a file.
    if (counter >= maxChunks) throw new CairnError('DECRYPTION_FAILED')
    const sealed = await reader.readChunk(header.chunkBytes + tagBytes)
    const isLast = await reader.isAtEnd()
    if (sealed.length <= tagBytes && counter > 0) throw new CairnError('DECRYPTION_FAILED')
    const bytes = await openChunk(keys, header, sealed, counter, isLast)
    total += bytes.length
    if (isLast && header.sizeBytes !== undefined && total !== header.sizeBytes)
      throw new CairnError('DECRYPTION_FAILED')
    if (bytes.length > 0) yield bytes
    if (isLast) return
  }
}

/** Reads a range of the encrypted bytes. Returns fewer only at the end of the file. */
export type ReadRange = (fromByte: number, length: number) => Promise<Uint8Array>

/** The encrypted bytes of a file, restored from the start of its plaintext. */
export type SealedAgain = {
  /** Size of the whole plaintext in bytes. */
  sizeBytes: number
  /** Returns how many of the first encrypted bytes the first bytes of the plaintext restore. */
  sealedPrefix(plainBytes: number): number
  /** Returns how many bytes of plaintext the first encrypted bytes contain whole. */
  plainPrefix(sealedBytes: number): number
  /** Restores encrypted bytes from a byte on. @throws CairnError FILE_CHANGED for plaintext that ends before */
  read: ReadRange
}

/** A file of the second format, open for ranges. */
export type OpenV2 = {
  /** Size of the plaintext in bytes. */
  sizeBytes: number
  header: HeaderV2
  /** Returns verified plaintext from a byte on; fewer bytes only at the end. */
  read(fromByte: number, length: number): Promise<Uint8Array>
}

/**
 * Opens a file of the second format for ranges: reads only the chunks that a range touches. Verifies the last chunk
 * first, because only it proves the length.
 * @param encryptedBytes size of the whole encrypted file
 * @throws CairnError NOT_ENCRYPTED, DECRYPTION_FAILED
 */
export async function openV2(readRange: ReadRange, encryptedBytes: number, masterKey: string): Promise<OpenV2> {
  const header = readHeader(await readRange(0, headerBytesV2))
  const keys = await openHeader(header, masterKey)
  const { sealedBytes, body, count, sizeBytes } = layOut(header, encryptedBytes)
  const sealedLength = (first: number, after: number) => Math.min(after * sealedBytes, body) - first * sealedBytes
  const open = (counter: number, sealed: Uint8Array) =>
    openChunk(keys, header, new Uint8Array(sealed), counter, counter === count - 1)
  const last = count - 1
  await open(last, await readRange(headerBytesV2 + last * sealedBytes, sealedLength(last, count)))
  return {
    sizeBytes,
    header,
    async read(fromByte, length) {
      const end = Math.min(fromByte + length, sizeBytes)
      if (fromByte < 0 || end <= fromByte) return new Uint8Array(0)
      const out = new Uint8Array(end - fromByte)
      const { chunkBytes } = header
      const first = Math.floor(fromByte / chunkBytes)
      const after = Math.ceil(end / chunkBytes)
      // One request for all chunks of the range.
      const sealed = await readRange(headerBytesV2 + first * sealedBytes, sealedLength(first, after))
      for (let counter = first; counter < after; counter++) {
        const from = (counter - first) * sealedBytes
        const chunk = await open(counter, sealed.subarray(from, from + sealedBytes))
        const start = counter * chunkBytes
        const part = chunk.subarray(Math.max(0, fromByte - start), end - start)
        out.set(part, Math.max(0, start - fromByte))
      }
      return out
    },
  }
}

/**
 * Restores the encrypted bytes of a file of the second format from its plaintext, to compare them with what a CID promises.
 * @throws CairnError NOT_ENCRYPTED, DECRYPTION_FAILED
 */
export async function sealAgainV2(
  readRange: ReadRange,
  encryptedBytes: number,
  masterKey: string,
  readPlain: ReadRange,
): Promise<SealedAgain> {
  const header = readHeader(await readRange(0, headerBytesV2))
  const keys = await openHeader(header, masterKey)
  const { chunkBytes } = header
  const { sealedBytes, count, sizeBytes } = layOut(header, encryptedBytes)
  let kept: { counter: number; sealed: Uint8Array } | undefined
  const seal = async (counter: number): Promise<Uint8Array> => {
    if (kept?.counter === counter) return kept.sealed
    const plain = new Uint8Array(await readPlain(counter * chunkBytes, chunkBytes))
    const iv = nonceOf(header.prefix, counter, counter === count - 1)
    kept = { counter, sealed: new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, keys.chunks, plain)) }
    return kept.sealed
  }
  return {
    sizeBytes,
    sealedPrefix: (plainBytes) =>
      plainBytes >= sizeBytes ? encryptedBytes : headerBytesV2 + Math.floor(plainBytes / chunkBytes) * sealedBytes,
    plainPrefix: (prefixBytes) =>
      prefixBytes >= encryptedBytes
        ? sizeBytes
        : Math.floor(Math.max(0, prefixBytes - headerBytesV2) / sealedBytes) * chunkBytes,
    async read(fromByte, length) {
      const out = new Uint8Array(length)
      let at = Math.min(length, Math.max(0, headerBytesV2 - fromByte))
      out.set(header.raw.subarray(fromByte, fromByte + at))
      while (at < length) {
        const body = fromByte + at - headerBytesV2
        const counter = Math.floor(body / sealedBytes)
        const piece = (await seal(counter)).subarray(body - counter * sealedBytes).subarray(0, length - at)
        if (piece.length === 0) throw new CairnError('FILE_CHANGED')
        out.set(piece, at)
        at += piece.length
      }
      return out
    },
  }
}

/** The chunks of a file. @throws CairnError DECRYPTION_FAILED */
function layOut(header: Header, encryptedBytes: number) {
  const sealedBytes = header.chunkBytes + tagBytes
  const body = encryptedBytes - headerBytesV2
  const count = Math.max(1, Math.ceil(body / sealedBytes))
  const sizeBytes = body - count * tagBytes
  // As in a stream: only an empty file ends with an empty chunk, and no counter repeats.
  const lastBytes = body - (count - 1) * sealedBytes
  if (count > maxChunks || (count > 1 && lastBytes <= tagBytes)) throw new CairnError('DECRYPTION_FAILED')
  if (sizeBytes < 0 || (header.sizeBytes !== undefined && header.sizeBytes !== sizeBytes))
    throw new CairnError('DECRYPTION_FAILED')
  return { sealedBytes, body, count, sizeBytes }
}

async function writeHeader(
  keys: FileKeysV2,
  { chunkBytes, sizeBytes, ownerCommitment, nonce, prefix }: HeaderV2 & { nonce: Uint8Array; prefix: Uint8Array },
): Promise<Uint8Array> {
  if (ownerCommitment !== undefined && ownerCommitment.length !== 32)
    throw new CairnError('INVALID_REQUEST', { message: 'An owner commitment must have 32 bytes' })
  const header = new Uint8Array(headerBytesV2)
  const view = new DataView(header.buffer)
  header.set(magic)
  header[8] = version
  header[9] = Math.log2(chunkBytes)
  view.setUint16(10, (sizeBytes === undefined ? 0 : 1) | (ownerCommitment === undefined ? 0 : 2))
  header.set(nonce, 12)
  header.set(prefix, 44)
  view.setBigUint64(52, BigInt(sizeBytes ?? 0))
  header.set(keys.commitment, 60)
  if (ownerCommitment !== undefined) header.set(ownerCommitment, 92)
  const mac = await crypto.subtle.sign('HMAC', keys.header, header.slice(0, headerBytesV2 - macBytes))
  header.set(new Uint8Array(mac).subarray(0, macBytes), headerBytesV2 - macBytes)
  return header
}

function readHeader(bytes: Uint8Array): Header {
  if (!isFormatV2(bytes) || bytes.length < headerBytesV2 || bytes[8] !== version) throw new CairnError('NOT_ENCRYPTED')
  const raw = new Uint8Array(bytes.subarray(0, headerBytesV2))
  const view = new DataView(raw.buffer)
  const flags = view.getUint16(10)
  const power = raw[9] ?? 0
  const size = view.getBigUint64(52)
  if (power < 12 || power > 24 || flags > 3 || raw[51] !== 0 || size > BigInt(Number.MAX_SAFE_INTEGER))
    throw new CairnError('NOT_ENCRYPTED')
  return {
    chunkBytes: 2 ** power,
    sizeBytes: (flags & 1) === 1 ? Number(size) : undefined,
    ownerCommitment: (flags & 2) === 2 ? raw.slice(92, 124) : undefined,
    nonce: raw.slice(12, 44),
    prefix: raw.slice(44, 51),
    commitment: raw.slice(60, 92),
    raw,
  }
}

/** Derives the keys of a file and verifies its header with them. */
async function openHeader(header: Header, masterKey: string): Promise<FileKeysV2> {
  const keys = await deriveKeysV2(masterKey, header.nonce, 'decrypt')
  if (!isEqual(keys.commitment, header.commitment)) throw wrongKey()
  const mac = await crypto.subtle.sign('HMAC', keys.header, header.raw.slice(0, headerBytesV2 - macBytes))
  if (!isEqual(new Uint8Array(mac).subarray(0, macBytes), header.raw.subarray(headerBytesV2 - macBytes)))
    throw new CairnError('DECRYPTION_FAILED')
  return keys
}

async function openChunk(
  keys: FileKeysV2,
  header: Header,
  sealed: Uint8Array<ArrayBuffer>,
  counter: number,
  isLast: boolean,
): Promise<Uint8Array> {
  const iv = nonceOf(header.prefix, counter, isLast)
  try {
    return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, keys.chunks, sealed))
  } catch (cause) {
    throw new CairnError('DECRYPTION_FAILED', { cause })
  }
}

function nonceOf(prefix: Uint8Array, counter: number, isLast: boolean): Uint8Array<ArrayBuffer> {
  const nonce = new Uint8Array(12)
  nonce.set(prefix)
  new DataView(nonce.buffer).setUint32(7, counter)
  nonce[11] = isLast ? 1 : 0
  return nonce
}
