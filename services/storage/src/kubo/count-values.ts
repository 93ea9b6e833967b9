import { readCborHead } from '../content/cbor-head.ts'

const [quote, slash, backslash] = [0x22, 0x2f, 0x5c]
/** A link takes as long as this many values: its CID is written as text. */
const valuesOfLink = 10
/** The field of a link in dag-pb, which is of bytes. */
const linkKey = 0x12
/** Before each value of a JSON text but the first: `,`, `:`, `[` and `{`. */
const beforeValue = new Set([0x2c, 0x3a, 0x5b, 0x7b])

/**
 * Counts the values and names of CBOR up to a maximum, without building them; those before a malformed one. A link counts as
 * several.
 */
export function countCborValues(bytes: Uint8Array, max: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let count = 0
  for (let at = 0; at < bytes.length && count < max; ) {
    const head = readCborHead(view, at)
    if (head === undefined) return count
    const { major, value, end } = head
    const isText = major === 2 || major === 3
    // A tag, which is that of a link.
    count = Math.min(max, count + (major === 6 ? valuesOfLink : 1))
    at = end + (isText ? value : 0)
  }
  return count
}

/** The same for JSON. */
export function countJsonValues(bytes: Uint8Array, max: number): number {
  let count = 1
  for (let at = 0; at < bytes.length && count < max; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) {
      if (bytes[at + 1] === slash && bytes[at + 2] === quote) count = Math.min(max, count + valuesOfLink)
      at = endOfText(bytes, at)
    } else if (beforeValue.has(byte)) count++
  }
  return count
}

/** Counts the links of dag-pb up to a maximum, in values, without building them; those before a malformed field. */
export function countPbValues(bytes: Uint8Array, max: number): number {
  let count = 0
  for (let at = 0; at < bytes.length && count < max; ) {
    const key = bytes[at++]
    let length = 0
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at++] ?? 0
      length += (byte & 0x7f) * scale
      if (byte < 0x80) break
    }
    if (key === linkKey) count = Math.min(max, count + valuesOfLink)
    at += length
  }
  return count
}

/** Returns the place of the quote that ends a text. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(quote, start + 1); end !== -1; end = bytes.indexOf(quote, end + 1)) {
    let escapes = 0
    while (bytes[end - 1 - escapes] === backslash) escapes++
    if (escapes % 2 === 0) return end
  }
  return bytes.length
}
