import { findSignedTexts } from '@cairn/crypto'
import {
  CairnError,
  keyChallengeLifetimeMs,
  keySaveLifetimeMs,
  keyShardThreshold,
  type NodeSession,
  openSession,
  renewSession,
} from '@cairn/protocol'
import { contractChecksPerMinute, nameAsker } from '@cairn/service'
import { countSignature } from '../sessions/signature-rate.ts'
import { callNode, type NodeTarget } from './ask-node.ts'
import { openBundle } from './bundle.ts'
import type { RouterContext } from './context.ts'

/** What each node answered, in order. */
type Outcome = { session: NodeSession } | { error: CairnError }

/**
 * Exchanges a signature for a session with every node at once; the signature is dead from then on.
 * @param signed with `use` where the session is for saving keys alone: the text may be older then
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
  // What a key did not sign makes five nodes ask chains.
  if (!isKeys) context.rates.take(`contract ${nameAsker(ip)}`, contractChecksPerMinute.atRouter)
  const outcomes = await askAll(
    context,
    (target, node, late) =>
      callNode(target, openSession, { params: { node }, body: { ...signed, messages } }, { ip, signal: late }),
    patienceMs,
  )
  const sessions = requireEnough(outcomes)
  const ids = sessions.flatMap((session) => session?.challengeId ?? [])
  // One node alone says nothing about texts: it could end those of others.
  const spent = ids.find((id) => ids.filter((other) => other === id).length >= keyShardThreshold)
  if (spent !== undefined) context.issued.spend(address, spent)
  return sessions
}

/** What a renewal leaves of one node's part: new tokens, or, where the node was away, the refresh token that it still takes. */
export type RenewedPart = { token?: string; refreshToken?: string }

/**
 * Renews the sessions of a bundle of refresh tokens. A node that is away keeps its old refresh token in the bundle, so that
 * it has its part again once it is back; one that refuses loses it.
 * @throws CairnError INVALID_SIGNATURE, KEY_NODES_UNAVAILABLE unless three nodes renewed theirs
 */
export async function renewBundle(
  context: RouterContext,
  { address, refreshToken, ip }: { address: string; refreshToken: string; ip: string },
): Promise<RenewedPart[]> {
  const tokens = openBundle('r:', refreshToken)
  if (tokens === undefined || tokens.filter((token) => token !== undefined).length < keyShardThreshold)
    throw new CairnError('INVALID_SIGNATURE')
  const outcomes = await askAll(context, (target, node, signal) => {
    const own = tokens[Number(node) - 1]
    // Left out of the bundle when the session was opened: it takes no side.
    if (own === undefined) throw new CairnError('KEY_NODES_UNAVAILABLE')
    return callNode(target, renewSession, { params: { node }, body: { address, refreshToken: own } }, { ip, signal })
  })
  requireEnough(outcomes)
  return outcomes.map((outcome, i) => {
    if ('session' in outcome) return outcome.session
    const own = tokens[i]
    return outcome.error.retry && own !== undefined ? { refreshToken: own } : {}
  })
}

/** Nodes that are slower than this, once three have opened a session, have no part in it. */
const patienceMs = 2_000

type Ask = (target: NodeTarget, node: string, signal: AbortSignal) => Promise<NodeSession>

/**
 * Asks all nodes at once.
 * @param lateMs how long the others are waited for once three have answered rightly; each as long as any call where absent
 */
async function askAll(context: RouterContext, ask: Ask, lateMs?: number): Promise<Outcome[]> {
  const stop = new AbortController()
  let opened = 0
  let timer: NodeJS.Timeout | undefined
  const outcomes = await Promise.all(
    context.nodes.map(async (target, i): Promise<Outcome> => {
      try {
        const session = await ask(target, String(i + 1), stop.signal)
        opened++
        if (opened === keyShardThreshold && lateMs !== undefined) timer = setTimeout(() => stop.abort(), lateMs)
        return { session }
      } catch (error) {
        return { error: CairnError.from(error) }
      }
    }),
  )
  clearTimeout(timer)
  return outcomes
}

/** A node that refuses says more than one that is silent. */
function requireEnough(outcomes: readonly Outcome[]): (NodeSession | undefined)[] {
  const sessions = outcomes.map((outcome) => ('session' in outcome ? outcome.session : undefined))
  if (sessions.filter((session) => session !== undefined).length >= keyShardThreshold) return sessions
  const errors = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []))
  const refusal = errors.find(({ code }) => code !== 'KEY_NODES_UNAVAILABLE' && code !== 'INTERNAL')
  if (refusal === undefined) throw new CairnError('KEY_NODES_UNAVAILABLE', { cause: errors[0] })
  const { code, hint, retryAfterSeconds } = refusal
  throw new CairnError(code === 'CHALLENGE_EXPIRED' ? 'INVALID_SIGNATURE' : code, {
    hint,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    cause: refusal,
  })
}
