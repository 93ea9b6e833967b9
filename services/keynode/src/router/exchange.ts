import { findSignedTexts } from '@cairn/crypto'
import {
  CairnError,
  keyChallengeLifetimeMs,
  keySaveLifetimeMs,
  keyShardThreshold,
  type NodeSession,
  openSession,
  renewSession,
  restoreError,
} from '@cairn/protocol'
import { contractChecksPerMinute, rateLimitKey } from '@cairn/service'
import { countSignature } from '../sessions/signature-rate.ts'
import { openBundle } from './bundle.ts'
import type { RouterContext } from './context.ts'
import { callNode, type NodeTarget } from './node-client.ts'

/** Result per node, in order. */
type Outcome = { session: NodeSession } | { error: CairnError }

/**
 * Exchanges a signature for a session with every node concurrently, which spends the signature.
 * @param signed with `use` when the session is only for saving keys: the text may then be older
 * @throws CairnError INVALID_SIGNATURE, KEY_NODES_UNAVAILABLE unless three nodes opened one
 */
export async function exchangeSignature(
  context: RouterContext,
  { ip, ...signed }: { address: string; signature: string; chain: string; use?: 'save'; ip: string },
): Promise<(NodeSession | undefined)[]> {
  const { address, signature, use } = signed
  const ageMs = use === 'save' ? keySaveLifetimeMs : keyChallengeLifetimeMs
  countSignature(context.rates, ip)
  const { isKeys, texts: messages } = findSignedTexts(address, context.issued.of(address, ageMs), signature)
  if (messages.length === 0) throw new CairnError('INVALID_SIGNATURE')
  // A signature that is not a key's makes five nodes query chains.
  if (!isKeys) context.rates.consume(`contract ${rateLimitKey(ip)}`, contractChecksPerMinute.atRouter)
  const outcomes = await queryAll(
    context,
    (target, node, late) =>
      callNode(target, openSession, { params: { node }, body: { ...signed, messages } }, { ip, signal: late }),
    patienceMs,
  )
  const sessions = requireEnough(outcomes)
  const ids = sessions.flatMap((session) => session?.challengeId ?? [])
  // A single node must not decide which texts are spent: it could end those of others.
  const spent = ids.find((id) => ids.filter((other) => other === id).length >= keyShardThreshold)
  if (spent !== undefined) context.issued.spend(address, spent)
  return sessions
}

/** A node's part after a renewal: new tokens or, when the node was unavailable, its still valid refresh token. */
export type RenewedPart = { token?: string; refreshToken?: string }

/**
 * Renews the sessions of a bundle of refresh tokens. An unavailable node keeps its old refresh token in the bundle
 * and takes part again later; one that rejects loses its part.
 * @throws CairnError INVALID_SIGNATURE, KEY_NODES_UNAVAILABLE unless three nodes renewed theirs
 */
export async function renewBundle(
  context: RouterContext,
  { address, refreshToken, ip }: { address: string; refreshToken: string; ip: string },
): Promise<RenewedPart[]> {
  const tokens = openBundle('r:', refreshToken)
  if (tokens === undefined || tokens.filter((token) => token !== undefined).length < keyShardThreshold)
    throw new CairnError('INVALID_SIGNATURE')
  const outcomes = await queryAll(
    context,
    (target, node, signal) => {
      const own = tokens[Number(node) - 1]
      // Not in the bundle since the session was opened, so its result does not count.
      if (own === undefined) throw new CairnError('KEY_NODES_UNAVAILABLE')
      return callNode(target, renewSession, { params: { node }, body: { address, refreshToken: own } }, { ip, signal })
    },
    renewalPatienceMs,
  )
  requireEnough(outcomes)
  return outcomes.map((outcome, i) => {
    if ('session' in outcome) return outcome.session
    const own = tokens[i]
    return outcome.error.retry && own !== undefined ? { refreshToken: own } : {}
  })
}

/** Once three nodes have answered, slower nodes than this are left out. */
export const patienceMs = 2_000
/**
 * The same for renewals. A node that renews later loses its part of the session, so they wait for longer, but not as long as
 * the client: it would lose what the other nodes renewed.
 */
const renewalPatienceMs = 4_000

type Ask = (target: NodeTarget, node: string, signal: AbortSignal) => Promise<NodeSession>

/**
 * Queries all nodes concurrently.
 * @param lateMs how long to wait for the others once three have succeeded
 */
async function queryAll(context: RouterContext, ask: Ask, lateMs: number): Promise<Outcome[]> {
  const stop = new AbortController()
  let opened = 0
  let timer: NodeJS.Timeout | undefined
  const outcomes = await Promise.all(
    context.nodes.map(async (target, i): Promise<Outcome> => {
      try {
        const session = await ask(target, String(i + 1), stop.signal)
        opened++
        if (opened === keyShardThreshold) timer = setTimeout(() => stop.abort(), lateMs)
        return { session }
      } catch (error) {
        return { error: CairnError.from(error) }
      }
    }),
  )
  clearTimeout(timer)
  return outcomes
}

/** A rejection is more informative than a missing answer. */
function requireEnough(outcomes: readonly Outcome[]): (NodeSession | undefined)[] {
  const sessions = outcomes.map((outcome) => ('session' in outcome ? outcome.session : undefined))
  if (sessions.filter((session) => session !== undefined).length >= keyShardThreshold) return sessions
  const errors = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []))
  const refusal = errors.find(({ code }) => code !== 'KEY_NODES_UNAVAILABLE' && code !== 'INTERNAL')
  if (refusal === undefined) throw new CairnError('KEY_NODES_UNAVAILABLE', { cause: errors[0] })
  const { code, hint, retryAfterSeconds } = refusal
  throw restoreError(code === 'CHALLENGE_EXPIRED' ? 'INVALID_SIGNATURE' : code, {
    hint,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    cause: refusal,
  })
}
