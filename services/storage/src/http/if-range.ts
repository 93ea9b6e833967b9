/**
 * Whether a Range header applies: always without If-Range; with it, only when it is exactly one of the validators, by
 * strong comparison. Otherwise a client that continues a download would mix two contents.
 * @param validators the entity tag, and the Last-Modified date as it is sent, if there is one
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-if-range
 */
export function rangeCounts(ifRange: string | undefined, ...validators: readonly string[]): boolean {
  const given = ifRange?.trim()
  return given === undefined || (validators.includes(given) && !given.startsWith('W/'))
}
