import { CairnError } from '../errors/error.ts'
import { maxNameBytes, maxPathBytes, maxPathDepth } from '../limits.ts'

/**
 * Control characters and line breaks. Bidirectional controls stay: a name is part of the content, and clients mark them
 * on display.
 */
const controls = /[\p{Cc}\p{Zl}\p{Zp}]/u
/** Lone surrogates: such a text is not well-formed Unicode. */
const halves = /\p{Cs}/u
const allHalves = /\p{Cs}/gu

/**
 * Splits the path of an upload into its names, outermost first. Drops empty and `.` segments.
 * @throws CairnError INVALID_PATH for `..`, control characters, and names or paths beyond the limits
 */
export function splitUploadPath(path: string): string[] {
  if (controls.test(path)) throw invalid('A file name contains control characters', path)
  if (halves.test(path)) throw invalid('A file name is not well-formed Unicode', path)
  if (isLonger(path, maxPathBytes)) throw invalid(`A path is longer than ${maxPathBytes} bytes`, path)
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.')
  for (const segment of segments) {
    if (segment === '..') throw invalid('A path must not contain ".."', path)
    if (isLonger(segment, maxNameBytes)) throw invalid(`A file name is longer than ${maxNameBytes} bytes`, path)
  }
  if (segments.length > maxPathDepth) throw invalid(`A path has more than ${maxPathDepth} folders`, path)
  return segments
}

/** Returns the error of an upload or a folder with two files of the same path. */
export function duplicateName(fileName: string, cause?: unknown): CairnError<'DUPLICATE_NAME'> {
  return new CairnError('DUPLICATE_NAME', {
    message: `Duplicate file name found: ${fileName}`,
    details: { fileName },
    cause,
  })
}

function invalid(message: string, path: string): CairnError {
  return new CairnError('INVALID_PATH', {
    message,
    details: { fileName: path.slice(0, 200).replace(allHalves, '\uFFFD') },
  })
}

const encoder = new TextEncoder()

/** Encodes long texts only, because a folder may have a million names: a UTF-16 unit is at most 3 bytes of UTF-8. */
function isLonger(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && encoder.encode(text).length > maxBytes
}
