import { type Challenge, parseChallenge, parseSignIn } from '@cairn/crypto'
import { clockSkewMs, keySaveLifetimeMs } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { isOwnNonce } from './nonces.ts'

/** A text that somebody signed, as this node checked it by itself. */
export type CheckedChallenge = Challenge & {
  text: string
  /** did:key that the session is to be bound to, where the text names one. */
  sessionKey: string | undefined
}

/**
 * Reads a text and checks all that needs no signature: its form, its address, that it is for this network and a domain of
 * the operator's, this node's own nonce in it. `expired` where only its time is over, `early` where it has yet to come.
 * @param ageMs how long ago it may have been issued
 */
export function readChallenge(
  context: Context,
  address: string,
  text: string,
  ageMs: number,
): CheckedChallenge | 'expired' | 'early' | undefined {
  const { config, clock } = context
  const signIn = parseSignIn(text)
  const challenge = signIn ?? parseChallenge(text)
  if (challenge === undefined || challenge.address !== address) return undefined
  if (challenge.network !== config.networkName || !isKnownDomain(context, challenge.domain)) return undefined
  if (signIn === undefined && !config.legacyBearer) return undefined
  if (!isOwnNonce(context, challenge, challenge.nonces[config.node - 1])) return undefined
  const now = clock.now()
  if (challenge.expiresAt - challenge.issuedAt > keySaveLifetimeMs) return undefined
  if (challenge.issuedAt > now + clockSkewMs) return 'early'
  if (challenge.expiresAt < now || challenge.issuedAt + ageMs < now) return 'expired'
  return { ...challenge, text, sessionKey: signIn?.sessionKey }
}

/** Domains are those the operator names; the node's own host always counts. */
export function isKnownDomain({ config }: Context, domain: string): boolean {
  const own = config.publicUrl === undefined ? `${config.host}:${config.port}` : new URL(config.publicUrl).host
  return config.domains.includes(domain) || domain === own
}
