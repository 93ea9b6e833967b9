/** Bytes of a file, the end exclusive. */
export type ByteRange = { fromByte: number; toByte: number }

/**
 * Reads a Range header of a player: one range in bytes, or its start alone. Other forms are ignored, as the standard allows.
 * @returns the range; undefined for the whole file, `unsatisfiable` for a range outside it
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-14.2
 */
export function readByteRange(header: string | null, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d+)-(\d*)$/.exec(header ?? '')
  if (match === null) return undefined
  const fromByte = Number(match[1])
  const toByte = match[2] === '' ? sizeBytes : Math.min(Number(match[2]) + 1, sizeBytes)
  return fromByte < toByte ? { fromByte, toByte } : 'unsatisfiable'
}
