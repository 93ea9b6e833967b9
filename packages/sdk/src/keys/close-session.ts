import { CairnError, closeSession } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { askNodes } from './ask-nodes.ts'
import { callKeyNode } from './call-node.ts'
import { type KeySession, withToken } from './session.ts'

/** Where a session is over, and where it is not yet. */
export type ClosedKeySession = {
  closed: number[]
  /** Nodes that could not be reached: it is open there until it is closed again, or its time is over. */
  open: { node: number; error: CairnError }[]
}

/**
 * Ends a session on every node that can be reached. The tokens of the others stay in the session, which is good for nothing
 * else any more: keep it, and close it again when they are back.
 * @throws CairnError NO_KEY_NODES, ABORTED
 */
export async function closeKeySession(
  client: Client,
  session: KeySession,
  { signal }: { signal?: AbortSignal } = {},
): Promise<ClosedKeySession> {
  session.isClosing = true
  // What is renewed on the way is over at once: nobody has to keep it.
  const quiet = { ...client, onKeySession: undefined }
  const parts = session.nodes.flatMap((part, i) => (part === null ? [] : [i + 1]))
  const { sessionKey: key } = session
  const answers = await askNodes(parts, (node) => {
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
  if (signal?.aborted) throw new CairnError('ABORTED', { cause: signal.reason })
  return { closed: parts.filter((node) => !open.some((one) => one.node === node)), open }
}
