import { proofHeader } from '@cairn/crypto'
import { CairnError, codeHeader, getConditions, keyShardThreshold, normalizeIdentity } from '@cairn/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSaving } from '../sessions/is-saving.ts'
import { openBundle } from './bundle.ts'
import type { RouterContext } from './context.ts'
import { exchangeSignature, patienceMs } from './exchange.ts'
import { forwardedFor, type NodeAnswer, type NodeTarget, nodeDown, sendToNode } from './node-client.ts'

/** Headers of an answer that are returned to the client. */
const answeredHeaders = [codeHeader, 'retry-after']

/** Forwards a call to the node in its path, with only that node's credentials, and returns its answer. */
export async function forwardToNode(
  context: RouterContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { callId, node, path, signal }: { callId: string; node: number; path: string; signal: AbortSignal },
): Promise<FastifyReply> {
  const target = context.nodes[node - 1]
  if (target === undefined) throw new CairnError('WRONG_NODE', { details: { node } })
  const authorization = await authorizationFor(context, request, callId, node)
  return sendAnswer(reply, await pass(request, target, { path, authorization, signal }))
}

/**
 * A call without a node in its path: an answer that three nodes agree on counts, including an error, else the first
 * successful answer. None of it is secret, and one node cannot forge what the others do not confirm.
 */
export async function forwardToAny(
  context: RouterContext,
  request: FastifyRequest,
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<FastifyReply> {
  const { good, failure } = await askUntilAgreed(context, async (target, node, late) => {
    const authorization = await authorizationFor(context, request, getConditions.id, node)
    return pass(request, target, { path: request.url, authorization, signal: AbortSignal.any([signal, late]) })
  })
  const chosen = findAgreed(good) ?? good.find(({ status }) => status === 200) ?? good[0]
  if (chosen === undefined) throw failure ?? nodeDown()
  return sendAnswer(reply, chosen)
}

type Ask = (target: NodeTarget, node: number, late: AbortSignal) => Promise<NodeAnswer>

/**
 * Asks all nodes. It stops waiting once three of them agree, and a while after three have answered: a node that is silent
 * must not keep the client waiting.
 * @returns the answers of nodes, in their order, and the first error
 */
async function askUntilAgreed(
  context: RouterContext,
  ask: Ask,
): Promise<{ good: NodeAnswer[]; failure: CairnError | undefined }> {
  const stop = new AbortController()
  const answers: NodeAnswer[] = []
  let failure: CairnError | undefined
  let timer: NodeJS.Timeout | undefined
  // The array has gaps.
  const listGood = (): NodeAnswer[] => Object.values(answers)
  await Promise.all(
    context.nodes.map(async (target, i) => {
      try {
        const answer = await ask(target, i + 1, stop.signal)
        if (!isUsable(answer)) return
        answers[i] = answer
      } catch (error) {
        failure ??= CairnError.from(error)
        return
      }
      const good = listGood()
      if (findAgreed(good) !== undefined) stop.abort()
      else if (good.length >= keyShardThreshold) timer ??= setTimeout(() => stop.abort(), patienceMs)
    }),
  )
  clearTimeout(timer)
  return { good: listGood(), failure }
}

/** Ignores answers that are not a key node's, and those that report unavailability. */
function isUsable({ status, body }: NodeAnswer): boolean {
  return status < 429 && isJson(body)
}

function findAgreed(good: readonly NodeAnswer[]): NodeAnswer | undefined {
  return good.find((one) => good.filter((other) => isAlike(one, other)).length >= keyShardThreshold)
}

/** Errors compare by code, because each names its own request. */
function isAlike(one: NodeAnswer, other: NodeAnswer): boolean {
  if (one.status !== other.status) return false
  return one.status === 200 ? one.body === other.body : one.header(codeHeader) === other.header(codeHeader)
}

function pass(
  request: FastifyRequest,
  target: NodeTarget,
  { path, authorization, signal }: { path: string; authorization: string | undefined; signal: AbortSignal },
): Promise<NodeAnswer> {
  const proof = request.headers[proofHeader]
  return sendToNode(target, {
    method: request.method === 'HEAD' ? 'GET' : request.method,
    path,
    headers: {
      ...(request.cairnBody === undefined ? {} : { 'content-type': 'application/json' }),
      ...(authorization === undefined ? {} : { authorization }),
      ...forwardedFor(request.ip),
      ...(typeof proof === 'string' ? { [proofHeader]: proof } : {}),
    },
    body: request.cairnBody === '' ? undefined : request.cairnBody,
    signal,
  })
}

/**
 * Returns the Authorization header for one node: its own token from a bundle, or from the exchange of a signature.
 */
async function authorizationFor(
  context: RouterContext,
  request: FastifyRequest,
  callId: string,
  node: number,
): Promise<string | undefined> {
  const bearer = /^Bearer +(\S{1,16384}) *$/i.exec(request.headers.authorization ?? '')?.[1]
  if (bearer === undefined) return undefined
  const tokens = openBundle('jwt:', bearer)
  if (tokens !== undefined) {
    const own = tokens[node - 1]
    if (own === undefined) {
      throw new CairnError('KEY_NODES_UNAVAILABLE', {
        message:
          'The session does not include this key node, because it was unavailable when the session was opened or renewed',
        hint: 'When the node is available again, renew the session or sign a new message.',
      })
    }
    return `Bearer ${own}`
  }
  // A single node's token, bound to a key or not, is passed on to that node.
  if (/^(?:jwt:)?[\w-]+\.[\w-]+\.[\w-]+$/.test(bearer)) return `Bearer ${bearer.replace(/^jwt:/, '')}`
  const address = normalizeIdentity(fieldOf(request.body, 'address').trim())
  if (address === '') throw new CairnError('INVALID_SIGNATURE')
  const use = {
    signature: bearer,
    address,
    callId,
    cid: fieldOf(request.body, 'cid'),
    node,
    body: request.cairnBody ?? '',
  }
  const token = await context.uses.tokenFor(use, async () => {
    const signed = {
      address,
      signature: bearer,
      chain: 'ALL',
      ip: request.ip,
      ...(isSaving(callId) ? { use: 'save' as const } : {}),
    }
    const sessions = await exchangeSignature(context, signed)
    return sessions.map((session) => session?.token)
  })
  return `Bearer ${token}`
}

function fieldOf(body: unknown, name: string): string {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
  return typeof value === 'string' ? value : ''
}

/** Passes a node's answer on if it is JSON: anything else was not sent by a key node. */
function sendAnswer(reply: FastifyReply, { status, header, body }: NodeAnswer): FastifyReply {
  if (!isJson(body) || status === 404) throw nodeDown()
  for (const name of answeredHeaders) {
    const value = header(name)
    if (value !== null) reply.header(name, value)
  }
  return reply.status(status).header('content-type', 'application/json; charset=utf-8').send(body)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // The caller handles it.
    return false
  }
}
