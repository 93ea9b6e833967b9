import { isCoreumAddress, isEvmAddress, keyShardCount, normalizeIdentity } from '@cairn/protocol'
import type { Challenge } from './challenge.ts'
import { checksumAddress } from './wallet.ts'

/** What a sign-in says: a challenge, and the key that the session's requests will be signed with. */
export type SignIn = Challenge & {
  /** did:key of an Ed25519 key. */
  sessionKey: string
}

const missing = '0'.repeat(32)

function family(address: string): string {
  return isEvmAddress(address) ? 'Ethereum' : isCoreumAddress(address) ? 'Coreum' : 'Solana'
}

/**
 * The text of a sign-in with the key nodes, as wallets show it. One sign-in has one text, and {@link parseSignIn} reads no
 * other.
 * @see https://eips.ethereum.org/EIPS/eip-4361
 */
export function writeSignIn(signIn: SignIn): string {
  const { id, domain, address, network, issuedAt, expiresAt, nonces, sessionKey } = signIn
  return [
    `${domain} wants you to sign in with your ${family(address)} account:`,
    isEvmAddress(address) ? checksumAddress(address) : address,
    '',
    `Open a session with the key nodes of ${network}.`,
    '',
    `URI: ${sessionKey}`,
    'Version: 1',
    'Chain ID: 1',
    `Nonce: ${nonces.map((nonce) => nonce ?? missing).join('')}`,
    `Issued At: ${new Date(issuedAt).toISOString()}`,
    `Expiration Time: ${new Date(expiresAt).toISOString()}`,
    `Request ID: ${id}`,
  ].join('\n')
}

const fieldsPattern = new RegExp(
  [
    '^([A-Za-z0-9.:\\[\\]-]{1,255}) wants you to sign in with your (?:Ethereum|Solana|Coreum) account:',
    '([0-9A-Za-z]{32,80})',
    '',
    'Open a session with the key nodes of ([^\\n]{1,100})\\.',
    '',
    'URI: (did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{40,50})',
    'Version: 1',
    'Chain ID: 1',
    'Nonce: ([0-9a-f]{160})',
    'Issued At: ([0-9TZ:.-]{24})',
    'Expiration Time: ([0-9TZ:.-]{24})',
    'Request ID: ([0-9a-f-]{36})$',
  ].join('\n'),
)

/** Reads such a text: exactly the form that is written, or undefined. */
export function parseSignIn(text: string): SignIn | undefined {
  const [, domain, written, network, sessionKey, joined, issued, expires, id] = fieldsPattern.exec(text) ?? []
  if (domain === undefined || network === undefined || sessionKey === undefined || id === undefined) return undefined
  const nonces = Array.from({ length: keyShardCount }, (_node, i) => joined?.slice(32 * i, 32 * (i + 1)))
  const signIn: SignIn = {
    id,
    domain,
    address: normalizeIdentity(written),
    network,
    issuedAt: Date.parse(issued ?? ''),
    expiresAt: Date.parse(expires ?? ''),
    nonces: nonces.map((nonce) => (nonce === missing ? undefined : nonce)),
    sessionKey,
  }
  if (Number.isNaN(signIn.issuedAt) || Number.isNaN(signIn.expiresAt) || signIn.address === '') return undefined
  return writeSignIn(signIn) === text ? signIn : undefined
}
