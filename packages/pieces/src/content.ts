import { type LeafWindow, type LeafWindows, leafWindowsMost } from '@cairn/protocol'
import { layOutAggregate } from './aggregate.ts'
import { nodeBytes, type Piece, paddedBytesOf } from './piece.ts'
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
export function endOf({ start, count }: LeafWindow): number {
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
