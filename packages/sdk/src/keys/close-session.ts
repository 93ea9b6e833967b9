import { type CairnError, closeSession } from '@cairn/protocol'
import type { Client } from '../client.ts'
import type { KeySession } from '../key-session.ts'
import { throwIfAborted } from '../throw-if-aborted.ts'
import { callKeyNode } from './call-node.ts'
import { withToken } from './session.ts'
import { settleNodes } from './settle-nodes.ts'

/** Nodes where a session is closed, and where it is still open. */
export type ClosedKeySession = {
  closed: number[]
  /** Nodes that were unreachable: the session stays open there until it is closed again or expires. */
  open: { node: number; error: CairnError }[]
}

/**
 * Closes a session on every reachable node. The session keeps the tokens of the other nodes, for closing only: store
 * it, and close it again when they return.
 * @throws CairnError NO_KEY_NODES, ABORTED
 */
export async function closeKeySession(
  client: Client,
  session: KeySession,
  { signal }: { signal?: AbortSignal } = {},
): Promise<ClosedKeySession> {
  session.isClosing = true
  // A session renewed here closes right after, so callers need not store it.
  const quiet = { ...client, onKeySession: undefined }
  const parts = session.nodes.flatMap((part, i) => (part === null ? [] : [i + 1]))
  const { sessionKey: key } = session
  const answers = await settleNodes(parts, (node) => {
    const input = { params: { node: String(node) } }
    return withToken(
      quiet,
      session,
      node,
      (token) => callKeyNode(client, closeSession, node, input, { token, proveWith: { key, token }, signal }),
      signal,
    )
  })
  const open: ClosedKeySession['open'] = []
  for (const [i, node] of parts.entries()) {
    const answer = answers[i]
    if (answer !== undefined && 'error' in answer && answer.error.code !== 'SESSION_EXPIRED') {
      if (answer.error.code === 'NO_KEY_NODES') throw answer.error
      open.push({ node, error: answer.error })
    } else session.nodes[node - 1] = null
  }
  throwIfAborted(signal)
  return { closed: parts.filter((node) => !open.some((one) => one.node === node)), open }
}
