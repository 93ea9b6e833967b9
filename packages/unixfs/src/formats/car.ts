import type { CID } from 'multiformats/cid'
import { maxCidBytes, readCid, readWholeCid } from '../cids/read-cid.ts'
import { UnixfsError } from '../unixfs-error.ts'
import { type ByteReader, createByteReader } from './byte-reader.ts'
import { cidTag, createCborCursor } from './cbor-cursor.ts'
import { varintLength, writeVarint } from './varint.ts'

/** Limits of a CAR. */
export type CarLimits = {
  /** Maximum size of the header in bytes. Defaults to 1 MiB. */
  maxHeaderBytes?: number
  /** Maximum payload of one block in bytes. Defaults to 2 MiB. */
  maxBlockBytes?: number
  /** Maximum number of blocks. No limit by default. */
  maxBlocks?: number
  /** Maximum size of the whole CAR in bytes. No limit by default. */
  maxCarBytes?: number
}

/** How a CAR is read. */
export type CarReadOptions = CarLimits & {
  /**
   * Reads blocks into one buffer, so that the bytes of a block are valid only until the next one. By default they are valid as
   * long as the chunk that they are a view of.
   */
  reusesBuffer?: boolean
}

/** One unverified block of a CAR. */
export type CarBlock = {
  cid: CID
  /** A view into a chunk of the source, or a copy if it spans chunks. */
  bytes: Uint8Array
  /** Start of the frame (its length prefix) in the source, in bytes. */
  frameOffset: number
  /** Start of the payload in the source, in bytes. */
  offset: number
  /** Length of the payload in bytes. */
  length: number
}

/** An open CAR with its parsed header. */
export type CarReading = {
  version: 1 | 2
  roots: CID[]
  blocks: AsyncGenerator<CarBlock, void, undefined>
  /** Closes the source; only required if `blocks` is never iterated. */
  close(): Promise<void>
}

const MiB = 1_048_576
const v2HeaderBytes = 40
const rootsKey = [0x65, ...new TextEncoder().encode('roots')]
const versionKey = [0x67, ...new TextEncoder().encode('version')]

/** Encodes the header of a CARv1, with its length prefix. @see https://ipld.io/specs/transport/car/carv1/ */
export function encodeCarHeader(roots: readonly CID[]): Uint8Array {
  const body: number[] = [0xa2, ...rootsKey, ...encodeCborHead(4, roots.length)]
  for (const { bytes } of roots) body.push(0xd8, cidTag, ...encodeCborHead(2, bytes.length + 1), 0, ...bytes)
  body.push(...versionKey, 1)
  const header = new Uint8Array(varintLength(body.length) + body.length)
  header.set(body, writeVarint(header, 0, body.length))
  return header
}

/** Encodes the bytes before the payload of a block in a CAR: the length of the frame as a varint, and the CID. */
export function encodeCarFrame(cid: CID, payloadLength: number): Uint8Array {
  const frameLength = cid.bytes.length + payloadLength
  const prefix = new Uint8Array(varintLength(frameLength) + cid.bytes.length)
  prefix.set(cid.bytes, writeVarint(prefix, 0, frameLength))
  return prefix
}

function encodeCborHead(major: number, value: number): number[] {
  const first = major << 5
  if (value < 24) return [first | value]
  if (value < 0x100) return [first | 24, value]
  if (value < 0x10000) return [first | 25, value >> 8, value & 0xff]
  return [first | 26, value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff]
}

/**
 * Reads a CARv1, or the CARv1 inside a CARv2, from a stream, one block in memory at a time. Does not verify blocks: see
 * `verifyBlock`. Accepts an empty list of roots. Offsets count from the start of the source.
 * @throws UnixfsError BAD_CAR (with `offset`): truncated, malformed, or beyond the limits
 * @see https://ipld.io/specs/transport/car/carv1/ and carv2
 */
export async function readCar(source: AsyncIterable<Uint8Array>, options: CarReadOptions = {}): Promise<CarReading> {
  const reader = createByteReader(source)
  const maxHeaderBytes = options.maxHeaderBytes ?? MiB
  const close = () => reader.close()
  try {
    const first = await readHeader(reader, maxHeaderBytes)
    if (first.version === 1) {
      return { version: 1, roots: first.roots, blocks: readBlocks(reader, options, Infinity), close }
    }
    const inner = await openInnerCar(reader)
    const header = await readHeader(reader, maxHeaderBytes)
    if (header.version !== 1) throw badCar('The CARv2 does not contain a CARv1', inner.start)
    return { version: 2, roots: header.roots, blocks: readBlocks(reader, options, inner.end), close }
  } catch (error) {
    await reader.close()
    throw error
  }
}

async function* readBlocks(
  reader: ByteReader,
  options: CarReadOptions,
  end: number,
): AsyncGenerator<CarBlock, void, undefined> {
  const maxBlockBytes = options.maxBlockBytes ?? 2 * MiB
  const maxBlocks = options.maxBlocks ?? Infinity
  const maxCarBytes = options.maxCarBytes ?? Infinity
  let reused: Uint8Array | undefined
  const bufferFor = (length: number): Uint8Array | undefined => {
    if (options.reusesBuffer === true && (reused?.length ?? 0) < length) reused = new Uint8Array(length)
    return reused
  }
  let count = 0
  try {
    while (reader.offset < end) {
      const frameOffset = reader.offset
      const frameLength = await readVarint(reader, maxBlockBytes + maxCidBytes)
      if (frameLength === undefined) {
        if (end === Infinity) return
        throw badCar('The CAR ends early', frameOffset)
      }
      const frameEnd = reader.offset + frameLength
      if (frameEnd > end) throw badCar('A block extends past the end of the inner CAR', frameOffset)
      if (frameEnd > maxCarBytes) throw badCar(`The CAR is larger than ${maxCarBytes} bytes`, frameOffset)
      if (++count > maxBlocks) throw badCar(`The CAR has more than ${maxBlocks} blocks`, frameOffset)
      const frame = reader.tryReadView(frameLength) ?? (await reader.read(frameLength, bufferFor(frameLength)))
      const { cid, length: cidLength } = readFrameCid(frame, frameOffset)
      const length = frameLength - cidLength
      if (length > maxBlockBytes) throw badCar(`A block is larger than ${maxBlockBytes} bytes`, frameOffset)
      yield { cid, bytes: frame.subarray(cidLength), frameOffset, offset: frameEnd - length, length }
    }
  } finally {
    await reader.close()
  }
}

function readFrameCid(frame: Uint8Array, frameOffset: number): { cid: CID; length: number } {
  try {
    return readCid(frame, 'BAD_CAR')
  } catch (cause) {
    throw badCar(cause instanceof Error ? cause.message : 'Not a CID', frameOffset, cause)
  }
}

/** Returns the next varint, or undefined if the source ends before its first byte. */
async function readVarint(reader: ByteReader, max: number): Promise<number | undefined> {
  const start = reader.offset
  let value = 0
  for (let scale = 1, count = 0; ; scale *= 128, count++) {
    let byte = reader.tryReadByte()
    if (byte === undefined) {
      if (!(await reader.fill())) {
        if (count === 0) return undefined
        throw badCar('The CAR ends early', start)
      }
      byte = reader.tryReadByte() ?? 0
    }
    value += (byte & 0x7f) * scale
    if (value > max) throw badCar(`A length exceeds ${max} bytes`, start)
    if (byte < 0x80) {
      if (byte === 0) throw badCar(count === 0 ? 'A length is zero' : 'A length is not minimally encoded', start)
      return value
    }
    if (count === 8) throw badCar('A length is unterminated', start)
  }
}

type CarHeader = { version: 1; roots: CID[] } | { version: 2 }

async function readHeader(reader: ByteReader, maxHeaderBytes: number): Promise<CarHeader> {
  const start = reader.offset
  const length = await readVarint(reader, maxHeaderBytes)
  if (length === undefined) throw badCar('The header is missing', start)
  const bytes = await reader.read(length)
  try {
    return decodeHeader(bytes)
  } catch (cause) {
    throw badCar(`The header cannot be read: ${cause instanceof Error ? cause.message : 'malformed'}`, start, cause)
  }
}

function decodeHeader(bytes: Uint8Array): CarHeader {
  const cursor = createCborCursor(bytes, 'BAD_CAR')
  let roots: CID[] | undefined
  let version: number | undefined
  const map = cursor.readHead()
  if (map.major !== 5) cursor.fail('not a map')
  for (let entry = 0; entry < map.value; entry++) {
    const keyHead = cursor.readHead()
    if (keyHead.major !== 3) cursor.fail('a key that is not text')
    const key = new TextDecoder().decode(cursor.readBytes(keyHead.value))
    const head = cursor.readHead()
    if (key === 'version' && version === undefined && head.major === 0) version = head.value
    else if (key === 'roots' && roots === undefined && head.major === 4) {
      roots = []
      for (let index = 0; index < head.value; index++) {
        const tag = cursor.readHead()
        const body = cursor.readHead()
        if (tag.major !== 6 || tag.value !== cidTag || body.major !== 2) cursor.fail('a root that is not a CID')
        const link = cursor.readBytes(body.value)
        if (link[0] !== 0) cursor.fail('a root that is not a binary CID')
        roots.push(readWholeCid(link.subarray(1), 'BAD_CAR'))
      }
    } else cursor.fail('a key that is not "roots" or "version", or of the wrong type')
  }
  if (!cursor.atEnd) cursor.fail('bytes after the map')
  if (version === 1 && roots !== undefined) return { version, roots }
  if (version === 2 && roots === undefined) return { version }
  return cursor.fail('a version that is not supported')
}

/** Reads the fixed header of a CARv2 and skips to the inner CARv1. */
async function openInnerCar(reader: ByteReader): Promise<{ start: number; end: number }> {
  const at = reader.offset
  const header = await reader.read(v2HeaderBytes)
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength)
  const start = Number(view.getBigUint64(16, true))
  const size = Number(view.getBigUint64(24, true))
  if (start < reader.offset || !Number.isSafeInteger(start + size))
    throw badCar('The CARv2 header does not match its data', at)
  await reader.skip(start - reader.offset)
  return { start, end: start + size }
}

function badCar(what: string, offset: number, cause?: unknown): UnixfsError {
  return new UnixfsError('BAD_CAR', `${what} (byte ${offset})`, { offset }, { cause })
}
