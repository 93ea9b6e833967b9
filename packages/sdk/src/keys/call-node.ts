import { proofHeader, type SessionKey } from '@cairn/crypto'
import {
  CairnError,
  type CallDefinition,
  type CallInput,
  type CallResult,
  keyShardCount,
  withoutTrailing,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { describeCall, openResponse, parseAnswer, readText, type Send } from '../request.ts'
import { loadSessionTools } from './load-session-tools.ts'

/** The numbers of the key nodes. */
export const nodeNumbers: readonly number[] = Array.from({ length: keyShardCount }, (_node, i) => i + 1)

const maxAnswerBytes = 1024 * 1024

export type NodeCallOptions = {
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  token?: string
  /** Signs the request for this node with a session key. */
  proveWith?: { key: SessionKey; token: string }
}

/**
 * Returns the URL of a node.
 * @throws CairnError NO_KEY_NODES
 */
function urlOf({ network }: Client, node: number): string {
  const url = network.keyNodes?.[node - 1]
  if (url === undefined || network.keyNodes?.length !== keyShardCount) throw new CairnError('NO_KEY_NODES')
  return withoutTrailing(url, '/')
}

/**
 * Makes one call to a node at its own address, without a router.
 * @throws CairnError the call's own codes, NETWORK_ERROR, TIMEOUT, ABORTED, NO_KEY_NODES
 */
export async function callKeyNode<C extends CallDefinition>(
  client: Client,
  definition: C,
  node: number,
  input: CallInput<C>,
  { token, proveWith, ...options }: NodeCallOptions = {},
): Promise<CallResult<C>> {
  const send: Send = describeCall(client, definition, input, options, urlOf(client, node))
  const headers = { ...send.headers }
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`
  if (proveWith !== undefined) {
    const { pathname, search } = new URL(send.url)
    const body = typeof send.body === 'string' ? send.body : ''
    const { proveRequest } = await loadSessionTools()
    const request = { method: send.method, path: pathname + search, node, body, token: proveWith.token }
    headers[proofHeader] = await proveRequest(request, proveWith.key, Date.now())
  }
  const response = await openResponse(client, { ...send, headers })
  return parseAnswer(definition, await readText(response, maxAnswerBytes, options.signal))
}
