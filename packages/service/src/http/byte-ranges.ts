import { rangesMost } from '@cairn/protocol'

/** Bytes from `start` up to, not including, `end`. */
export type ByteRange = { start: number; end: number }

/** What a Range header asks of a file: all of it, parts of it, or nothing it has. */
export type RangeChoice = { kind: 'whole' } | { kind: 'parts'; ranges: readonly ByteRange[] } | { kind: 'none' }

const whole: RangeChoice = { kind: 'whole' }

/**
 * Reads a Range header. What is malformed, of another unit, or of more than {@link rangesMost} ranges is answered whole,
 * as RFC 9110 allows; ranges that overlap or touch become one.
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-range-requests
 */
export function chooseRanges(header: string | undefined, sizeBytes: number): RangeChoice {
  // Of an empty file all is given: players ask for "bytes=0-" before they know.
  if (header === undefined || sizeBytes === 0) return whole
  const match = /^\s*bytes\s*=(.*)$/i.exec(header)
  const list = match?.[1]
  if (list === undefined) return whole
  const ranges: ByteRange[] = []
  let count = 0
  for (const item of list.split(',', rangesMost + 1)) {
    const range = readRange(item.trim(), sizeBytes)
    if (range === 'malformed' || ++count > rangesMost) return whole
    if (range !== undefined) ranges.push(range)
  }
  if (ranges.length === 0) return { kind: 'none' }
  return { kind: 'parts', ranges: joinRanges(ranges) }
}

/** As {@link chooseRanges}, for who sends one part at most: several are answered whole. */
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
    // Numbers too large for a double become Infinity or inexact, both far beyond any file: the clamp below holds.
    const length = Math.min(Number(last), sizeBytes)
    return length === 0 ? undefined : { start: sizeBytes - length, end: sizeBytes }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return 'malformed'
  if (start >= sizeBytes) return undefined
  return { start, end: last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) }
}

/** Joins what overlaps or touches; the rest keeps the order it was asked in. */
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
      // A grown range may now reach ones that were passed over.
      index = joined.length
    }
    joined.push({ start, end })
  }
  return joined
}
