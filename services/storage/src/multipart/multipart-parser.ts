import { CairnError, KIB, maxPartHeaderBytes, maxUploadParts } from '@cairn/protocol'
import { createHeadReader, type PartHead } from './part-head.ts'

/** Receives the bytes of one part. */
export type PartSink = {
  /** Receives a piece, valid until the call returns or its promise settles. A promise pauses the parser. */
  write(piece: Uint8Array): void | Promise<void>
  /** Called when the part is complete. */
  end(): void | Promise<void>
}

/** Limits of a body. Default to those of `@cairn/protocol`. */
export type MultipartLimits = {
  /** Maximum number of parts. */
  maxParts?: number
  /** Maximum bytes of the header lines of one part. */
  maxPartHeaderBytes?: number
  /** Maximum bytes before the first delimiter, and after the last. */
  maxMarginBytes?: number
}

/** Parses a multipart body piece by piece. */
export type MultipartParser = {
  /**
   * Consumes the next bytes, valid until it returns or its promise settles; only then may the next call follow.
   * @throws CairnError as {@link createMultipartParser}
   */
  write(bytes: Uint8Array): void | Promise<void>
  /** Ends the body. @throws CairnError INVALID_MULTIPART when the closing delimiter is missing. */
  end(): void
}

type State = 'margin' | 'delimiter' | 'head' | 'body' | 'over'

const CR = 13
const LF = 10
const DASH = 45
/** Maximum number of blanks between a delimiter and the end of its line. */
const maxPaddingBytes = 64

/**
 * A streaming parser of `multipart/form-data`. Finds delimiters with one native search per piece, passes views on,
 * and copies only part headers that span pieces. A line that only begins like a delimiter is data.
 *
 * @throws CairnError INVALID_MULTIPART, TOO_MANY_PARTS, HEADER_TOO_LARGE
 * @see https://www.rfc-editor.org/rfc/rfc7578 and https://www.rfc-editor.org/rfc/rfc2046#section-5.1
 */
export function createMultipartParser(
  boundary: string,
  openPart: (head: PartHead) => PartSink | Promise<PartSink>,
  limits: MultipartLimits = {},
): MultipartParser {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  const maxParts = limits.maxParts ?? maxUploadParts
  const maxHeadBytes = limits.maxPartHeaderBytes ?? maxPartHeaderBytes
  const maxMarginBytes = limits.maxMarginBytes ?? 64 * KIB

  const readHeadBytes = createHeadReader()

  let state: State = 'margin'
  let input: Buffer = Buffer.alloc(0)
  let at = 0
  /** Bytes of the body before `input`, and of `input` itself, whose own length is gone once it is freed. */
  let inputOffset = 0
  let inputBytes = 0
  /** Bytes of the delimiter matched at the end of the previous piece. */
  let matched = 2
  /** Number of implied bytes: a body or part may begin with a delimiter, as if CRLF preceded it. */
  let given = 2
  /** Bytes after a delimiter so far: dashes, blanks, a CR. Becomes data if it was not a delimiter. */
  let tail = ''
  let marginBytes = 0
  let parts = 0
  let part: PartSink | undefined
  let headroom: Buffer | undefined
  let headBytes = 0

  const emit = (bytes: Buffer): void | Promise<void> => {
    if (bytes.length === 0) return undefined
    if (part !== undefined) return part.write(bytes)
    marginBytes += bytes.length
    if (marginBytes > maxMarginBytes) throw invalid('The text before the first part is too long')
    return undefined
  }

  /**
   * Continues a delimiter that began in the previous piece. Only its first byte is a CR, so it cannot contain another
   * start.
   */
  const continueMatch = (): void | Promise<void> => {
    const length = Math.min(delimiter.length - matched, input.length - at)
    if (input.compare(delimiter, matched, matched + length, at, at + length) !== 0) {
      const seen = delimiter.subarray(given, matched)
      matched = 0
      given = 0
      return emit(seen)
    }
    matched += length
    at += length
    if (matched === delimiter.length) openDelimiter()
    return undefined
  }

  const openDelimiter = (): void => {
    matched = 0
    tail = ''
    state = 'delimiter'
  }

  const readData = (): void | Promise<void> => {
    if (matched > 0) return continueMatch()
    const found = input.indexOf(delimiter, at)
    if (found === at) {
      at += delimiter.length
      return openDelimiter()
    }
    const start = at
    if (found !== -1) {
      at = found
      return emit(input.subarray(start, found))
    }
    at = input.length
    matched = countMatchAtEnd(input, start, delimiter)
    return emit(input.subarray(start, input.length - matched))
  }

  const readDelimiter = (): void | Promise<void> => {
    while (at < input.length) {
      const byte = input[at]
      if (tail === '-' && byte === DASH) {
        at++
        return closePart('over')
      }
      if (tail.endsWith('\r') && byte === LF) {
        at++
        return closePart('head')
      }
      const isBlank =
        (byte === 32 || byte === 9) && !tail.endsWith('\r') && tail !== '-' && tail.length < maxPaddingBytes
      const isStart = (byte === DASH && tail === '') || (byte === CR && tail !== '-' && !tail.endsWith('\r'))
      if (!isBlank && !isStart) return resumeData()
      tail += String.fromCharCode(byte ?? 0)
      at++
    }
    return undefined
  }

  /** It was not a delimiter, so the matched bytes are data. */
  const resumeData = (): void | Promise<void> => {
    const seen = Buffer.concat([delimiter.subarray(given), Buffer.from(tail, 'latin1')])
    given = 0
    state = part === undefined ? 'margin' : 'body'
    return emit(seen)
  }

  const closePart = (next: 'head' | 'over'): void | Promise<void> => {
    const closed = part
    part = undefined
    marginBytes = 0
    headBytes = 0
    state = next
    if (next === 'head' && ++parts > maxParts) {
      throw new CairnError('TOO_MANY_PARTS', { details: { limit: maxParts } })
    }
    return closed?.end()
  }

  const readHead = (): void | Promise<void> => {
    if (headBytes === 0) {
      const isEmpty = input[at] === CR && input[at + 1] === LF
      const end = isEmpty ? at : input.indexOf('\r\n\r\n', at, 'latin1')
      if (end !== -1 && end - at <= maxHeadBytes) {
        const bytes = input.subarray(at, end)
        at = end + (isEmpty ? 2 : 4)
        return open(bytes)
      }
    }
    return gatherHead()
  }

  /** Collects header lines that span pieces. */
  const gatherHead = (): void | Promise<void> => {
    headroom ??= Buffer.allocUnsafe(maxHeadBytes + 4)
    const before = headBytes
    const length = Math.min(input.length - at, headroom.length - before)
    input.copy(headroom, before, at, at + length)
    headBytes += length
    const isEmpty = headBytes >= 2 && headroom[0] === CR && headroom[1] === LF
    const end = isEmpty ? 0 : headroom.subarray(0, headBytes).indexOf('\r\n\r\n', Math.max(0, before - 3), 'latin1')
    if (end !== -1) {
      const size = end + (isEmpty ? 2 : 4)
      at += size - before
      return open(headroom.subarray(0, end))
    }
    at += length
    if (headBytes === headroom.length) throw new CairnError('HEADER_TOO_LARGE', { details: { limit: maxHeadBytes } })
    return undefined
  }

  const open = (bytes: Uint8Array): void | Promise<void> => {
    const opened = openPart(readHeadBytes(bytes, inputOffset + at))
    state = 'body'
    matched = 2
    given = 2
    if (opened instanceof Promise) {
      return opened.then((sink) => {
        part = sink
      })
    }
    part = opened
    return undefined
  }

  const skipEpilogue = (): void => {
    marginBytes += input.length - at
    at = input.length
    if (marginBytes > maxMarginBytes) throw invalid('The text after the last part is too long')
  }

  const advance = (): void | Promise<void> => {
    switch (state) {
      case 'margin':
      case 'body':
        return readData()
      case 'delimiter':
        return readDelimiter()
      case 'head':
        return readHead()
      case 'over':
        return skipEpilogue()
    }
  }

  const resume = async (pending: Promise<void>): Promise<void> => {
    await pending
    while (at < input.length) {
      const next = advance()
      if (next instanceof Promise) await next
    }
  }

  return {
    write(bytes) {
      inputOffset += inputBytes
      inputBytes = bytes.length
      input = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      at = 0
      while (at < input.length) {
        const pending = advance()
        if (pending instanceof Promise) return resume(pending)
      }
      return undefined
    },
    end() {
      if (state !== 'over') throw invalid('The multipart body ends without its closing boundary')
    },
  }
}

/** Returns how many of the last bytes of `bytes` are the beginning of `delimiter`. */
function countMatchAtEnd(bytes: Buffer, start: number, delimiter: Buffer): number {
  const from = Math.max(start, bytes.length - delimiter.length + 1)
  const cr = bytes.lastIndexOf(CR)
  if (cr < from) return 0
  const length = bytes.length - cr
  return bytes.compare(delimiter, 0, length, cr, bytes.length) === 0 ? length : 0
}

function invalid(message: string): CairnError {
  return new CairnError('INVALID_MULTIPART', { message })
}
