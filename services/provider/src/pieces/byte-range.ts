/** Bytes from `start` up to, not including, `end`. */
export type ByteRange = { start: number; end: number }

/**
 * What a Range header asks for: a part, `whole`, or `none` of it is there. What is malformed, of another unit, or of several
 * ranges is answered whole, as RFC 9110 allows.
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-range-requests
 */
export function chooseRange(header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'none' {
  const [, first, last] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return 'whole'
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes)
    return length === 0 ? 'none' : { start: sizeBytes - length, end: sizeBytes }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return 'whole'
  if (start >= sizeBytes) return 'none'
  return { start, end: last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) }
}
