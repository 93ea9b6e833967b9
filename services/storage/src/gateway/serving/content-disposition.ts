/** Maximum length of a file name in a header, in characters. */
const longestName = 255

/**
 * Writes Content-Disposition with a plain name for all and, where that loses something, the exact one in UTF-8.
 * @see https://www.rfc-editor.org/rfc/rfc6266 and https://www.rfc-editor.org/rfc/rfc8187
 */
export function contentDisposition(kind: 'inline' | 'attachment', name?: string): string {
  if (name === undefined || name === '') return kind
  const exact = Array.from(cleanName(name)).slice(0, longestName).join('')
  const plain = exact.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\%]/g, '_')
  if (plain === exact) return `${kind}; filename="${plain}"`
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encodeExtended(exact)}`
}

/** Removes folders, control characters, bidirectional overrides and lone surrogates from a name. */
function cleanName(name: string): string {
  return name
    .toWellFormed()
    .replace(/[/\\]/g, '_')
    .replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '_')
}

function encodeExtended(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}
