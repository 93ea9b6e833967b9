import { isEvmAddress, keyShardCount, normalizeIdentity } from '@cairn/protocol'
import { checksumAddress } from '../wallets/wallet.ts'

/** Fields of a message to sign for the key nodes. Times are ms since 1970; a node without a nonce has none. */
export type Challenge = {
  /** Id of the message; equal for all nodes. */
  id: string
  /** Domain of the signature. */
  domain: string
  /** Normalised. */
  address: string
  network: string
  issuedAt: number
  expiresAt: number
  /** 32 hex characters per node, in order. */
  nonces: readonly (string | undefined)[]
}

/** First words of the message, by which published clients recognise it. */
const opening = 'Please sign this message to prove you are owner of this account: '

/**
 * Formats the message that the router issues for published clients. One challenge has one text, and {@link
 * parseChallenge} accepts no other.
 */
export function writeChallenge(challenge: Challenge): string {
  const { id, domain, address, network, issuedAt, expiresAt, nonces } = challenge
  const present = nonces.map((nonce, i) => (nonce === undefined ? '-' : String(i + 1)))
  return [
    `${opening}${id}`,
    '',
    `Domain: ${domain}`,
    `Address: ${isEvmAddress(address) ? checksumAddress(address) : address}`,
    `Network: ${network}`,
    `Issued At: ${new Date(issuedAt).toISOString()}`,
    `Expires At: ${new Date(expiresAt).toISOString()}`,
    `Nodes: ${present.join(',')}`,
    `Nonce: ${nonces.map((nonce) => nonce ?? '-').join('.')}`,
    'Purpose: key-nodes',
  ].join('\n')
}

const noncePattern = /^[0-9a-f]{32}$/
const fieldsPattern = new RegExp(
  [
    `^${opening}([0-9a-f-]{36})`,
    '',
    'Domain: ([A-Za-z0-9.:\\[\\]-]{1,255})',
    'Address: ([0-9A-Za-z]{32,80})',
    'Network: ([^\\n]{1,100})',
    'Issued At: ([0-9TZ:.-]{24})',
    'Expires At: ([0-9TZ:.-]{24})',
    'Nodes: ([1-5,-]{9})',
    'Nonce: ([0-9a-f.-]{9,164})',
    'Purpose: key-nodes$',
  ].join('\n'),
)

/** Parses such a message: exactly the form that {@link writeChallenge} produces, or undefined. */
export function parseChallenge(text: string): Challenge | undefined {
  const [, id, domain, written, network, issued, expires, , joined] = fieldsPattern.exec(text) ?? []
  if (id === undefined || domain === undefined || network === undefined || joined === undefined) return undefined
  const nonces = joined.split('.').map((nonce) => (nonce === '-' ? undefined : nonce))
  if (nonces.length !== keyShardCount || nonces.some((nonce) => nonce !== undefined && !noncePattern.test(nonce)))
    return undefined
  const challenge: Challenge = {
    id,
    domain,
    address: normalizeIdentity(written),
    network,
    issuedAt: Date.parse(issued ?? ''),
    expiresAt: Date.parse(expires ?? ''),
    nonces,
  }
  if (Number.isNaN(challenge.issuedAt) || Number.isNaN(challenge.expiresAt) || challenge.address === '')
    return undefined
  return writeChallenge(challenge) === text ? challenge : undefined
}
