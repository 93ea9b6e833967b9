import type { IncomingMessage } from 'node:http'
import { s3Error } from './s3-error.ts'
import { decodeUri, type RawRequest, readQuery } from './signature/canonical-request.ts'

/** Target of a request. An empty bucket means the list of buckets, an empty key means the bucket. */
export type Target = { bucket: string; key: string }

/** A request, parsed as far as every operation requires. */
export type S3Request = Target & {
  method: string
  raw: RawRequest
  query: ReadonlyMap<string, string>
  /** Returns the value of a header. Repeated headers are joined by commas. */
  header(name: string): string | undefined
}

/** Maximum key in bytes, as in S3. */
export const maxKeyBytes = 1024
const maxParameters = 64

/**
 * Parses a request.
 * @param hosts host names that serve buckets as subdomains
 * @throws CairnError `InvalidArgument`, `KeyTooLongError`
 */
export function readS3Request(message: IncomingMessage, url: string, hosts: readonly string[]): S3Request {
  const at = url.indexOf('?')
  const [path, query] = at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
  const headers = readHeaders(message.rawHeaders)
  const header = (name: string): string | undefined => headers.get(name)?.join(',')
  const pairs = readQuery(query)
  if (pairs.length > maxParameters) throw s3Error('InvalidArgument', 'The query has too many parameters.')
  return {
    ...readTarget(path, header('host') ?? '', hosts),
    method: message.method ?? 'GET',
    raw: {
      method: message.method ?? 'GET',
      path,
      query,
      headerNames: [...headers.keys()],
      header: (name) => headers.get(name) ?? [],
    },
    query: new Map(pairs),
    header,
  }
}

function readHeaders(rawHeaders: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase()
    const values = headers.get(name)
    if (values === undefined) headers.set(name, [rawHeaders[at + 1] ?? ''])
    else values.push(rawHeaders[at + 1] ?? '')
  }
  return headers
}

/** Reads bucket and key. The bucket is the subdomain of a configured host, otherwise the first segment of the path. */
function readTarget(path: string, host: string, hosts: readonly string[]): Target {
  const name = host.replace(/:\d+$/, '').toLowerCase()
  const own = hosts.find((one) => name.endsWith(`.${one}`))
  if (own !== undefined) return { bucket: name.slice(0, -own.length - 1), key: readKey(path.slice(1)) }
  const rest = path.slice(1)
  const slash = rest.indexOf('/')
  if (slash === -1) return { bucket: decodeUri(rest), key: '' }
  return { bucket: decodeUri(rest.slice(0, slash)), key: readKey(rest.slice(slash + 1)) }
}

/** A key may be any text: `..`, empty segments and outer slashes have no special meaning. */
function readKey(encoded: string): string {
  const key = decodeUri(encoded)
  requireKey(key)
  return key
}

/** Returns the version that a request names. @throws CairnError `InvalidArgument` for an empty one */
export function readVersionId(query: ReadonlyMap<string, string>): string | undefined {
  const id = query.get('versionId')
  if (id !== undefined) requireVersionId(id)
  return id
}

/** An empty id selects no version, so that a deletion would report success without an effect. */
export function requireVersionId(id: string): void {
  if (id === '') throw s3Error('InvalidArgument', 'Version id cannot be the empty string')
}

/** @throws CairnError `KeyTooLongError`, `InvalidArgument` for a NUL, which databases and XML cannot represent */
export function requireKey(key: string): void {
  const sizeBytes = Buffer.byteLength(key)
  if (sizeBytes > maxKeyBytes)
    throw s3Error('KeyTooLongError', undefined, { Size: sizeBytes, MaxSizeAllowed: maxKeyBytes })
  if (key.includes('\0')) throw s3Error('InvalidArgument', 'A key must not contain NUL.')
  if (!key.isWellFormed()) throw s3Error('InvalidArgument', 'A key must be UTF-8.')
}
