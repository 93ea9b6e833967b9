import { CairnError } from '@cairn/protocol'

/** Parsed headers of a part. */
export type PartHead = {
  /** Name of the form field as sent; Kubo's clients append `?mode=…&mtime=…`. */
  fieldName: string
  /** Name of the file as sent, with quoting escapes decoded; `undefined` when the part has none. */
  fileName: string | undefined
  /** Media type in lower case without parameters; `undefined` when none was sent. */
  contentType: string | undefined
  /** Bytes of the body before the part's own. */
  bodyOffset: number
}

/** Maximum number of header lines per part. */
const maxHeaderLines = 32

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
/** Has one way to match a line: with the spaces as parts of their own, the time for a bad one would grow with its length cubed. */
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const controls = /[\x00-\x08\x0a-\x1f\x7f]/
const endOfLine = /^[ \t]*;?[ \t]*$/
const afterQuotedValue = /^[ \t]*(?:;[ \t]*[!#$%&'*+.^_`|~0-9A-Za-z-]+=|;?[ \t]*$)/

/** A head with a plain file name, and the text around that name. */
type Pattern = { before: string; after: string; head: PartHead }

/** Characters of a name that mean themselves in every client's quoting. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const plainName = /^[^"\\%\x00-\x1f\x7f]+$/
const nameStart = 'filename="'

/**
 * Returns a reader of heads as {@link readPartHead}, for one body: heads that differ from the last one in a plain file
 * name only, as those of a large folder do, are not parsed again.
 */
export function createHeadReader(): typeof readPartHead {
  let pattern: Pattern | undefined
  return (bytes, bodyOffset) => {
    const text = decode(bytes)
    if (pattern !== undefined && text.startsWith(pattern.before) && text.endsWith(pattern.after)) {
      const fileName = text.slice(pattern.before.length, -pattern.after.length)
      if (plainName.test(fileName)) return { ...pattern.head, fileName, bodyOffset }
    }
    const head = readPartHead(bytes, bodyOffset)
    pattern = patternOf(text, head)
    return head
  }
}

/** Returns the pattern of a head; undefined if its file name may not be all that another head changes. */
function patternOf(text: string, head: PartHead): Pattern | undefined {
  const start = text.indexOf(nameStart) + nameStart.length
  const end = text.indexOf('"', start)
  const before = text.slice(0, start)
  const after = text.slice(end)
  const isPlain = before.endsWith(nameStart) && end !== -1 && head.fileName === text.slice(start, end)
  // If `filename*` states another name, one of the two takes precedence.
  const hasOther = /filename/i.test(before.slice(0, -nameStart.length) + after)
  return isPlain && !hasOther ? { before, after, head } : undefined
}

/**
 * Parses the header lines of a part: the bytes between the delimiter's line and the empty line.
 * File names are accepted as real clients send them: plain UTF-8; a quote escaped as `\"` (Go, curl before 7.81 and with
 * `--form-escape`), as `%22` (browsers, `fetch`, curl), or not at all (published Node client); `filename*` of RFC 5987 takes
 * precedence. A backslash is doubled by those of the first kind only.
 *
 * @throws CairnError INVALID_MULTIPART
 */
export function readPartHead(bytes: Uint8Array, bodyOffset: number): PartHead {
  const head: PartHead = { fieldName: '', fileName: undefined, contentType: undefined, bodyOffset }
  if (bytes.length === 0) return head
  const lines = decode(bytes).split('\r\n')
  if (lines.length > maxHeaderLines) throw invalid(`A part has more than ${maxHeaderLines} header lines`)
  for (const line of lines) {
    const [, name, text] = headerLine.exec(line) ?? []
    if (name === undefined || text === undefined || controls.test(text))
      throw invalid('A header of a part is malformed')
    const value = text.trim()
    switch (name.toLowerCase()) {
      case 'content-disposition':
        readDisposition(value, head)
        break
      case 'content-type':
        head.contentType = value.split(';', 1)[0]?.trim().toLowerCase()
        break
      case 'content-transfer-encoding':
        if (!/^(?:binary|8bit|7bit)$/i.test(value))
          throw invalid('Parts must be sent without a transfer encoding such as base64')
        break
    }
  }
  return head
}

function readDisposition(value: string, head: PartHead): void {
  let extended: string | undefined
  let at = value.indexOf(';')
  while (at !== -1 && at < value.length) {
    const found = /^;[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)=/.exec(value.slice(at))
    if (found === null) {
      if (/^;?[ \t]*$/.test(value.slice(at))) break
      throw invalid('A Content-Disposition header is malformed')
    }
    const start = at + found[0].length
    const { text, end } = value[start] === '"' ? readQuoted(value, start + 1) : readToken(value, start)
    const parameter = (found[1] ?? '').toLowerCase()
    if (parameter === 'name') head.fieldName = text
    else if (parameter === 'filename') head.fileName = text
    else if (parameter === 'filename*') extended = decodeExtended(text)
    at = end
  }
  if (extended !== undefined) head.fileName = extended
}

function readToken(value: string, start: number): { text: string; end: number } {
  const semicolon = value.indexOf(';', start)
  const end = semicolon === -1 ? value.length : semicolon
  return { text: value.slice(start, end).trim(), end }
}

/**
 * Reads up to the quote that ends the value: one before the end of the line or another parameter. Clients that escape quotes by a
 * backslash escape backslashes, too, so one before the last quote of the line comes from a client that escapes neither, such as
 * browsers and curl.
 */
function readQuoted(value: string, start: number): { text: string; end: number } {
  let text = ''
  for (let at = start; at < value.length; at++) {
    const character = value[at]
    const next = value[at + 1]
    if (character === '\\' && (next === '\\' || (next === '"' && !endOfLine.test(value.slice(at + 2, at + 200))))) {
      text += next
      at++
    } else if (character === '"' && afterQuotedValue.test(value.slice(at + 1, at + 200))) {
      const end = value.indexOf(';', at)
      return { text: undoFormEscapes(text), end: end === -1 ? value.length : end }
    } else text += character
  }
  throw invalid('A quoted value is not terminated')
}

/** Browsers escape these three, and only these. @see https://html.spec.whatwg.org/#multipart-form-data */
function undoFormEscapes(text: string): string {
  if (!text.includes('%')) return text
  return text.replace(/%22|%0D|%0A/gi, (escaped) => String.fromCharCode(Number.parseInt(escaped.slice(1), 16)))
}

/** @see https://www.rfc-editor.org/rfc/rfc5987 */
function decodeExtended(text: string): string {
  const found = /^utf-8'[^']*'(.*)$/i.exec(text)
  if (found === null) throw invalid('filename* must be in UTF-8')
  try {
    return decodeURIComponent(found[1] ?? '')
  } catch (cause) {
    throw new CairnError('INVALID_MULTIPART', { message: 'filename* is malformed', cause })
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new CairnError('INVALID_MULTIPART', { message: 'The headers of a part are not UTF-8', cause })
  }
}

function invalid(message: string): CairnError {
  return new CairnError('INVALID_MULTIPART', { message })
}
