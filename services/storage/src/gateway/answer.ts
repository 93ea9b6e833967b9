import type { BlockSource } from '@cairn/unixfs'
import type { GatewayLinks } from '../gateway-links/gateway-links.ts'
import type { Answer as SentAnswer } from '../http/send-answer.ts'
import type { Denylist } from '../moderation/moderation.ts'
import type { NameResolver } from '../names/names.ts'
import type { Pictures } from '../pictures/pictures.ts'
import type { ContentPath } from './requests/content-path.ts'
import type { GatewayHost } from './requests/gateway-host.ts'

/** Dependencies of the gateway. */
export type Gateway = {
  /** The content that is not served. */
  denylist: Denylist
  /** Verified blocks of public content: their hashes have been checked. */
  source: BlockSource
  /** Opens the blocks of one private upload. */
  openPrivate(uploadId: string): BlockSource
  /** Finds the private upload that a signed link opens. */
  links: GatewayLinks
  /** Resolves names. */
  names: NameResolver
  /** Resizes pictures. */
  pictures: Pick<Pictures, 'get' | 'requireVersion'>
  /** Set while `source` is a private upload. */
  isPrivate?: true
}

/** A request, parsed as far as all kinds of answers need it. */
export type GatewayRequest = {
  method: string
  host: GatewayHost
  /** The path as sent, percent-encoded. */
  rawPath: string
  /** The query as sent, with its question mark, or empty. */
  search: string
  query: URLSearchParams
  headers: {
    accept?: string | undefined
    range?: string | undefined
    ifRange?: string | undefined
    ifMatch?: string | undefined
    ifNoneMatch?: string | undefined
    cacheControl?: string | undefined
    serviceWorker?: string | string[] | undefined
  }
  /** IP address of the client. */
  address: string
  /** Fires when the client disconnects. */
  signal: AbortSignal
}

/** A request for a content path. */
export type ContentRequest = GatewayRequest & { path: ContentPath }

/** The response. */
export type Answer = SentAnswer & {
  /** Multihash of the root that the answer is about, for what is counted. */
  root?: Uint8Array
  /** Set if it is for the holder of a signed link only. */
  isPrivate?: true
}

/** Content under a CID never changes. */
export const immutable = 'public, max-age=29030400, immutable'
/** Generated pages may change with a release. */
export const generated = 'public, max-age=604800, stale-while-revalidate=2678400'

export const htmlType = 'text/html; charset=utf-8'

/** Redirects the client. */
export function redirect(status: number, location: string, headers: Record<string, string> = {}): Answer {
  return { status, headers: { ...headers, location, 'content-length': '0' } }
}

/** Answers that the client's copy is still valid. */
export function notModified(headers: Record<string, string>): Answer {
  const { 'content-length': _length, 'content-type': _type, ...rest } = headers
  return { status: 304, headers: rest }
}
