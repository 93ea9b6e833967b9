import type { SessionKey } from '@cairn/crypto'
import type { NodeSession } from '@cairn/protocol'

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
