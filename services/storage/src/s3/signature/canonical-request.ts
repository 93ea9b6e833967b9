import { hash } from 'node:crypto'
import { s3Error } from '../s3-error.ts'

/** A request as received, before decoding. */
export type RawRequest = {
  method: string
  /** Path as received, without the query. */
  path: string
  /** Query as received, without the question mark. */
  query: string
  /** Lower-case names of all headers. */
  headerNames: readonly string[]
  /** Returns the values of a header as received. */
  header(name: string): readonly string[]
}

/** Percent-encodes all but unreserved characters, as Signature V4 requires. */
export function encodeUri(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Decodes the pairs of a query; `+` is a space. @throws CairnError `InvalidArgument` for invalid UTF-8 */
export function readQuery(query: string): [name: string, value: string][] {
  if (query === '') return []
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=')
      const [name, value] = at === -1 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
      return [decodeQuery(name), decodeQuery(value)]
    })
}

function decodeQuery(text: string): string {
  return decodeUri(text.replaceAll('+', ' '))
}

/** @throws CairnError `InvalidArgument` for invalid UTF-8, or a NUL, which databases and XML cannot represent */
export function decodeUri(text: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text)
  } catch (cause) {
    throw s3Error('InvalidArgument', 'The URL is not percent-encoded UTF-8.', {}, { cause })
  }
  if (decoded.includes('\0')) throw s3Error('InvalidArgument', 'The URL must not contain NUL.')
  return decoded
}

/**
 * Returns the canonical form of a request.
 * @param skippedParameter query parameter to omit: the signature itself
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function writeCanonicalRequest(
  request: RawRequest,
  signedHeaders: readonly string[],
  payloadHash: string,
  skippedParameter?: string,
): string {
  const query = readQuery(request.query)
    .filter(([name]) => name !== skippedParameter)
    .map(([name, value]) => [encodeUri(name), encodeUri(value)] as const)
    .sort(([a, av], [b, bv]) => (a === b ? compare(av, bv) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  const path = request.path
    .split('/')
    .map((segment) => encodeUri(decodeUri(segment)))
    .join('/')
  const headers = signedHeaders.map((name) => `${name}:${signedValue(request, name)}\n`).join('')
  return [request.method, path, query, headers, signedHeaders.join(';'), payloadHash].join('\n')
}

/** Proxies such as nginx answer `Expect` themselves and do not pass it on. It has only one value. */
function signedValue(request: RawRequest, name: string): string {
  const values = request.header(name)
  return name === 'expect' && values.length === 0 ? '100-continue' : values.map(trimHeader).join(',')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function trimHeader(value: string): string {
  return value.trim().replace(/ +/g, ' ')
}

/** Returns the SHA-256 in hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data)
}
