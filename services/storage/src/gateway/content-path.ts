import { CairnError } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import { parseCid } from './parse-cid.ts'

/** Longest path of a request, in characters as sent. */
export const requestPathMost = 8192
/** Most names below the CID. */
const segmentsMost = 512

/** What a request names: a root, and the names below it. */
export type ContentPath = {
  cid: CID
  /** The CID as the request wrote it. */
  cidText: string
  /** Names, percent-decoded once, dot segments resolved. */
  segments: readonly string[]
  /** Whether the request ended in a slash: it asks for a folder. */
  trailingSlash: boolean
  /** Where the request named the root by a name, and the CID is what that leads to at the moment. */
  mount?: NameMount
}

/** The name that stands for the root of a path. */
export type NameMount = {
  /** An IPNS name in canonical form, or a DNS name. */
  name: string
  /** How long it leads to this CID for sure. */
  maxAgeMs: number
}

/**
 * Reads `{cid}/{path}` as it stands in a URL behind `/ipfs/`. Each part is percent-decoded once, after which slashes
 * separate and dot segments are resolved; a path that climbs above its root is refused.
 * @throws CairnError INVALID_CID, INVALID_PATH
 */
export function parseContentPath(raw: string): ContentPath {
  const { text, rest } = splitRoot(raw)
  return { ...parseSegments(rest), cid: parseCid(text, `/ipfs/${decode(raw)}`), cidText: text }
}

/** Takes what stands before the first slash, decoded, and the rest as it was sent. @throws CairnError INVALID_PATH */
export function splitRoot(raw: string): { text: string; rest: string } {
  const slash = raw.indexOf('/')
  return slash === -1 ? { text: decode(raw), rest: '' } : { text: decode(raw.slice(0, slash)), rest: raw.slice(slash) }
}

/** Reads the path of a URL whose host names the root. @throws CairnError INVALID_PATH */
export function parseSegments(raw: string): Pick<ContentPath, 'segments' | 'trailingSlash'> {
  if (raw.length > requestPathMost) throw new CairnError('INVALID_PATH', { message: 'The path is too long' })
  if (raw === '' || raw === '/') return { segments: [], trailingSlash: raw !== '' }
  const decoded = decode(raw)
  const segments: string[] = []
  const parts = decoded.split('/')
  for (const part of parts) {
    if (part === '' || part === '.') continue
    if (part === '..') {
      if (segments.pop() === undefined) throw new CairnError('INVALID_PATH', { message: 'The path leaves its root' })
    } else segments.push(part)
  }
  if (segments.length > segmentsMost) throw new CairnError('INVALID_PATH', { message: 'The path has too many names' })
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
  if (decoded.includes('\0')) throw new CairnError('INVALID_PATH', { message: 'The path has a zero byte' })
  return decoded
}

/** Percent-encodes one name over the unreserved characters of RFC 3986: what stays is good in any part of a URL. */
export function encodeStrict(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Percent-encodes one name for a path, leaving what RFC 3986 allows there (`+`, `=`, `,` and their like) as it is. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, (triple) =>
    String.fromCharCode(Number.parseInt(triple.slice(1), 16)),
  )
}

/** The path of segments for a URL: each with a slash before it, and one at the end where asked. */
export function encodePath(segments: readonly string[], trailingSlash: boolean): string {
  return `${segments.map((segment) => `/${encodeSegment(segment)}`).join('')}${trailingSlash ? '/' : ''}`
}

/** The root of a path as the request named it. */
export function rootPath({ cidText, mount }: Pick<ContentPath, 'cidText' | 'mount'>): string {
  return mount === undefined ? `/ipfs/${cidText}` : `/ipns/${mount.name}`
}

/** The canonical `ipfs://` or `ipns://` address. @see https://specs.ipfs.tech/http-gateways/path-gateway/#ipfs-uri-response-header */
export function ipfsUri(path: ContentPath): string {
  const rest = path.segments.map((segment) => `/${encodeStrict(segment)}`).join('')
  const root = path.mount === undefined ? `ipfs://${path.cid.toV1()}` : `ipns://${path.mount.name}`
  return `${root}${rest}${path.trailingSlash ? '/' : ''}`
}

/** The content path in plain characters, or undefined when a header cannot carry it. */
export function plainContentPath(path: ContentPath): string | undefined {
  const rest = path.segments.map((segment) => `/${segment}`).join('')
  const text = `${rootPath(path)}${rest}${path.trailingSlash ? '/' : ''}`
  return /^[\x20-\x7e]+$/.test(text) ? text : undefined
}
