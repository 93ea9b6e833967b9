/** A checksum of bytes that arrive in pieces, as its big-endian bytes. */
export type Crc = { update(bytes: Uint8Array): void; digest(): Uint8Array }

/** Bytes that are looked up at a time. */
const slices = 8
const byteValues = 256

/** Values of 64 bits as halves. Entry `k * 256 + b` belongs to byte `b` with `k` zero bytes after it. */
type Tables = { low: Int32Array; high: Int32Array }

/** Makes the tables of a reflected polynomial. */
function makeTables(polynomial: bigint): Tables {
  const values: bigint[] = []
  for (let byte = 0n; byte < byteValues; byte++) {
    let value = byte
    for (let bit = 0; bit < 8; bit++) value = (value & 1n) === 1n ? (value >> 1n) ^ polynomial : value >> 1n
    values.push(value)
  }
  for (let at = byteValues; at < slices * byteValues; at++) {
    const before = values[at - byteValues] ?? 0n
    values.push((before >> 8n) ^ (values[Number(before & 255n)] ?? 0n))
  }
  return {
    low: Int32Array.from(values, (value) => Number(BigInt.asIntN(32, value))),
    high: Int32Array.from(values, (value) => Number(BigInt.asIntN(32, value >> 32n))),
  }
}

/** The checksum of eight bytes, given as two words that the checksum so far is part of. */
function lookUp(table: Int32Array, a: number, b: number): number {
  return (
    (table[1792 + (a & 255)] ?? 0) ^
    (table[1536 + ((a >>> 8) & 255)] ?? 0) ^
    (table[1280 + ((a >>> 16) & 255)] ?? 0) ^
    (table[1024 + (a >>> 24)] ?? 0) ^
    (table[768 + (b & 255)] ?? 0) ^
    (table[512 + ((b >>> 8) & 255)] ?? 0) ^
    (table[256 + ((b >>> 16) & 255)] ?? 0) ^
    (table[b >>> 24] ?? 0)
  )
}

let crc32cTables: Tables | undefined
let crc64Tables: Tables | undefined

/**
 * CRC-32C (Castagnoli), eight bytes at a time.
 * @see https://www.rfc-editor.org/rfc/rfc3720#appendix-B.4
 */
export function createCrc32c(): Crc {
  crc32cTables ??= makeTables(0x82f6_3b78n)
  const { low: table } = crc32cTables
  let value = -1
  return {
    update(bytes) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const whole = bytes.length - (bytes.length % slices)
      let crc = value
      let at = 0
      for (; at < whole; at += slices) {
        const a = crc ^ view.getInt32(at, true)
        const b = view.getInt32(at + 4, true)
        crc = lookUp(table, a, b)
      }
      for (; at < bytes.length; at++) crc = (crc >>> 8) ^ (table[(crc ^ view.getUint8(at)) & 255] ?? 0)
      value = crc
    },
    digest: () => bigEndian(~value),
  }
}

/**
 * CRC-64/NVME, eight bytes at a time.
 * @see https://nvmexpress.org/specification/nvm-command-set-specification/ (64b CRC, Rocksoft)
 */
export function createCrc64Nvme(): Crc {
  crc64Tables ??= makeTables(0x9a6c_9329_ac4b_c9b5n)
  const { low: lows, high: highs } = crc64Tables
  let lowValue = -1
  let highValue = -1
  return {
    update(bytes) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const whole = bytes.length - (bytes.length % slices)
      let low = lowValue
      let high = highValue
      let at = 0
      for (; at < whole; at += slices) {
        const a = low ^ view.getInt32(at, true)
        const b = high ^ view.getInt32(at + 4, true)
        low = lookUp(lows, a, b)
        high = lookUp(highs, a, b)
      }
      for (; at < bytes.length; at++) {
        const place = (low ^ view.getUint8(at)) & 255
        low = ((low >>> 8) | (high << 24)) ^ (lows[place] ?? 0)
        high = (high >>> 8) ^ (highs[place] ?? 0)
      }
      lowValue = low
      highValue = high
    },
    digest: () => bigEndian(~highValue, ~lowValue),
  }
}

function bigEndian(...words: number[]): Uint8Array {
  const bytes = new Uint8Array(4 * words.length)
  const view = new DataView(bytes.buffer)
  for (const [at, word] of words.entries()) view.setInt32(4 * at, word)
  return bytes
}
