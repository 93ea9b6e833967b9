import { listPayloadRanges, type PayloadRange, type Piece } from '@cairn/pieces'
import { KIB, type LeafWindow } from '@cairn/protocol'

/** Zeros between two ranges that cost less to fetch than a request of their own. */
const joinBytes = 16 * KIB

/** What is fetched and stored of a payload: ranges in their order. The rest of it are zeros. */
export type Content = readonly PayloadRange[]

/** The ranges of a piece that an offer names by leaves. @throws CairnError INVALID_REQUEST for leaves it does not have */
export function readContent(piece: Piece, windows: readonly LeafWindow[] | undefined): Content {
  if (windows === undefined) return [{ start: 0, end: piece.payloadBytes }]
  return listPayloadRanges(piece, windows, joinBytes)
}

export function countContent(content: Content): number {
  return content.reduce((sum, { start, end }) => sum + end - start, 0)
}

/** Ranges as a row has them: `0-127,1016-2032`, ends not included. */
export function encodeContent(content: Content): string {
  return content.map(({ start, end }) => `${start}-${end}`).join(',')
}

/** The ranges of a row; all of the payload where it names none. */
export function decodeContent(row: { content: string | null; payload_bytes: number }): Content {
  if (row.content === null) return [{ start: 0, end: row.payload_bytes }]
  return row.content.split(',').map((range) => {
    const [start, end] = range.split('-')
    return { start: Number(start), end: Number(end) }
  })
}
