import {
  chainFamilies,
  familyFacts,
  familyOfAddress,
  isEvmAddress,
  keyShardCount,
  latestTimeMs,
  normalizeIdentity,
  writeKeyExpiry,
} from '@cairn/protocol'
import { checksumAddress } from '../wallets/wallet.ts'
import type { Challenge } from './challenge.ts'

/** Fields of a sign-in: a challenge, and the key that signs the requests of the session. */
export type SignIn = Challenge & {
  /** did:key of an Ed25519 key. */
  sessionKey: string
  /** 32 hex characters of the storage service; absent if the message is not for it. */
  storageNonce?: string | undefined
  /** Scopes and expiry of the API key of the storage service; absent in messages of older clients. */
  apiKey?: { scopes: readonly string[]; expiresAt: number | null } | undefined
}

const missing = '0'.repeat(32)

function family(address: string): string {
  return familyFacts[familyOfAddress(address) ?? 'solana'].name
}

/**
 * Lists the rights of each party that issued a nonce; other parties are not named, and reject a message that does not
 * name them.
 */
function listResources({ network, storageNonce, nonces, apiKey }: SignIn): string[] {
  const base = `cairn:${encodeURIComponent(network)}`
  const grant =
    apiKey === undefined ? '' : `?scopes=${apiKey.scopes.join(',')}&expires=${writeKeyExpiry(apiKey.expiresAt)}`
  return [
    ...(storageNonce === undefined ? [] : [`- ${base}/storage/api-key${grant}`]),
    ...nonces.flatMap((nonce, i) => (nonce === undefined ? [] : [`- ${base}/key-nodes/${i + 1}/session`])),
  ]
}

/**
 * Formats a sign-in for the storage service, the key nodes or all of them, as wallets show it: each named party issued
 * its own nonce. One sign-in has one text, and {@link parseSignIn} accepts no other.
 * @see https://eips.ethereum.org/EIPS/eip-4361
 */
export function writeSignIn(signIn: SignIn): string {
  const { id, domain, address, network, issuedAt, expiresAt, nonces, storageNonce, sessionKey } = signIn
  return [
    `${domain} wants you to sign in with your ${family(address)} account:`,
    isEvmAddress(address) ? checksumAddress(address) : address,
    '',
    `Sign in to ${network}, at the services named below. This is no transaction and costs nothing.`,
    '',
    `URI: ${sessionKey}`,
    'Version: 1',
    'Chain ID: 1',
    `Nonce: ${[storageNonce, ...nonces].map((nonce) => nonce ?? missing).join('')}`,
    `Issued At: ${new Date(issuedAt).toISOString()}`,
    `Expiration Time: ${new Date(expiresAt).toISOString()}`,
    `Request ID: ${id}`,
    'Resources:',
    ...listResources(signIn),
  ].join('\n')
}

const fieldsPattern = new RegExp(
  [
    `^([A-Za-z0-9.:\\[\\]-]{1,255}) wants you to sign in with your (?:${chainFamilies.map((name) => familyFacts[name].name).join('|')}) account:`,
    '([0-9A-Za-z]{32,80})',
    '',
    'Sign in to ([^\\n]{1,100}), at the services named below\\. This is no transaction and costs nothing\\.',
    '',
    'URI: (did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{40,50})',
    'Version: 1',
    'Chain ID: 1',
    `Nonce: ([0-9a-f]{${32 * (keyShardCount + 1)}})`,
    'Issued At: ([0-9TZ:.-]{24})',
    'Expiration Time: ([0-9TZ:.-]{24})',
    'Request ID: ([0-9a-f-]{36})',
    'Resources:(?:\\n|$)',
  ].join('\n'),
)

const grantPattern =
  /\n- cairn:[^\n?]*\/storage\/api-key\?scopes=([a-z:,-]{1,200})&expires=(never|[0-9TZ:.-]{24})(?:\n|$)/

function readGrant(text: string): SignIn['apiKey'] {
  const [, scopes, expires] = grantPattern.exec(text) ?? []
  if (scopes === undefined || expires === undefined) return undefined
  const expiresAt = expires === 'never' ? null : Date.parse(expires)
  // A time out of range is never ours: formatting it again would give another text.
  return expiresAt !== null && !(expiresAt <= latestTimeMs) ? undefined : { scopes: scopes.split(','), expiresAt }
}

/** Parses such a message: exactly the form that {@link writeSignIn} produces, or undefined. */
export function parseSignIn(text: string): SignIn | undefined {
  const [, domain, written, network, sessionKey, joined = '', issued, expires, id] = fieldsPattern.exec(text) ?? []
  if (domain === undefined || network === undefined || sessionKey === undefined || id === undefined) return undefined
  const [storageNonce, ...nonces] = Array.from({ length: keyShardCount + 1 }, (_party, i) => {
    const nonce = joined.slice(32 * i, 32 * (i + 1))
    return nonce === missing ? undefined : nonce
  })
  const apiKey = readGrant(text)
  const signIn: SignIn = {
    id,
    domain,
    address: normalizeIdentity(written),
    network,
    issuedAt: Date.parse(issued ?? ''),
    expiresAt: Date.parse(expires ?? ''),
    nonces,
    sessionKey,
    storageNonce,
    ...(apiKey === undefined ? {} : { apiKey }),
  }
  if (Number.isNaN(signIn.issuedAt) || Number.isNaN(signIn.expiresAt) || signIn.address === '') return undefined
  // A lone surrogate cannot be encoded in a URI.
  return network.isWellFormed() && writeSignIn(signIn) === text ? signIn : undefined
}
