import { CairnError } from './error.ts'
import { nameBytesMost, pathBytesMost, pathDepthMost } from './limits.ts'

/** Control characters and line breaks. Changes of direction stay: a name is part of the content, and clients mark them where they show it. */
const controls = /[\p{Cc}\p{Zl}\p{Zp}]/u
/** Halves of surrogate pairs: such a text is not well-formed Unicode. */
const halves = /\p{Cs}/u
const allHalves = /\p{Cs}/gu

/**
 * Splits the path of an upload into its names, outermost first. Empty and `.` segments are dropped.
 *
 * @throws CairnError INVALID_PATH for `..`, control characters, and names or paths beyond the limits.
 */
export function splitUploadPath(path: string): string[] {
  if (controls.test(path)) throw invalid('A file name has control characters', path)
  if (halves.test(path)) throw invalid('A file name is not well-formed Unicode', path)
  if (byteLength(path) > pathBytesMost) throw invalid(`A path is longer than ${pathBytesMost} bytes`, path)
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.')
  for (const segment of segments) {
    if (segment === '..') throw invalid('A path must not contain ".."', path)
    if (byteLength(segment) > nameBytesMost) throw invalid(`A file name is longer than ${nameBytesMost} bytes`, path)
  }
  if (segments.length > pathDepthMost) throw invalid(`A path has more than ${pathDepthMost} folders`, path)
  return segments
}

function invalid(message: string, path: string): CairnError {
  return new CairnError('INVALID_PATH', {
    message,
    details: { fileName: path.slice(0, 200).replace(allHalves, '\uFFFD') },
  })
}

const encoder = new TextEncoder()

function byteLength(text: string): number {
  return encoder.encode(text).length
}
