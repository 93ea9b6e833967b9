import type { BlockSource } from '@cairn/unixfs'
import type { NameResolver } from '../names/names.ts'
import type { ContentPath } from './content-path.ts'
import type { GatewayHost } from './gateway-host.ts'

/** What the gateway works with. */
export type Gateway = {
  /** Verified blocks: what comes from here has been hashed. */
  source: BlockSource
  /** Where names lead. */
  names: NameResolver
}

/** A request, read as far as all kinds of answers need it. */
export type GatewayRequest = {
  method: string
  host: GatewayHost
  /** The path as sent, still percent-encoded. */
  rawPath: string
  /** The query as sent, with its question mark, or empty. */
  search: string
  query: URLSearchParams
  headers: {
    accept?: string | undefined
    range?: string | undefined
    ifRange?: string | undefined
    ifNoneMatch?: string | undefined
    cacheControl?: string | undefined
    serviceWorker?: string | string[] | undefined
  }
  /** Fires when the client goes away. */
  signal: AbortSignal
}

/** A request for a content path. */
export type ContentRequest = GatewayRequest & { path: ContentPath }

/** What goes back. A streamed body is not opened for HEAD. */
export type Answer = {
  status: number
  headers: Record<string, string>
  body?: string | Uint8Array | (() => AsyncIterable<Uint8Array>)
}

/** Content under a CID never changes. */
export const immutable = 'public, max-age=29030400, immutable'
/** Pages we generate may look different next month. */
export const generated = 'public, max-age=604800, stale-while-revalidate=2678400'

export const htmlType = 'text/html; charset=utf-8'

/** Tells the client to look elsewhere. */
export function redirect(status: number, location: string, headers: Record<string, string> = {}): Answer {
  return { status, headers: { ...headers, location, 'content-length': '0' } }
}

/** Tells the client that what it has is still right. */
export function notModified(headers: Record<string, string>): Answer {
  const { 'content-length': _length, 'content-type': _type, ...rest } = headers
  return { status: 304, headers: rest }
}
