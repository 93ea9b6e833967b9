import { listPayloadRanges, type PayloadRange, type Piece } from '@cairn/pieces'
import { KIB, type LeafWindow } from '@cairn/protocol'

/** Zeros between two ranges that cost less to fetch than another request. */
const joinBytes = 16 * KIB

/** The fetched and stored ranges of a payload, in order. The rest are zeros. */
export type Content = readonly PayloadRange[]

/**
 * Returns the ranges of a piece that an offer names by leaves. @throws CairnError INVALID_REQUEST for leaves it does
 * not have
 */
export function readContent(piece: Piece, windows: readonly LeafWindow[] | undefined): Content {
  if (windows === undefined) return [{ start: 0, end: piece.payloadBytes }]
  return listPayloadRanges(piece, windows, joinBytes)
}

export function countContent(content: Content): number {
  return content.reduce((sum, { start, end }) => sum + end - start, 0)
}

/** Formats ranges for a row: `0-127,1016-2032`, ends not included. */
export function encodeContent(content: Content): string {
  return content.map(({ start, end }) => `${start}-${end}`).join(',')
}

/** Parses the ranges of a row; the whole payload when it has none. */
export function decodeContent(row: { content: string | null; payload_bytes: number }): Content {
  if (row.content === null) return [{ start: 0, end: row.payload_bytes }]
  return row.content.split(',').map((range) => {
    const [start, end] = range.split('-')
    return { start: Number(start), end: Number(end) }
  })
}
