import { CairnError } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import { parseCid } from '../../content/parse-cid.ts'
import { maxPathNames } from '../../content/path-limits.ts'

/** Maximum length of a request path, in characters as sent. */
const maxRequestPath = 8192

/** A parsed content path: a root, and the names below it. */
export type ContentPath = {
  cid: CID
  /** The CID as written in the request. */
  cidText: string
  /** Names, percent-decoded once, dot segments resolved. */
  segments: readonly string[]
  /** Whether the request ended in a slash and so asks for a folder. */
  trailingSlash: boolean
  /** Set when the request gave the root by name; the CID is what the name currently resolves to. */
  mount?: NameMount
}

/** The name that a path uses for its root. */
export type NameMount = {
  /** An IPNS name in canonical form, or a DNS name. */
  name: string
  /** How long it is guaranteed to resolve to this CID. */
  maxAgeMs: number
}

/**
 * Parses `{cid}/{path}` as it follows `/ipfs/` in a URL. Each part is percent-decoded once, then split at slashes,
 * and dot segments are resolved; a path that climbs above its root is rejected.
 * @throws CairnError INVALID_CID, INVALID_PATH
 */
export function parseContentPath(raw: string): ContentPath {
  const { text, rest } = splitRoot(raw)
  return { ...parseSegments(rest), cid: parseCid(text, `/ipfs/${decode(raw)}`), cidText: text }
}

/** Splits at the first slash: the decoded root, and the rest as sent. @throws CairnError INVALID_PATH */
export function splitRoot(raw: string): { text: string; rest: string } {
  const slash = raw.indexOf('/')
  return slash === -1 ? { text: decode(raw), rest: '' } : { text: decode(raw.slice(0, slash)), rest: raw.slice(slash) }
}

/** Parses the path of a URL whose host names the root. @throws CairnError INVALID_PATH */
export function parseSegments(raw: string): Pick<ContentPath, 'segments' | 'trailingSlash'> {
  if (raw.length > maxRequestPath) throw new CairnError('INVALID_PATH', { message: 'The path is too long' })
  if (raw === '' || raw === '/') return { segments: [], trailingSlash: raw !== '' }
  const decoded = decode(raw)
  const segments: string[] = []
  const parts = decoded.split('/')
  for (const part of parts) {
    if (part === '' || part === '.') continue
    if (part === '..') {
      if (segments.pop() === undefined)
        throw new CairnError('INVALID_PATH', { message: 'The path points outside of its root' })
    } else segments.push(part)
  }
  if (segments.length > maxPathNames) throw new CairnError('INVALID_PATH', { message: 'The path has too many names' })
  const last = parts.at(-1)
  return { segments, trailingSlash: last === '' || last === '.' || last === '..' }
}

function decode(text: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text)
  } catch (cause) {
    throw new CairnError('INVALID_PATH', { message: 'The path is not percent-encoded UTF-8', cause })
  }
  if (decoded.includes('\0')) throw new CairnError('INVALID_PATH', { message: 'The path contains a zero byte' })
  return decoded
}

/**
 * Percent-encodes one name except for the unreserved characters of RFC 3986, so that it is valid in any part of a
 * URL.
 */
export function encodeStrict(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

/**
 * Percent-encodes one name for a path, except for characters that RFC 3986 allows there (`+`, `=`, `,` and others).
 */
function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, (triple) =>
    String.fromCharCode(Number.parseInt(triple.slice(1), 16)),
  )
}

/** Joins segments to a URL path: a slash before each, and one at the end if the path ends with it. */
export function encodePath({ segments, trailingSlash }: Pick<ContentPath, 'segments' | 'trailingSlash'>): string {
  return `${segments.map((segment) => `/${encodeSegment(segment)}`).join('')}${trailingSlash ? '/' : ''}`
}

/** Returns the root of a path as the request gave it. */
export function rootPath({ cidText, mount }: Pick<ContentPath, 'cidText' | 'mount'>): string {
  return mount === undefined ? `/ipfs/${cidText}` : `/ipns/${mount.name}`
}

/**
 * Returns the canonical `ipfs://` or `ipns://` address. @see
 * https://specs.ipfs.tech/http-gateways/path-gateway/#ipfs-uri-response-header
 */
export function ipfsUri(path: ContentPath): string {
  const rest = path.segments.map((segment) => `/${encodeStrict(segment)}`).join('')
  const root = path.mount === undefined ? `ipfs://${path.cid.toV1()}` : `ipns://${path.mount.name}`
  return `${root}${rest}${path.trailingSlash ? '/' : ''}`
}

/** Returns the content path in plain characters, or undefined when a header cannot carry it. */
export function plainContentPath(path: ContentPath): string | undefined {
  const rest = path.segments.map((segment) => `/${segment}`).join('')
  const text = `${rootPath(path)}${rest}${path.trailingSlash ? '/' : ''}`
  return /^[\x20-\x7e]+$/.test(text) ? text : undefined
}
