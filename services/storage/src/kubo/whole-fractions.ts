import { readCborHead } from '../content/cbor-head.ts'

/**
 * A text of JSON, which is skipped, or a number. A text without an end matches, too: otherwise each quote in it would be tried as
 * the start of another one, and the time would grow with the square of the length.
 */
const textOrNumber = /"(?:[^"\\]|\\.)*"?|-?\d+(\.\d+)?([eE][-+]?\d+)?/g

/**
 * Returns a whole number that JSON writes with a fraction or an exponent, such as `1.0`: a float, which decoders of
 * JavaScript do not tell from an integer. @param isPlain whether integers beyond 2^53 are returned, too
 */
export function findWholeFractionInJson(bytes: Uint8Array, isPlain: boolean): string | undefined {
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  for (const [text, fraction, exponent] of json.matchAll(textOrNumber)) {
    if (text.startsWith('"')) continue
    const isWhole = Number.isSafeInteger(Number(text))
    if (fraction !== undefined || exponent !== undefined ? isWhole : isPlain && !isWhole) return text
  }
  return undefined
}

/** The same for CBOR, as far as it is well-formed. */
export function findWholeFractionInCbor(bytes: Uint8Array): string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < bytes.length; ) {
    const head = readCborHead(view, at)
    if (head === undefined) return undefined
    const { major, width, value, end } = head
    if (major === 7 && width > 1) {
      const float = readFloat(view, end - width, width)
      if (Number.isSafeInteger(float)) return float.toFixed(1)
    }
    const isText = major === 2 || major === 3
    at = end + (isText ? value : 0)
  }
  return undefined
}

function readFloat(view: DataView, at: number, width: number): number {
  if (width === 8) return view.getFloat64(at)
  if (width === 4) return view.getFloat32(at)
  const bits = view.getUint16(at)
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023]
  if (exponent === 31) return Number.NaN
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15)
  return bits >> 15 === 0 ? size : -size
}
