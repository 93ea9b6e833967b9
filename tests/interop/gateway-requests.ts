import { hash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request as openRequest } from 'node:http'

/** One request to a gateway; a `host` header requests an origin below a name. */
export type GatewayRequest = {
  path: string
  method?: string
  headers?: Record<string, string>
  /** For formats whose bytes may vary. */
  bytesMayDiffer?: boolean
}

/** The parts of a response on which two gateways must agree. */
export type ComparableAnswer = { status: number; headers: Record<string, string | undefined>; body: string }

/**
 * Sends a request to a gateway, without following redirects. Omits what gateways may choose freely: bodies of errors,
 * weak entity tags, the character set of text, the two spellings of a file name, whether a CAR declares its length and
 * name, and further security headers.
 */
export async function requestGateway(baseUrl: string, asked: GatewayRequest): Promise<ComparableAnswer> {
  const { path, method = 'GET', headers = {}, bytesMayDiffer = false } = asked
  const { hostname, port } = new URL(baseUrl)
  const request = openRequest({ hostname, port, path, method, headers, agent: false }).end()
  const [response]: IncomingMessage[] = await once(request, 'response')
  if (response === undefined) throw new Error('No answer')
  const bytes = Buffer.concat(await Array.fromAsync(response))
  const { statusCode: status = 0, headers: got } = response
  if (status !== 200 && status !== 206 && status !== 304) {
    return { status, headers: { location: got.location }, body: '' }
  }
  const shared = {
    etag: got.etag?.startsWith('W/') === true ? 'weak' : got.etag,
    cacheControl: got['cache-control'],
    path: asciiOnly(got['x-ipfs-path']),
  }
  if (status === 304) return { status, headers: shared, body: '' }
  const type = got['content-type']?.replace(/;\s*charset=utf-8$/i, '')
  const isCar = type?.startsWith('application/vnd.ipld.car') === true
  const stated = {
    ...shared,
    roots: asciiOnly(got['x-ipfs-roots']),
    type,
    range: got['content-range'],
    length: isCar ? undefined : got['content-length'],
    disposition: isCar ? undefined : nameInDisposition(got['content-disposition']),
  }
  return { status, headers: stated, body: bytesMayDiffer ? '' : `${bytes.length} bytes, ${hash('sha256', bytes)}` }
}

/** A header cannot carry other characters in a way that all readers interpret alike. */
function asciiOnly(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && /^[\x20-\x7e]*$/.test(value) ? value : undefined
}

/**
 * Returns the kind and the name, from the encoded spelling if there is one. @see https://www.rfc-editor.org/rfc/rfc6266
 */
function nameInDisposition(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const encoded = /filename\*=UTF-8''([^;]*)/i.exec(value)?.[1]
  const plain = /filename="([^"]*)"/i.exec(value)?.[1]
  return `${value.split(';')[0]}: ${encoded === undefined ? plain : decodeURIComponent(encoded)}`
}
