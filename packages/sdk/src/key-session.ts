import type { SessionKey } from '@cairn/crypto'
import { CairnError, type NodeSession } from '@cairn/protocol'

/**
 * A session with the key nodes: one token per node, bound to a key that only this machine has, so that neither a node
 * nor an intermediary can use a token it sees. Plain data: store it as a secret, and pass it to `createClient` again.
 */
export type KeySession = {
  address: string
  sessionKey: SessionKey
  /** In the order of the nodes; null for a node that did not answer when the session was opened. */
  nodes: (NodeSession | null)[]
  /** Nodes that are not part of the session, with the reason. */
  failures?: { node: number; code: string; message: string; hint: string }[]
  /** Whether the session is closed on the reachable nodes. The remaining tokens only serve to close it on the others. */
  isClosing?: boolean
}

/** Returns the nodes that a session cannot call: they did not answer when it was opened, or no longer know it. */
export function lackingNodes({ nodes }: Pick<KeySession, 'nodes'>): number[] {
  const now = Date.now()
  return nodes.flatMap((part, i) => (part === null || part.refreshExpiresAt <= now ? [i + 1] : []))
}

/** @throws CairnError SESSION_EXPIRED once the session was closed, also if some nodes do not know it yet */
export function requireOpen({ isClosing }: Pick<KeySession, 'isClosing'>): void {
  if (isClosing) throw new CairnError('SESSION_EXPIRED', { message: 'The session was closed' })
}

/** Describes why a node is not part of a session. */
export function describeFailure(
  node: number,
  { code, message, hint }: CairnError,
): NonNullable<KeySession['failures']>[number] {
  return { node, code, message, hint }
}

/** Replaces the reasons why these nodes are not part of a session. */
export function noteFailures(
  session: KeySession,
  nodes: readonly number[],
  failures: NonNullable<KeySession['failures']>,
): void {
  const others = session.failures?.filter(({ node }) => !nodes.includes(node)) ?? []
  const all = [...others, ...failures].sort((a, b) => a.node - b.node)
  if (all.length > 0) session.failures = all
  else delete session.failures
}
