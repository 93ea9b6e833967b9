import { CairnError, KIB, partHeaderBytesMost, uploadPartsMost } from '@cairn/protocol'
import { type PartHead, readPartHead } from './part-head.ts'

/** Takes the bytes of one part. */
export type PartSink = {
  /** Takes a piece; it is valid until the call returns or its promise settles. A promise holds the parser back. */
  write(piece: Uint8Array): void | Promise<void>
  /** The part is whole. */
  end(): void | Promise<void>
}

/** What a body may ask of its reader; the limits of `@cairn/protocol` unless told. */
export type MultipartLimits = {
  /** Most parts. */
  partsMost?: number
  /** Most bytes of the header lines of one part. */
  partHeaderBytesMost?: number
  /** Most bytes before the first delimiter, and after the last. */
  marginBytesMost?: number
}

/** Takes a multipart body piece by piece. */
export type MultipartParser = {
  /** Takes the next bytes, valid until it returns or its promise settles; then comes the next call. @throws CairnError as {@link createMultipartParser} */
  write(bytes: Uint8Array): void | Promise<void>
  /** Says that the body is over. @throws CairnError INVALID_MULTIPART where the closing delimiter did not come. */
  end(): void
}

type State = 'margin' | 'delimiter' | 'head' | 'body' | 'over'

const CR = 13
const LF = 10
const DASH = 45
/** Blanks allowed between a delimiter and the end of its line. */
const paddingBytesMost = 64

/**
 * A streaming reader of `multipart/form-data`: finds delimiters with one native search a piece, hands out views, and
 * copies nothing but part headers that lie across pieces. A line that only begins like a delimiter is data.
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
  const partsMost = limits.partsMost ?? uploadPartsMost
  const headBytesMost = limits.partHeaderBytesMost ?? partHeaderBytesMost
  const marginBytesMost = limits.marginBytesMost ?? 64 * KIB

  let state: State = 'margin'
  let input: Buffer = Buffer.alloc(0)
  let at = 0
  /** Bytes of the body before `input`, and of `input` itself: its own length is gone once it is freed. */
  let inputOffset = 0
  let inputBytes = 0
  /** Bytes of the delimiter seen at the end of the piece before. */
  let matched = 2
  /** Bytes of it that are only thought: a body, and a part, may begin with a delimiter, as though CRLF stood before. */
  let given = 2
  /** What followed a delimiter so far: dashes, blanks, a CR. Becomes data where it turns out that it was none. */
  let tail = ''
  let marginBytes = 0
  let parts = 0
  let part: PartSink | undefined
  let headRoom: Buffer | undefined
  let headBytes = 0

  const emit = (bytes: Buffer): void | Promise<void> => {
    if (bytes.length === 0) return undefined
    if (part !== undefined) return part.write(bytes)
    marginBytes += bytes.length
    if (marginBytes > marginBytesMost) throw invalid('There is too much text before the first part')
    return undefined
  }

  /** Goes on with a delimiter that began in the piece before. Only its first byte is a CR, so no other start can hide in it. */
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
        (byte === 32 || byte === 9) && !tail.endsWith('\r') && tail !== '-' && tail.length < paddingBytesMost
      const isStart = (byte === DASH && tail === '') || (byte === CR && tail !== '-' && !tail.endsWith('\r'))
      if (!isBlank && !isStart) return resumeData()
      tail += String.fromCharCode(byte ?? 0)
      at++
    }
    return undefined
  }

  /** It was not a delimiter: what was taken for one is data. */
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
    if (next === 'head' && ++parts > partsMost) {
      throw new CairnError('TOO_MANY_PARTS', { details: { limit: partsMost } })
    }
    return closed?.end()
  }

  const readHead = (): void | Promise<void> => {
    if (headBytes === 0) {
      const isEmpty = input[at] === CR && input[at + 1] === LF
      const end = isEmpty ? at : input.indexOf('\r\n\r\n', at, 'latin1')
      if (end !== -1 && end - at <= headBytesMost) {
        const bytes = input.subarray(at, end)
        at = end + (isEmpty ? 2 : 4)
        return open(bytes)
      }
    }
    return gatherHead()
  }

  /** Gathers header lines that do not lie in one piece. */
  const gatherHead = (): void | Promise<void> => {
    headRoom ??= Buffer.allocUnsafe(headBytesMost + 4)
    const before = headBytes
    const length = Math.min(input.length - at, headRoom.length - before)
    input.copy(headRoom, before, at, at + length)
    headBytes += length
    const isEmpty = headBytes >= 2 && headRoom[0] === CR && headRoom[1] === LF
    const end = isEmpty ? 0 : headRoom.subarray(0, headBytes).indexOf('\r\n\r\n', Math.max(0, before - 3), 'latin1')
    if (end !== -1) {
      const size = end + (isEmpty ? 2 : 4)
      at += size - before
      return open(headRoom.subarray(0, end))
    }
    at += length
    if (headBytes === headRoom.length) throw new CairnError('HEADER_TOO_LARGE', { details: { limit: headBytesMost } })
    return undefined
  }

  const open = (bytes: Uint8Array): void | Promise<void> => {
    const opened = openPart(readPartHead(bytes, inputOffset + at))
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
    if (marginBytes > marginBytesMost) throw invalid('There is too much text after the last part')
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

/** How many of the last bytes of `bytes` are the beginning of `delimiter`. */
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
