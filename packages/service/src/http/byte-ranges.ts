import { maxRanges } from '@cairn/protocol'

/** Bytes from `start` to `end`, exclusive. */
export type ByteRange = { start: number; end: number }

/** The requested part of a file: all of it, ranges, or none that exist. */
export type RangeChoice = { kind: 'whole' } | { kind: 'parts'; ranges: readonly ByteRange[] } | { kind: 'none' }

const whole: RangeChoice = { kind: 'whole' }

/**
 * Parses a Range header. A malformed header, another unit, or more than {@link maxRanges} ranges select the whole file,
 * as RFC 9110 allows; ranges that overlap or touch are merged.
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-range-requests
 */
export function chooseRanges(header: string | undefined, sizeBytes: number): RangeChoice {
  // An empty file is sent whole: players request "bytes=0-" before they know its size.
  if (header === undefined || sizeBytes === 0) return whole
  const match = /^\s*bytes\s*=(.*)$/i.exec(header)
  const list = match?.[1]
  if (list === undefined) return whole
  const ranges: ByteRange[] = []
  let count = 0
  for (const item of list.split(',', maxRanges + 1)) {
    const range = readRange(item.trim(), sizeBytes)
    if (range === 'malformed' || ++count > maxRanges) return whole
    if (range !== undefined) ranges.push(range)
  }
  if (ranges.length === 0) return { kind: 'none' }
  return { kind: 'parts', ranges: joinRanges(ranges) }
}

/** As {@link chooseRanges}, for a sender of one part at most: several ranges select the whole file. */
export function chooseRange(header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'none' {
  const choice = chooseRanges(header, sizeBytes)
  if (choice.kind !== 'parts') return choice.kind
  const [range] = choice.ranges
  return range === undefined || choice.ranges.length > 1 ? 'whole' : range
}

function readRange(text: string, sizeBytes: number): ByteRange | undefined | 'malformed' {
  const match = /^(\d*)\s*-\s*(\d*)$/.exec(text)
  const first = match?.[1] ?? ''
  const last = match?.[2] ?? ''
  if (first === '' && last === '') return 'malformed'
  if (first === '') {
    // Numbers too large for a double become Infinity or inexact, both far beyond any file: the clamp below applies.
    const length = Math.min(Number(last), sizeBytes)
    return length === 0 ? undefined : { start: sizeBytes - length, end: sizeBytes }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return 'malformed'
  if (start >= sizeBytes) return undefined
  return { start, end: last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) }
}

/** Merges ranges that overlap or touch; the rest keeps the requested order. */
function joinRanges(ranges: readonly ByteRange[]): ByteRange[] {
  const joined: ByteRange[] = []
  for (const range of ranges) {
    let { start, end } = range
    for (let index = joined.length - 1; index >= 0; index--) {
      const other = joined[index]
      if (other === undefined || other.start > end || other.end < start) continue
      start = Math.min(start, other.start)
      end = Math.max(end, other.end)
      joined.splice(index, 1)
      // A grown range may now touch ranges that were skipped.
      index = joined.length
    }
    joined.push({ start, end })
  }
  return joined
}
