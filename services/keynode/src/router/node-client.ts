import {
  CairnError,
  type CallDefinition,
  type CallInput,
  type CallResult,
  callPath,
  callTimeoutMs,
  decodeError,
  getHealth,
} from '@cairn/protocol'
import { type Dependency, type ServerAnswer, sendRequest, traceHeaders } from '@cairn/service'
import * as v from 'valibot'

/** A key node, and the record of its availability. */
export type NodeTarget = { readonly url: string; readonly dependency: Dependency }

/** A node's answer, unparsed. */
export type NodeAnswer = Pick<ServerAnswer, 'status' | 'header'> & { body: string }

/** A request to a node. */
export type NodeRequest = {
  method: string
  /** Path and query. */
  path: string
  headers?: Record<string, string>
  body?: string | undefined
  signal?: AbortSignal | undefined
  timeoutMs?: number
}

const maxAnswerBytes = 1024 * 1024

/** Names the client of a forwarded request: nodes that trust the router count rates by it, others by the router. */
export function forwardedFor(ip: string): Record<string, string> {
  return { 'x-forwarded-for': ip }
}

/**
 * Sends a request to a node and reads the whole answer.
 * @throws CairnError KEY_NODES_UNAVAILABLE when it is down, slow, redirects, or sends too many bytes
 */
export async function sendToNode({ url, dependency }: NodeTarget, request: NodeRequest): Promise<NodeAnswer> {
  const { method, path, headers = {}, body, signal, timeoutMs = callTimeoutMs } = request
  const limit = AbortSignal.timeout(timeoutMs)
  try {
    const answer = await sendRequest(new URL(`${url}${path}`), {
      method,
      headers: { ...headers, ...traceHeaders() },
      body,
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      maxAnswerBytes,
    })
    dependency.succeeded()
    return { status: answer.status, header: answer.header, body: new TextDecoder().decode(answer.body) }
  } catch (cause) {
    const error = nodeDown(cause)
    // A disconnected caller says nothing about the node.
    if (signal?.aborted !== true) dependency.failed(error)
    throw error
  }
}

/** Checks that a node is running; the caller records the result. @throws CairnError KEY_NODES_UNAVAILABLE */
export async function pingNode({ url }: NodeTarget, signal: AbortSignal): Promise<void> {
  try {
    const target = new URL(`${url}${getHealth.path}`)
    const { status } = await sendRequest(target, { method: getHealth.method, signal, maxAnswerBytes })
    if (status < 200 || status > 299) throw new Error(`the node returned status ${status}`)
  } catch (cause) {
    throw nodeDown(cause)
  }
}

/** The error for a node that does not answer properly. */
export function nodeDown(cause?: unknown): CairnError {
  return new CairnError('KEY_NODES_UNAVAILABLE', {
    message: 'This key node does not respond',
    hint: 'Three nodes are enough to read. Try again to reach the others.',
    retryAfterSeconds: 1,
    cause,
  })
}

/**
 * Makes one call to a node on behalf of a client.
 * @throws CairnError the node's own, KEY_NODES_UNAVAILABLE
 */
export async function callNode<C extends CallDefinition>(
  node: NodeTarget,
  call: C,
  input: Partial<CallInput<CallDefinition>> & { params?: Record<string, string>; body?: unknown },
  options: { ip: string; timeoutMs?: number; signal?: AbortSignal },
): Promise<CallResult<C>> {
  const answer = await sendToNode(node, {
    method: call.method,
    path: callPath(call, input.params),
    headers: {
      ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...forwardedFor(options.ip),
    },
    signal: options.signal,
    body: input.body === undefined ? undefined : JSON.stringify(input.body),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  })
  if (answer.status < 200 || answer.status > 299) {
    throw decodeError(call.dialect, {
      status: answer.status,
      header: answer.header,
      body: answer.body,
    })
  }
  try {
    if (call.response.kind !== 'json') throw new Error('the call does not return JSON')
    // The call's own schema produced it.
    return v.parse(call.response.schema, JSON.parse(answer.body)) as CallResult<C>
  } catch (cause) {
    throw nodeDown(cause)
  }
}
