import { UnixfsError, type UnixfsErrorCode } from '../unixfs-error.ts'

/** The head of one CBOR item: its major type and its number (length, count, tag or value). */
type CborHead = { major: number; value: number; info: number }

/** Tag of a CID in DAG-CBOR. */
export const cidTag = 42

/** Reads CBOR items one by one from a block; definite lengths and minimal heads only, as DAG-CBOR requires. */
export type CborCursor = {
  readonly offset: number
  readonly atEnd: boolean
  readHead(): CborHead
  readBytes(length: number): Uint8Array
  fail(what: string): never
}

/** Opens a cursor over `bytes`; every error is a UnixfsError with `code`. */
export function createCborCursor(bytes: Uint8Array, code: UnixfsErrorCode): CborCursor {
  let offset = 0

  const fail = (what: string): never => {
    throw new UnixfsError(code, `CBOR at byte ${offset}: ${what}`, { offset })
  }

  const readBytes = (length: number): Uint8Array => {
    if (length > bytes.length - offset) fail('ends early')
    offset += length
    return bytes.subarray(offset - length, offset)
  }

  const readNumber = (size: number): number => {
    let value = 0
    for (const byte of readBytes(size)) value = value * 256 + byte
    return value
  }

  return {
    get offset() {
      return offset
    },
    get atEnd() {
      return offset === bytes.length
    },
    readHead() {
      const [first = 0] = readBytes(1)
      const major = first >> 5
      const info = first & 31
      if (info < 24) return { major, value: info, info }
      if (info > 27) return fail('indefinite length or reserved head')
      const size = 1 << (info - 24)
      const value = readNumber(size)
      const min = [24, 0x100, 0x10000, 0x100000000][info - 24] ?? 0
      // Major 7 stores floats in its number, which have no shorter form.
      if (major !== 7 && value < min) return fail('a number longer than needed')
      return { major, value, info }
    },
    readBytes,
    fail,
  }
}
