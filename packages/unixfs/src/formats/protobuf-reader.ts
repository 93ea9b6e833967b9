import { UnixfsError } from '../unixfs-error.ts'

/** Reads the fields of one protobuf message. Every error is a UnixfsError BAD_BLOCK. */
export type ProtobufReader = {
  readonly atEnd: boolean
  readKey(): { field: number; wireType: number }
  /** Reads a varint of at most 64 bits; above 2^53 the number is not exact, so check it with `Number.isSafeInteger`. */
  readVarint(): number
  /** Reads a varint as a signed number of 64 bits; rejects numbers beyond 2^53 either way. */
  readInt64(): number
  /** Returns a view of the bytes of a length-delimited field. */
  readBytes(): Uint8Array
  /** Reads a little-endian number of 4 bytes. */
  readFixed32(): number
  /** Skips a field of any known wire type. */
  skip(wireType: number): void
  fail(what: string): never
}

/** Opens a reader over the message in `bytes`. */
export function createProtobufReader(bytes: Uint8Array): ProtobufReader {
  let offset = 0

  const fail = (what: string): never => {
    throw new UnixfsError('BAD_BLOCK', `Protobuf at byte ${offset}: ${what}`, { offset })
  }

  const readVarint = (): number => {
    let value = 0
    for (let scale = 1, count = 0; count < 10; scale *= 128, count++) {
      const byte = bytes[offset]
      if (byte === undefined) return fail('ends early')
      offset++
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        if (count === 9 && byte > 1) return fail('a number of more than 64 bits')
        return value
      }
    }
    return fail('a number of more than 64 bits')
  }

  const readInt64 = (): number => {
    const start = offset
    const value = readVarint()
    if (Number.isSafeInteger(value)) return value
    let exact = 0n
    for (let at = offset - 1; at >= start; at--) exact = (exact << 7n) | BigInt((bytes[at] ?? 0) & 0x7f)
    const signed = Number(BigInt.asIntN(64, exact))
    return Number.isSafeInteger(signed) ? signed : fail('a number beyond 2^53')
  }

  const readSlice = (length: number): Uint8Array => {
    if (length > bytes.length - offset) return fail('ends early')
    offset += length
    return bytes.subarray(offset - length, offset)
  }

  return {
    get atEnd() {
      return offset === bytes.length
    },
    readKey() {
      const key = readVarint()
      if (key > 0xffffffff) return fail('a field number out of range')
      return { field: key >>> 3, wireType: key & 7 }
    },
    readVarint,
    readInt64,
    readBytes: () => readSlice(readVarint()),
    readFixed32() {
      const [a = 0, b = 0, c = 0, d = 0] = readSlice(4)
      return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0
    },
    skip(wireType) {
      if (wireType === 0) readVarint()
      else if (wireType === 1) readSlice(8)
      else if (wireType === 2) readSlice(readVarint())
      else if (wireType === 5) readSlice(4)
      else fail(`wire type ${wireType}`)
    },
    fail,
  }
}
