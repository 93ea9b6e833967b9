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
import { type Dependency, readLimited } from '@cairn/service'
import * as v from 'valibot'

/** A key node, and where it is noted whether it answers. */
export type NodeTarget = { readonly url: string; readonly dependency: Dependency }

/** What a node answered, as it came. */
export type NodeAnswer = { status: number; headers: Headers; body: string }

/** What is sent to a node. */
export type NodeRequest = {
  method: string
  /** Path and query. */
  path: string
  headers?: Record<string, string>
  body?: string | undefined
  signal?: AbortSignal | undefined
  timeoutMs?: number
}

const answerBytesMost = 1024 * 1024

/** For whom the router asks: nodes that trust it count their rates by that, others by the router. */
export function forwardedFor(ip: string): Record<string, string> {
  return { 'x-forwarded-for': ip }
}

/**
 * Sends a request to a node and reads its answer to the end.
 * @throws CairnError KEY_NODES_UNAVAILABLE when it is down, slow, redirects, or sends no end of bytes
 */
export async function sendToNode({ url, dependency }: NodeTarget, request: NodeRequest): Promise<NodeAnswer> {
  const { method, path, headers = {}, body, signal, timeoutMs = callTimeoutMs } = request
  const limit = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      redirect: 'error',
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    })
    const answer = {
      status: response.status,
      headers: response.headers,
      body: await readLimited(response, answerBytesMost),
    }
    dependency.succeeded()
    return answer
  } catch (cause) {
    const error = nodeDown(cause)
    // A caller that leaves says nothing about the node.
    if (signal?.aborted !== true) dependency.failed(error)
    throw error
  }
}

/** Asks a node whether it runs; who asks notes what comes of it. @throws CairnError KEY_NODES_UNAVAILABLE */
export async function pingNode({ url }: NodeTarget, signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch(`${url}${getHealth.path}`, { redirect: 'error', signal })
    await readLimited(response, answerBytesMost)
    if (!response.ok) throw new Error(`the node answered ${response.status}`)
  } catch (cause) {
    throw nodeDown(cause)
  }
}

/** The error for a node that does not answer as one. */
export function nodeDown(cause?: unknown): CairnError {
  return new CairnError('KEY_NODES_UNAVAILABLE', {
    message: 'This key node does not answer',
    hint: 'Three nodes suffice to read; try again for the others.',
    retryAfterSeconds: 1,
    cause,
  })
}

/**
 * Makes one call of the protocol at a node, for somebody.
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
      header: (name) => answer.headers.get(name),
      body: answer.body,
    })
  }
  try {
    if (call.response.kind !== 'json') throw new Error('not a call with an answer in JSON')
    // The call's own schema made it.
    return v.parse(call.response.schema, JSON.parse(answer.body)) as CallResult<C>
  } catch (cause) {
    throw nodeDown(cause)
  }
}
