import { CairnError, maxNameValueCharacters } from '@cairn/protocol'
import { CID } from 'multiformats/cid'
import { parseName } from './parse-name.ts'

/** Parts of the target of a name. `root` is a CID, a name in canonical form, or a DNS name in lower case. */
export type NameTarget = {
  kind: 'cid' | 'name' | 'domain'
  root: string
  /** Path below the root, with its leading slash; may be empty. */
  path: string
}

/** A host name with at least one dot: letters, digits and hyphens, and underscores as DNS allows them. */
const hostPattern =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)+$/

/** Returns whether a lower-case text has the form of a DNS name with several labels. */
export function isDnsName(text: string): boolean {
  return hostPattern.test(text)
}

/**
 * Parses a value of a record or DNSLink: `/ipfs/{cid}` or `/ipns/{name}`, and a path.
 * @param isContent whether a text is a CID of content. Defaults to all CIDs that the standard libraries parse
 * @returns undefined for anything else
 */
export function readTarget(value: string, isContent: (text: string) => boolean = isCidText): NameTarget | undefined {
  if (value.length > maxNameValueCharacters || /\p{Cc}/u.test(value)) return undefined
  const [before, namespace, root = '', ...rest] = value.split('/')
  if (before !== '' || rest.includes('.') || rest.includes('..')) return undefined
  const path = rest.length === 0 ? '' : `/${rest.join('/')}`
  if (namespace === 'ipfs') return isContent(root) ? { kind: 'cid', root, path } : undefined
  if (namespace !== 'ipns') return undefined
  const name = readName(root)
  if (name !== undefined) return { kind: 'name', root: name, path }
  const host = root.toLowerCase()
  return isDnsName(host) ? { kind: 'domain', root: host, path } : undefined
}

/** Returns the canonical form of a name; undefined if the text is not a name. */
export function readName(text: string): string | undefined {
  try {
    return parseName(text)
  } catch (error) {
    if (CairnError.is(error, 'INVALID_NAME')) return undefined
    throw error
  }
}

const libp2pKey = 0x72

/** Returns whether a text is a CID of content, not of a key. */
export function isCidText(text: string): boolean {
  // The time that base58 and base36 take grows with the square of the length.
  if (text.length > maxNameValueCharacters) return false
  try {
    return CID.parse(text).code !== libp2pKey
  } catch {
    // Not a CID.
    return false
  }
}
