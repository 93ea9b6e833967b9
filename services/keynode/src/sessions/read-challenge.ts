import { type Challenge, parseChallenge, parseSignIn } from '@cairn/crypto'
import { clockSkewMs, keySaveLifetimeMs } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { isBeforeRestore } from './after-restore.ts'
import { isOwnNonce } from './nonces.ts'

/** A signed text as validated by this node. */
export type CheckedChallenge = Challenge & {
  text: string
  /** did:key that the session is bound to, if the text names one. */
  sessionKey: string | undefined
}

/**
 * Parses a text and checks everything except its signature: its form, its address, its network and domain, and this
 * node's own nonce. `expired` when only its time has passed, `early` when it has not come yet.
 * @param ageMs maximum age of the text
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
  if (isBeforeRestore(context, challenge.issuedAt)) return 'expired'
  if (challenge.expiresAt < now || challenge.issuedAt + ageMs < now) return 'expired'
  return { ...challenge, text, sessionKey: signIn?.sessionKey }
}

/** Accepts the configured domains and the node's own host. */
export function isKnownDomain({ config }: Context, domain: string): boolean {
  const own = config.publicUrl === undefined ? `${config.host}:${config.port}` : new URL(config.publicUrl).host
  return config.domains.includes(domain) || domain === own
}
