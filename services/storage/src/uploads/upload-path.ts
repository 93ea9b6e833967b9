import { splitUploadPath } from '@cairn/protocol'

/**
 * The names that a part's file name stands for, outermost first; none for an unnamed part. Clients send `./few/f1`,
 * `/f1` and `few//f1` for the same things: empty and `.` segments are dropped.
 *
 * @param isEscaped whether the name is query-escaped, as Kubo's clients send it (`+` is a blank, bad escapes are kept).
 * @throws CairnError INVALID_PATH for `..`, control characters, and names or paths beyond the limits.
 */
export function readUploadPath(fileName: string | undefined, isEscaped = false): string[] {
  if (fileName === undefined || fileName === '') return []
  return splitUploadPath(isEscaped ? unescapeQuery(fileName) : fileName)
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
