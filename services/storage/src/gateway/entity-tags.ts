import type { CID } from 'multiformats/cid'

/**
 * Returns the strong tag of a file, block or converted block: its CID, with the format when it is not the file
 * itself.
 */
export function entityTag(cid: CID, format?: string): string {
  return format === undefined ? `"${cid.toString()}"` : `"${cid.toString()}.${format}"`
}

/** Parses the tags of an If-None-Match or If-Match list; `*` is returned alone. */
function listTags(header: string): string[] {
  return header.match(/\*|(?:W\/)?"[^"]*"/g) ?? []
}

/**
 * Whether an If-None-Match header names one of the tags, by weak comparison; `*` matches all.
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-if-none-match
 */
export function matchesNoneMatch(header: string | undefined, tags: readonly string[]): boolean {
  if (header === undefined) return false
  const opaque = tags.map((tag) => tag.replace(/^W\//, ''))
  return listTags(header).some((tag) => tag === '*' || opaque.includes(tag.replace(/^W\//, '')))
}

/**
 * Whether a Range header applies: always without If-Range; with it, only when it names this exact tag, by strong
 * comparison. Dates never match, because nothing here has one.
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-if-range
 */
export function rangeCounts(ifRange: string | undefined, tag: string): boolean {
  return ifRange === undefined || (ifRange.trim() === tag && !tag.startsWith('W/'))
}
