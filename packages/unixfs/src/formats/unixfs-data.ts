import { createProtobufReader, type ProtobufReader } from './protobuf-reader.ts'
import { varintLength, writeVarint } from './varint.ts'

/** The numbers of UnixFS node types. */
export const unixfsTypes = { raw: 0, directory: 1, file: 2, metadata: 3, symlink: 4, hamt: 5 } as const

/** Multihash code of murmur3-x64-64 in a HAMT. */
export const murmur3Code = 0x22

/** Modification time: seconds since 1970 (negative before) and nanoseconds. */
export type ModificationTime = { seconds: number; nanoseconds: number }

/** The decoded Data of a UnixFS node. Numbers beyond 2^53 are rejected. */
export type UnixfsData = {
  type: number
  data?: Uint8Array
  fileSizeBytes?: number
  blockSizes: number[]
  hashType?: number
  fanout?: number
  mode?: number
  mtime?: ModificationTime
}

/** The Data of every plain folder. */
export const directoryData = Uint8Array.of(0x08, unixfsTypes.directory)

/** Encodes the Data of a file node with children of these sizes. */
export function encodeFileData(fileSizeBytes: number, blockSizes: readonly number[]): Uint8Array {
  let length = 3 + varintLength(fileSizeBytes)
  for (const size of blockSizes) length += 1 + varintLength(size)
  const bytes = new Uint8Array(length)
  bytes[0] = 0x08
  bytes[1] = unixfsTypes.file
  bytes[2] = 0x18
  let at = writeVarint(bytes, 3, fileSizeBytes)
  for (const size of blockSizes) {
    bytes[at++] = 0x20
    at = writeVarint(bytes, at, size)
  }
  return bytes
}

/** Encodes the Data of one shard of a HAMT with fan-out 256; `bitfield` is big-endian without leading zeros. */
export function encodeHamtData(bitfield: Uint8Array, fanout: number): Uint8Array {
  const { length } = bitfield
  const bytes = new Uint8Array(6 + varintLength(length) + length + varintLength(fanout))
  bytes.set([0x08, unixfsTypes.hamt, 0x12])
  let at = writeVarint(bytes, 3, length)
  bytes.set(bitfield, at)
  at += length
  bytes.set([0x28, murmur3Code, 0x30], at)
  writeVarint(bytes, at + 3, fanout)
  return bytes
}

/** Encodes the Data of a node of `type` with only `data`, such as a symbolic link. */
export function encodeInlineData(type: number, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(3 + varintLength(data.length) + data.length)
  bytes[0] = 0x08
  bytes[1] = type
  bytes[2] = 0x12
  bytes.set(data, writeVarint(bytes, 3, data.length))
  return bytes
}

/** Encodes a mode and a time as the last fields of the Data of a node. */
export function encodeMetadata({ mode, mtime }: Pick<UnixfsData, 'mode' | 'mtime'>): Uint8Array {
  const bytes: number[] = []
  if (mode !== undefined) {
    bytes.push(0x38)
    writeVarint64(bytes, BigInt(mode))
  }
  if (mtime !== undefined) {
    const time: number[] = [0x08]
    writeVarint64(time, BigInt.asUintN(64, BigInt(mtime.seconds)))
    if (mtime.nanoseconds > 0) {
      time.push(0x15)
      for (let shift = 0; shift < 32; shift += 8) time.push((mtime.nanoseconds >>> shift) & 0xff)
    }
    bytes.push(0x42, time.length, ...time)
  }
  return Uint8Array.from(bytes)
}

/** Times before 1970 are negative, which takes all 64 bits. */
function writeVarint64(bytes: number[], value: bigint): void {
  let rest = value
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  bytes.push(Number(rest))
}

/**
 * Decodes the Data of a UnixFS node. Ignores unknown fields, as protobuf requires.
 * @throws UnixfsError BAD_BLOCK
 * @see https://specs.ipfs.tech/unixfs/
 */
export function decodeUnixfsData(bytes: Uint8Array): UnixfsData {
  const reader = createProtobufReader(bytes)
  const decoded: Partial<UnixfsData> & { blockSizes: number[] } = { blockSizes: [] }
  while (!reader.atEnd) {
    const { field, wireType } = reader.readKey()
    if (field === 1 && wireType === 0) decoded.type = readSafe(reader)
    else if (field === 2 && wireType === 2) decoded.data = reader.readBytes()
    else if (field === 3 && wireType === 0) decoded.fileSizeBytes = readSafe(reader)
    else if (field === 4 && wireType === 0) decoded.blockSizes.push(readSafe(reader))
    else if (field === 4 && wireType === 2) {
      const packed = createProtobufReader(reader.readBytes())
      while (!packed.atEnd) decoded.blockSizes.push(readSafe(packed))
    } else if (field === 5 && wireType === 0) decoded.hashType = readSafe(reader)
    else if (field === 6 && wireType === 0) decoded.fanout = readSafe(reader)
    else if (field === 7 && wireType === 0) decoded.mode = readSafe(reader) % 0x100000000
    else if (field === 8 && wireType === 2) decoded.mtime = decodeTime(createProtobufReader(reader.readBytes()))
    else if (field >= 1 && field <= 8) reader.fail(`UnixFS field ${field} of wire type ${wireType}`)
    else reader.skip(wireType)
  }
  const { type } = decoded
  if (type === undefined) return reader.fail('UnixFS data without a type')
  return { ...decoded, type }
}

function readSafe(reader: ProtobufReader): number {
  const value = reader.readVarint()
  return Number.isSafeInteger(value) ? value : reader.fail('a number beyond 2^53')
}

function decodeTime(reader: ProtobufReader): ModificationTime {
  let seconds = 0
  let nanoseconds = 0
  while (!reader.atEnd) {
    const { field, wireType } = reader.readKey()
    if (field === 1 && wireType === 0) seconds = reader.readInt64()
    else if (field === 2 && wireType === 5) nanoseconds = reader.readFixed32()
    else reader.skip(wireType)
  }
  if (nanoseconds > 999_999_999) reader.fail('more than a second of nanoseconds')
  return { seconds, nanoseconds }
}
