import { type LookupAddress, lookup as lookUpName } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { CairnError } from '@cairn/protocol'
import { matchAddresses } from '../match-addresses.ts'
import { beginRequest, receiveResponse } from '../node-http.ts'

/** Networks that are not part of the public internet. @see https://www.iana.org/assignments/iana-ipv4-special-registry/ */
const reservedNetworks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]

/** The public IPv6 networks. Those listed below tunnel or translate to IPv4 addresses. */
const publicNetworks6 = ['2000::/3']
const translatedNetworks6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const isReserved4 = matchAddresses(reservedNetworks)
const isPublic6 = matchAddresses(publicNetworks6)
const isTranslated6 = matchAddresses(translatedNetworks6)

/** Returns whether an IP address belongs to the public internet. Returns false for any other text. */
export function isPublicAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
  const version = isIP(mapped)
  if (version === 4) return !isReserved4(mapped)
  return version === 6 && isPublic6(mapped) && !isTranslated6(mapped)
}

/** Options of a request to another server. */
export type OutsideRequest = {
  method?: 'GET' | 'POST' | 'PUT'
  headers?: Readonly<Record<string, string>>
  body?: Uint8Array | string
  signal: AbortSignal
  /** Whether private addresses are allowed, because an operator configured the server. */
  allowsPrivate: boolean
}

/**
 * Sends a request to a URL from a user; all such requests must use this function. Rejects addresses that are not public.
 * Checks the addresses that it connects to, so that a host name cannot change between check and use. Does not follow
 * redirects.
 *
 * @returns the response with an unread body; the caller reads or destroys it
 * @throws CairnError ADDRESS_NOT_ALLOWED; errors of the connection, unchanged; Error if it ends without a response
 */
export async function requestOutside(
  url: URL,
  { method = 'GET', headers = {}, body, signal, allowsPrivate }: OutsideRequest,
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // Node does not call `lookup` for an IP address.
  if (isIP(host) !== 0 && !allowsPrivate && !isPublicAddress(host)) throw notAllowed(host)
  const sent = beginRequest(url, {
    method,
    headers,
    signal,
    // A pooled connection may have been opened with other options.
    agent: false,
    ...(allowsPrivate ? {} : { lookup: lookUpPublic }),
  })
  sent.end(body)
  return receiveResponse(sent)
}

/** Resolves a name. Fails if any of its addresses is not public. */
const lookUpPublic: LookupFunction = (name, options, done) => {
  lookUpName(name, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, '')
    const [first] = addresses
    if (first === undefined || !areAllPublic(addresses)) return done(notAllowed(name), '')
    return options.all ? done(null, addresses) : done(null, first.address, first.family)
  })
}

/** Whether all addresses of a name are public. With one that is not, the connection could go there. */
export function areAllPublic(addresses: readonly LookupAddress[]): boolean {
  return addresses.every(({ address }) => isPublicAddress(address))
}

/** Contains only the host, so that callers do not learn the private addresses of names. */
function notAllowed(host: string): CairnError {
  return new CairnError('ADDRESS_NOT_ALLOWED', { message: `${host} is not on the public internet`, details: { host } })
}
