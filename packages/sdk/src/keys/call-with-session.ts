import { CairnError, type CallDefinition, type CallInput, type CallResult } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type KeySession, lackingNodes, requireOpen } from '../key-session.ts'
import { throwIfAborted } from '../throw-if-aborted.ts'
import { callKeyNode, type NodeCallOptions } from './call-node.ts'
import { withToken } from './session.ts'

/**
 * Returns the session of a client.
 * @throws CairnError NO_SESSION, SESSION_EXPIRED for one that is closing
 */
export function sessionOf({ keySession }: Client): KeySession {
  if (keySession === undefined) throw new CairnError('NO_SESSION')
  requireOpen(keySession)
  return keySession
}

/**
 * Makes one call to a node with the session of the client. If the session lacks the node, a client with a signer signs
 * in there again first.
 * @throws CairnError as {@link callKeyNode}, NO_SESSION, SESSION_EXPIRED
 */
export async function callWithSession<C extends CallDefinition>(
  client: Client,
  definition: C,
  node: number,
  input: CallInput<C>,
  options: Pick<NodeCallOptions, 'signal' | 'timeoutMs'> = {},
): Promise<CallResult<C>> {
  const session = sessionOf(client)
  const { sessionKey: key } = session
  const callOnce = () =>
    withToken(
      client,
      session,
      node,
      (token) => callKeyNode(client, definition, node, input, { ...options, token, proveWith: { key, token } }),
      options.signal,
    )
  try {
    return await callOnce()
  } catch (error) {
    if (client.signer === undefined || !lackingNodes(session).includes(node)) throw error
    // The call was given up, or the session closed during it: no wallet is asked.
    throwIfAborted(options.signal)
    requireOpen(session)
    const { restorePart } = await import('./restore-part.ts')
    await restorePart(client, session, client.signer, node, options.signal)
    return callOnce()
  }
}
