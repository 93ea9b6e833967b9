import { CairnError, type LeafWindow, type LeafWindows, maxLeafWindows } from '@cairn/protocol'
import { layOutAggregate } from './aggregate.ts'
import { nodeBytes, type Piece, paddedBytesOf, quadPaddedBytes, quadPayloadBytes } from './piece.ts'
import { entryLeaves, indexStart } from './segment.ts'

/** Payload bits per leaf: Fr32 padding turns them into 256. */
const leafPayloadBits = 254

/** Returns the number of leaves that a payload of this many bytes occupies; those after them are zeros. */
export function countLeaves(payloadBytes: number): number {
  return Math.ceil((payloadBytes * 8) / leafPayloadBits)
}

/**
 * Returns the leaves of an aggregate with data: of each piece up to the end of its payload, and of the entries of the
 * index. A challenge drawn from them never covers padding, which anyone can prove. Ordered, disjoint, at most {@link
 * maxLeafWindows}: beyond it, the windows with the least padding between them are merged.
 * @param pieces in the order that the aggregate was built from
 * @throws CairnError PIECE_TOO_LARGE, INVALID_REQUEST without pieces
 */
export function listContentWindows(pieces: readonly Piece[]): LeafWindow[] {
  const { segments, height } = layOutAggregate(pieces)
  const windows = segments.map(({ offset }, at) => ({
    start: offset / nodeBytes,
    count: countLeaves(pieces[at]?.payloadBytes ?? 0),
  }))
  windows.push({ start: indexStart(paddedBytesOf({ height })) / nodeBytes, count: pieces.length * entryLeaves })
  return joinWindows(windows.toSorted((a, b) => a.start - b.start))
}

/** Returns the number of leaves of the 127-byte groups that a payload occupies. */
export function countQuadLeaves({ payloadBytes }: Piece): number {
  return Math.ceil(payloadBytes / quadPayloadBytes) * (quadPaddedBytes / nodeBytes)
}

/**
 * Returns the number of leaves in windows of a piece.
 * @throws CairnError INVALID_REQUEST for windows out of order, or outside of the piece
 */
export function countWindowLeaves(piece: Piece, windows: LeafWindows): number {
  const leaves = countQuadLeaves(piece)
  let end = 0
  let found = 0
  for (const window of toWindows(windows)) {
    const isAfter = window.start >= end && window.count >= 1
    end = endOf(window)
    if (!isAfter || !Number.isSafeInteger(end) || end > leaves) {
      const message = `The piece has ${leaves} leaves. Windows must be in order and must not overlap`
      throw new CairnError('INVALID_REQUEST', { message })
    }
    found += window.count
  }
  if (found === 0) throw new CairnError('INVALID_REQUEST', { message: 'Specify at least one window of leaves' })
  return found
}

/** Payload bytes from `start` to `end`, exclusive. */
export type PayloadRange = { readonly start: number; readonly end: number }

/**
 * Returns the payload bytes that windows of leaves cover, in order.
 * @param joinBytes ranges with at most this many bytes between them are merged
 * @throws CairnError INVALID_REQUEST as {@link countWindowLeaves}
 */
export function listPayloadRanges(piece: Piece, windows: LeafWindows, joinBytes = 0): PayloadRange[] {
  countWindowLeaves(piece, windows)
  const found: PayloadRange[] = []
  for (const window of toWindows(windows)) {
    const start = Math.floor((window.start * leafPayloadBits) / 8)
    const end = Math.min(Math.ceil((endOf(window) * leafPayloadBits) / 8), piece.payloadBytes)
    const last = found.at(-1)
    if (last === undefined || start - last.end > joinBytes) found.push({ start, end })
    else found[found.length - 1] = { start: last.start, end }
  }
  return found
}

/** Returns whether every leaf of a window is in these windows, which are ordered and merged if they touch. */
export function coversWindow(windows: LeafWindows, { start, count }: LeafWindow): boolean {
  return toWindows(windows).some((one) => one.start <= start && endOf(one) >= start + count)
}

/** Returns one window as a list. */
export function toWindows(windows: LeafWindows): readonly LeafWindow[] {
  return isList(windows) ? windows : [windows]
}

function isList(windows: LeafWindows): windows is readonly LeafWindow[] {
  return Array.isArray(windows)
}

/** Returns the first leaf after a window. */
function endOf({ start, count }: LeafWindow): number {
  return start + count
}

function joinWindows(windows: readonly LeafWindow[]): LeafWindow[] {
  const gaps = windows.slice(1).map((window, at) => window.start - endOf(windows[at] ?? window))
  // Keeps only gaps larger than this one: fewer than the limit.
  const joined = gaps.toSorted((a, b) => b - a)[maxLeafWindows - 1] ?? 0
  const found: LeafWindow[] = []
  for (const window of windows) {
    const last = found.at(-1)
    if (last === undefined || window.start - endOf(last) > joined) found.push(window)
    else found[found.length - 1] = { start: last.start, count: endOf(window) - last.start }
  }
  return found
}
