/** Length of a token account of the SPL programs; extensions follow. */
const tokenAccountBytes = 165
const amountAt = 64
const stateAt = 108

const widths: Record<string, number> = { u8: 1, u16: 2, u32: 4, u64: 8, u128: 16, i64: 8, bool: 1, pubkey: 32 }

/** Whether a selector is a field type, read at a byte offset; any other is a path. */
export function isFieldType(selector: string): boolean {
  return Object.hasOwn(widths, selector)
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/**
 * Reads a little-endian field of an account's data; undefined when the data is too short or the field has no such
 * value.
 */
export function readField(data: Uint8Array, offset: number, type: string): bigint | boolean | string | undefined {
  const width = widths[type]
  if (width === undefined || offset < 0 || offset + width > data.length) return undefined
  const bytes = data.subarray(offset, offset + width)
  if (type === 'pubkey') return encodeBase58(bytes)
  const value = toNumber(bytes)
  if (type === 'bool') return value === 0n ? false : value === 1n ? true : undefined
  return type === 'i64' ? BigInt.asIntN(64, value) : value
}

/** Whether data is a token account of that mint and owner in the SPL layout. */
export function isTokenAccount(data: Uint8Array, mint: string, owner: string): boolean {
  if (data.length < tokenAccountBytes) return false
  return encodeBase58(data.subarray(0, 32)) === mint && encodeBase58(data.subarray(32, 64)) === owner
}

/** Returns the amount of an initialised token account; undefined for anything else. */
export function readTokenAmount(data: Uint8Array): bigint | undefined {
  if (data.length < tokenAccountBytes || data[stateAt] === 0) return undefined
  return toNumber(data.subarray(amountAt, amountAt + 8))
}

function toNumber(bytes: Uint8Array): bigint {
  let value = 0n
  for (const byte of [...bytes].reverse()) value = (value << 8n) | BigInt(byte)
  return value
}

function encodeBase58(bytes: Uint8Array): string {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  let text = ''
  for (; value > 0n; value /= 58n) text = alphabet.charAt(Number(value % 58n)) + text
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text
}
