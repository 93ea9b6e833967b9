import { CairnError, nameBytesMost, pathBytesMost, pathDepthMost } from '@cairn/protocol'

/** Control characters and line breaks. Changes of direction stay: a name is part of the content, and clients mark them where they show it. */
const controls = /[\p{Cc}\p{Zl}\p{Zp}]/u

/**
 * The names that a part's file name stands for, outermost first; none for an unnamed part. Clients send `./few/f1`,
 * `/f1` and `few//f1` for the same things: empty and `.` segments are dropped.
 *
 * @param isEscaped whether the name is query-escaped, as Kubo's clients send it (`+` is a blank, bad escapes are kept).
 * @throws CairnError INVALID_PATH for `..`, control characters, and names or paths beyond the limits.
 */
export function readUploadPath(fileName: string | undefined, isEscaped = false): string[] {
  if (fileName === undefined || fileName === '') return []
  const text = isEscaped ? unescapeQuery(fileName) : fileName
  if (controls.test(text)) throw invalid('A file name has control characters', fileName)
  if (!text.isWellFormed()) throw invalid('A file name is not well-formed Unicode', fileName)
  if (Buffer.byteLength(text) > pathBytesMost) throw invalid(`A path is longer than ${pathBytesMost} bytes`, fileName)
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.')
  for (const segment of segments) {
    if (segment === '..') throw invalid('A path must not contain ".."', fileName)
    if (Buffer.byteLength(segment) > nameBytesMost) {
      throw invalid(`A file name is longer than ${nameBytesMost} bytes`, fileName)
    }
  }
  if (segments.length > pathDepthMost) throw invalid(`A path has more than ${pathDepthMost} folders`, fileName)
  return segments
}

/** Go's `url.QueryUnescape`, leaving what is no escape as it stands. */
function unescapeQuery(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // A name that is not escaped at all is a name too: Kubo keeps it as it is.
    return text
  }
}

function invalid(message: string, fileName: string): CairnError {
  return new CairnError('INVALID_PATH', { message, details: { fileName: fileName.slice(0, 200).toWellFormed() } })
}
