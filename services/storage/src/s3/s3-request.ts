import type { IncomingMessage } from 'node:http'
import { checksumAlgorithms, checksumHeader } from './checksums/checksums.ts'
import { s3Error } from './s3-error.ts'
import { decodeUri, type RawRequest, readQuery } from './signature/canonical-request.ts'

/** Target of a request. An empty bucket means the list of buckets, an empty key means the bucket. */
export type Target = { bucket: string; key: string }

/** A request, parsed as far as every operation requires. */
export type S3Request = Target & {
  method: string
  /** Whether the host names the bucket; otherwise the path does. */
  isSubdomain: boolean
  raw: RawRequest
  query: ReadonlyMap<string, string>
  /** Lower-case names of all headers, with those that a presigned URL has in its query. */
  headerNames: readonly string[]
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
export function readS3Request(message: IncomingMessage, target: string, hosts: readonly string[]): S3Request {
  // Every server has to accept the absolute form, which clients send to proxies (RFC 9112, 3.2.2).
  const url = target.replace(/^https?:\/\/[^/?#]*\/?/i, '/')
  const at = url.indexOf('?')
  const [path, query] = at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
  const headers = readHeaders(message.rawHeaders)
  const pairs = readQuery(query)
  if (pairs.length > maxParameters) throw s3Error('InvalidArgument', 'The query has too many parameters.')
  const inQuery = readHeadersInQuery(pairs)
  const header = (name: string): string | undefined => (headers.get(name) ?? inQuery.get(name))?.join(',')
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
    headerNames: [...new Set([...headers.keys(), ...inQuery.keys()])],
    header,
  }
}

function readHeaders(rawHeaders: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    addHeader(headers, rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return headers
}

/**
 * Parameters of a presigned URL that are not headers: those of the signature, and those that describe the body, which is unknown when
 * the URL is signed. Clients put the checksum of an empty body there, which S3 ignores.
 */
const notHeaders = new Set([
  ...['x-amz-algorithm', 'x-amz-credential', 'x-amz-date', 'x-amz-expires', 'x-amz-signedheaders', 'x-amz-signature'],
  ...['x-amz-security-token', 'x-amz-content-sha256', 'x-amz-decoded-content-length', 'x-amz-trailer'],
  ...['x-amz-sdk-checksum-algorithm', ...checksumAlgorithms.map(checksumHeader)],
])

/** Returns the headers that a client moved to the query when it signed a URL. S3 accepts them there. */
function readHeadersInQuery(pairs: readonly (readonly [name: string, value: string])[]): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  if (!pairs.some(([name]) => name === 'X-Amz-Algorithm')) return headers
  for (const [name, text] of pairs) {
    const isHeader = /^x-amz-/i.test(name) && !notHeaders.has(name.toLowerCase())
    // Headers contain UTF-8 as bytes.
    if (isHeader) addHeader(headers, name, Buffer.from(text).toString('latin1'))
  }
  return headers
}

function addHeader(headers: Map<string, string[]>, name: string, value: string): void {
  const key = name.toLowerCase()
  const values = headers.get(key)
  if (values === undefined) headers.set(key, [value])
  else values.push(value)
}

/** Reads bucket and key. The bucket is the subdomain of a configured host, otherwise the first segment of the path. */
function readTarget(path: string, host: string, hosts: readonly string[]): Target & { isSubdomain: boolean } {
  const name = host.replace(/:\d+$/, '').toLowerCase()
  const own = hosts.find((one) => name.endsWith(`.${one}`))
  if (own !== undefined) {
    return { bucket: name.slice(0, -own.length - 1), key: readKey(path.slice(1)), isSubdomain: true }
  }
  const rest = path.slice(1)
  const slash = rest.indexOf('/')
  if (slash === -1) return { bucket: decodeUri(rest), key: '', isSubdomain: false }
  return { bucket: decodeUri(rest.slice(0, slash)), key: readKey(rest.slice(slash + 1)), isSubdomain: false }
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
