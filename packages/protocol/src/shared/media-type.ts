/** A name of RFC 6838, 4.2. */
const name = '[a-z\\d][a-z\\d!#$&^_.+-]{0,126}'
const token = "[\\w!#$%&'*+.^`|~-]+"
const quoted = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t -\\x7e\\x80-\\xff])*"'
const mediaType = new RegExp(`^(${name}/${name})(?:[ \\t]*;(?:[ \\t]*${token}=(?:${token}|${quoted}))?)*[ \\t]*$`, 'i')

/**
 * Parses a media type, such as `text/html; charset=utf-8`.
 * @returns the type in lower case, without its parameters; undefined if it is not a media type
 * @see RFC 9110, 8.3.1
 */
export function readMediaType(text: string): string | undefined {
  return mediaType.exec(text)?.[1]?.toLowerCase()
}
