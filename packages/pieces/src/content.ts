import { CairnError, type LeafWindow, type LeafWindows, leafWindowsMost } from '@cairn/protocol'
import { layOutAggregate } from './aggregate.ts'
import { nodeBytes, type Piece, paddedBytesOf, quadPaddedBytes, quadPayloadBytes } from './piece.ts'
import { entryLeaves, indexStart } from './segment.ts'

/** Payload bits of one leaf: Fr32 padding makes 256 of them. */
const leafPayloadBits = 254

/** Leaves that a payload of this many bytes reaches into; those after them are zeros. */
export function countLeaves(payloadBytes: number): number {
  return Math.ceil((payloadBytes * 8) / leafPayloadBits)
}

/**
 * The leaves of an aggregate that hold something: of each piece as far as its payload goes, and of the entries of the index.
 * A challenge drawn from them never asks for padding, which anybody can prove. Ordered, disjoint, at most
 * {@link leafWindowsMost}: where there are more, the ones with the least padding between them become one.
 * @param pieces in the order that the aggregate was built from
 * @throws CairnError PIECE_TOO_LARGE, INVALID_REQUEST when there are no pieces
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

/** Leaves of the groups of 127 bytes that a payload reaches into. */
export function countQuadLeaves({ payloadBytes }: Piece): number {
  return Math.ceil(payloadBytes / quadPayloadBytes) * (quadPaddedBytes / nodeBytes)
}

/** Leaves of windows of a piece. @throws CairnError INVALID_REQUEST where they are out of order, or not of the piece */
export function countWindowLeaves(piece: Piece, windows: LeafWindows): number {
  const leaves = countQuadLeaves(piece)
  let end = 0
  let found = 0
  for (const window of toWindows(windows)) {
    const isAfter = window.start >= end && window.count >= 1
    end = endOf(window)
    if (!isAfter || !Number.isSafeInteger(end) || end > leaves) {
      const message = `The piece has ${leaves} leaves. Give windows of them in order that do not overlap.`
      throw new CairnError('INVALID_REQUEST', { message })
    }
    found += window.count
  }
  if (found === 0) throw new CairnError('INVALID_REQUEST', { message: 'Give at least one window of leaves.' })
  return found
}

/** Payload bytes from `start` up to, not including, `end`. */
export type PayloadRange = { readonly start: number; readonly end: number }

/**
 * The payload bytes that reach into windows of leaves, in their order.
 * @param joinBytes ranges with so many bytes or fewer between them become one
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

/** Whether every leaf of a window is one of these, which are ordered and joined where they touch. */
export function coversWindow(windows: LeafWindows, { start, count }: LeafWindow): boolean {
  return toWindows(windows).some((one) => one.start <= start && endOf(one) >= start + count)
}

/** One window as a list of one. */
export function toWindows(windows: LeafWindows): readonly LeafWindow[] {
  return isList(windows) ? windows : [windows]
}

function isList(windows: LeafWindows): windows is readonly LeafWindow[] {
  return Array.isArray(windows)
}

/** The first leaf after a window. */
function endOf({ start, count }: LeafWindow): number {
  return start + count
}

function joinWindows(windows: readonly LeafWindow[]): LeafWindow[] {
  const gaps = windows.slice(1).map((window, at) => window.start - endOf(windows[at] ?? window))
  // Only gaps larger than this one stay: fewer than the limit.
  const joined = gaps.toSorted((a, b) => b - a)[leafWindowsMost - 1] ?? 0
  const found: LeafWindow[] = []
  for (const window of windows) {
    const last = found.at(-1)
    if (last === undefined || window.start - endOf(last) > joined) found.push(window)
    else found[found.length - 1] = { start: last.start, count: endOf(window) - last.start }
  }
  return found
}
