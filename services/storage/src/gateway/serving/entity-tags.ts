import { CairnError } from '@cairn/protocol'
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
 * Whether the client's copy is still valid: its If-None-Match header names one of the tags, by weak comparison, or is `*`.
 * Evaluates If-Match first, as RFC 9110 orders them: a client that continues a download relies on it.
 * @throws CairnError PRECONDITION_FAILED if an If-Match header is neither `*` nor names one of the tags exactly
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-precedence-of-preconditions
 */
export function isNotModified(
  { ifMatch, ifNoneMatch }: { ifMatch?: string | undefined; ifNoneMatch?: string | undefined },
  tags: readonly string[],
): boolean {
  const strong = tags.filter((tag) => !tag.startsWith('W/'))
  if (ifMatch !== undefined && !listTags(ifMatch).some((tag) => tag === '*' || strong.includes(tag))) {
    throw new CairnError('PRECONDITION_FAILED', {
      message: 'The content is not the one that If-Match names',
      hint: 'Request it again from the start, without If-Match.',
    })
  }
  if (ifNoneMatch === undefined) return false
  const opaque = tags.map((tag) => tag.replace(/^W\//, ''))
  return listTags(ifNoneMatch).some((tag) => tag === '*' || opaque.includes(tag.replace(/^W\//, '')))
}
