import { splitUploadPath } from '@cairn/protocol'

/**
 * Returns the path segments of a part's file name, outermost first; none for an unnamed part. Clients send
 * `./few/f1`, `/f1` and `few//f1` for the same path, so empty and `.` segments are dropped.
 *
 * @param isEscaped whether the name is query-escaped, as Kubo's clients send it (`+` is a space, invalid escapes are
 * kept).
 * @throws CairnError INVALID_PATH for `..`, control characters, and names or paths beyond the limits.
 */
export function readUploadPath(fileName: string | undefined, isEscaped = false): string[] {
  if (fileName === undefined || fileName === '') return []
  return splitUploadPath(isEscaped ? unescapeQuery(fileName) : fileName)
}

/** Decodes as Go's `url.QueryUnescape`, but keeps invalid escapes unchanged. */
function unescapeQuery(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // An unescaped name is valid too: Kubo keeps it unchanged.
    return text
  }
}
