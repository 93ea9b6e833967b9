import { randomBytes } from 'node:crypto'
import type { ByteRange } from '@cairn/service'

/**
 * Several ranges of one file as a body: its type, its total length, and the text before each range and at the end.
 */
export type MultipartRanges = {
  contentType: string
  lengthBytes: number
  parts: readonly { head: Buffer; range: ByteRange }[]
  tail: Buffer
}

/** Formats `multipart/byteranges`. @see https://www.rfc-editor.org/rfc/rfc9110#name-media-type-multipart-byteran */
export function layOutRanges(ranges: readonly ByteRange[], contentType: string, sizeBytes: number): MultipartRanges {
  const boundary = randomBytes(18).toString('hex')
  const parts = ranges.map((range, index) => ({
    head: Buffer.from(
      `${index === 0 ? '' : '\r\n'}--${boundary}\r\nContent-Type: ${contentType}\r\nContent-Range: ${contentRange(range, sizeBytes)}\r\n\r\n`,
    ),
    range,
  }))
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  let lengthBytes = tail.length
  for (const { head, range } of parts) lengthBytes += head.length + range.end - range.start
  return { contentType: `multipart/byteranges; boundary=${boundary}`, lengthBytes, parts, tail }
}

/** Returns the value of Content-Range; without a range, only the size, as 416 requires. */
export function contentRange(range: ByteRange | undefined, sizeBytes: number): string {
  return range === undefined ? `bytes */${sizeBytes}` : `bytes ${range.start}-${range.end - 1}/${sizeBytes}`
}
