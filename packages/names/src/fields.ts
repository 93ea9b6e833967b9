/** Fields of a protobuf message: numbers as varints, bytes as length-delimited. */
export type Fields = ReadonlyMap<number, bigint | Uint8Array>

const maxVarintBytes = 10

/**
 * Parses a protobuf message of flat fields. Returns undefined if it is malformed: truncated, with a duplicate field
 * (readers would disagree on it), or with wire types that no key or record has.
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export function readFields(bytes: Uint8Array): Fields | undefined {
  const fields = new Map<number, bigint | Uint8Array>()
  let at = 0
  const readVarint = (): bigint | undefined => {
    let value = 0n
    for (let index = 0; index < maxVarintBytes; index++) {
      const byte = bytes[at]
      if (byte === undefined) return undefined
      at++
      value |= BigInt(byte & 0x7f) << BigInt(7 * index)
      if (byte < 0x80) return value < 1n << 64n ? value : undefined
    }
    return undefined
  }
  while (at < bytes.length) {
    const tag = readVarint()
    if (tag === undefined || tag < 8n || tag > 0xffffffffn) return undefined
    const field = Number(tag >> 3n)
    if (fields.has(field)) return undefined
    const value = readVarint()
    if (value === undefined) return undefined
    if ((tag & 7n) === 0n) {
      fields.set(field, value)
      continue
    }
    const end = at + Number(value)
    if ((tag & 7n) !== 2n || end > bytes.length) return undefined
    fields.set(field, bytes.slice(at, end))
    at = end
  }
  return fields
}

/** Encodes fields in the given order, as canonical protobuf. */
export function writeFields(fields: Iterable<readonly [number, bigint | Uint8Array]>): Uint8Array<ArrayBuffer> {
  const bytes: number[] = []
  const writeVarint = (value: bigint): void => {
    let rest = value
    while (rest > 0x7fn) {
      bytes.push(Number(rest & 0x7fn) | 0x80)
      rest >>= 7n
    }
    bytes.push(Number(rest))
  }
  for (const [field, value] of fields) {
    if (typeof value === 'bigint') {
      writeVarint(BigInt(field << 3))
      writeVarint(value)
    } else {
      writeVarint(BigInt((field << 3) | 2))
      writeVarint(BigInt(value.length))
      for (const byte of value) bytes.push(byte)
    }
  }
  return Uint8Array.from(bytes)
}
