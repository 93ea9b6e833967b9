import { CairnError, type CallDefinition, type CallInput, type CallResult } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { callKeyNode, type NodeCallOptions } from './call-node.ts'
import { type KeySession, withToken } from './session.ts'

/** The session of a client. @throws CairnError NO_SESSION, SESSION_EXPIRED for one that is being closed */
export function sessionOf({ keySession }: Client): KeySession {
  if (keySession === undefined) throw new CairnError('NO_SESSION')
  if (keySession.isClosing) throw new CairnError('SESSION_EXPIRED', { message: 'This session was closed' })
  return keySession
}

/** Makes one call at one node with the client's session. @throws CairnError as {@link callKeyNode}, NO_SESSION, SESSION_EXPIRED */
export async function callWithSession<C extends CallDefinition>(
  client: Client,
  definition: C,
  node: number,
  input: CallInput<C>,
  options: Pick<NodeCallOptions, 'signal' | 'timeoutMs'> = {},
): Promise<CallResult<C>> {
  const session = sessionOf(client)
  const { sessionKey: key } = session
  return withToken(
    client,
    session,
    node,
    (token) => callKeyNode(client, definition, node, input, { ...options, token, proveWith: { key, token } }),
    options.signal,
  )
}
