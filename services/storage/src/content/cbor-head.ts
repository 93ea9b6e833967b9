/** The head of a data item. */
export type CborHead = {
  /** Major type: 0 to 7. */
  major: number
  /** Bytes of the argument; 0 if the first byte contains it. */
  width: number
  /** The argument: a number, a length, a count or a tag. Of a float, its bits. */
  value: number
  /** Position after the head. */
  end: number
}

/**
 * Reads the head of the data item of CBOR at a position. Returns undefined for an indefinite length, and for a head that the bytes
 * do not contain whole.
 * @see https://www.rfc-editor.org/rfc/rfc8949#section-3
 */
export function readCborHead(view: DataView, at: number): CborHead | undefined {
  if (at >= view.byteLength) return undefined
  const first = view.getUint8(at)
  const info = first & 31
  const width = info < 24 ? 0 : 2 ** (info - 24)
  const end = at + 1 + width
  if (info > 27 || end > view.byteLength) return undefined
  return { major: first >> 5, width, value: width === 0 ? info : readArgument(view, at + 1, width), end }
}

function readArgument(view: DataView, at: number, width: number): number {
  if (width === 1) return view.getUint8(at)
  if (width === 2) return view.getUint16(at)
  return width === 4 ? view.getUint32(at) : Number(view.getBigUint64(at))
}
