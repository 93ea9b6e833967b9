import { CairnError, conditionReason, type Reason } from '@cairn/protocol'
import type { Dependencies, Dependency } from '../dependencies.ts'
import { isUpcoming } from '../is-upcoming.ts'
import type { DependencyProbe } from '../probe-dependencies.ts'
import {
  type EndpointAnswer,
  type EndpointRequest,
  failed,
  failedStatus,
  fetchEndpoint,
  reasonOfChain,
} from './fetch-endpoint.ts'
import { isJsonObject, type Json, type PlainJson } from './json.ts'
import { createKeptAnswers } from './kept-answers.ts'
import { createSlots } from './slots.ts'

/** Response of a JSON-RPC endpoint; its errors are responses too. */
export type RpcAnswer = { kind: 'result'; result: Json } | { kind: 'error'; code: number; message: string; data?: Json }

/** Response of a REST endpoint: 2xx, or 4xx about the request (not about rates or authorisation). */
export type RestAnswer = { status: number; body: Json }

export type CallOptions = {
  /** Stops waiting; other callers that share the request continue. */
  signal?: AbortSignal
  /** Time in ms to cache a successful answer for identical requests. */
  keepMs?: number
}

/** Calls the endpoints of one chain. Every endpoint error is UPSTREAM_FAILED, with a message that names no host. */
export type ChainClient = {
  /** Makes one JSON-RPC 2.0 call. An error other than an execution error moves on to the next endpoint, if any. */
  call(method: string, params: readonly PlainJson[], options?: CallOptions): Promise<RpcAnswer>
  /** Makes one GET. The path starts with a slash and is percent-encoded by the caller. */
  get(path: string, options?: CallOptions & { headers?: Record<string, string> }): Promise<RestAnswer>
}

/** A client with a health probe per endpoint. */
export type WatchedChainClient = ChainClient & { readonly probes: readonly DependencyProbe[] }

/** Checks an endpoint before first use, and hourly. Returns a reason not to use it, or nothing. */
export type VerifyEndpoint = (endpoint: ChainClient) => Promise<Reason | undefined>

export const rpcLimits = {
  /** Time limit of one request in ms, including the connection. */
  callMs: 3_000,
  /** Time limit of all attempts for one answer in ms. */
  totalMs: 6_000,
  bodyBytes: 1024 * 1024,
  inFlight: 16,
  /** Number of consecutive failures after which an endpoint is skipped, and the time in ms. */
  failures: 3,
  restMs: 10_000,
  verifyEveryMs: 3_600_000,
  /** Cache size in bytes for each kind of request. */
  keptBytes: 16 * 1024 * 1024,
}
export type RpcLimits = typeof rpcLimits

/** A chain and its endpoints, in order of preference. The URLs may contain secrets: never in responses or logs. */
export type ChainEndpoints = { name: string; rpcUrls: readonly string[] }

export type RpcParts = {
  clock: { now(): number }
  /** Register for the state of each endpoint. Optional. */
  dependencies?: Pick<Dependencies, 'add'>
  verify?: VerifyEndpoint
  limits?: Partial<RpcLimits>
}

type Endpoint = {
  url: string
  failures: number
  restsUntil: number
  verifiedUntil: number
  dependency: Dependency | undefined
}

/** Some endpoints report a reverted call with an error status; any other error status is not about the call. */
function readRpcAnswer({ status, body }: EndpointAnswer): RpcAnswer {
  if (status < 300) return parseRpcAnswer(body)
  const answer = parseRpcAnswer(isJsonObject(body) ? { ...body, result: null } : body)
  if (!isExecutionError(answer)) throw failedStatus(status)
  return answer
}

function parseRpcAnswer(body: Json): RpcAnswer {
  if (!isJsonObject(body)) throw failed(conditionReason('CHAIN_RESPONSE_NOT_RPC'))
  const { error, result } = body
  if (isJsonObject(error) && typeof error['code'] === 'number' && typeof error['message'] === 'string') {
    const { data } = error
    return {
      kind: 'error',
      code: error['code'],
      message: error['message'].slice(0, 256),
      ...(data === undefined ? {} : { data }),
    }
  }
  if (result === undefined) throw failed(conditionReason('CHAIN_RESPONSE_NOT_RPC'))
  return { kind: 'result', result }
}

/** Returns whether the call itself failed in execution, so that another endpoint would give the same answer. */
export function isExecutionError(answer: RpcAnswer): boolean {
  return (
    answer.kind === 'error' &&
    (answer.code === 3 || /\brevert(ed)?\b|invalid ?(fe)? ?opcode/i.test(answer.message)) &&
    !isOutOfGas(answer)
  )
}

/** Returns whether the call needed more gas than the endpoint, or the call itself, allows. */
export function isOutOfGas(answer: RpcAnswer): boolean {
  return answer.kind === 'error' && /out ?of ?gas|gas required exceeds|gas too low/i.test(answer.message)
}

function waitFor<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const leave = () => reject(failed(conditionReason('CHAIN_SLOW'), signal.reason))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

function readRestAnswer({ status, body }: EndpointAnswer): RestAnswer {
  if (status < 200 || (status >= 300 && status < 400) || status >= 500) throw failedStatus(status)
  return { status, body }
}

/** How the answers to one kind of request are interpreted. */
type Kind<Answer> = {
  read(answer: EndpointAnswer): Answer
  /** Whether to cache it. */
  isCacheable(answer: Answer): boolean
  /** Whether another endpoint would give the same answer. */
  isFinal(answer: Answer): boolean
}

type Sized<Answer> = { answer: Answer; sizeBytes: number }

const rpcKind: Kind<RpcAnswer> = {
  read: readRpcAnswer,
  isCacheable: (answer) => answer.kind === 'result',
  isFinal: (answer) => answer.kind === 'result' || isExecutionError(answer),
}
const restKind: Kind<RestAnswer> = {
  read: readRestAnswer,
  isCacheable: (answer) => answer.status < 300,
  isFinal: () => true,
}

function rpcRequest(method: string, params: readonly PlainJson[]): EndpointRequest {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return { path: '', body, headers: { 'content-type': 'application/json' } }
}

function describeFailure(error: unknown, signal: AbortSignal): Reason {
  if (signal.aborted) return conditionReason('CHAIN_SLOW')
  if (CairnError.is(error, 'PAYLOAD_TOO_LARGE')) return conditionReason('CHAIN_RESPONSE_TOO_LARGE')
  if (CairnError.is(error)) return reasonOfChain(error)
  if (error instanceof SyntaxError || error instanceof RangeError) return conditionReason('CHAIN_RESPONSE_NOT_JSON')
  return conditionReason('CHAIN_UNREACHABLE')
}

/**
 * Calls the configured endpoints of one chain in order: 3 s per request, 6 s per answer, 1 MiB, no redirects, no retry
 * at the same endpoint, at most 16 concurrent requests. An endpoint that fails three times in a row is skipped for 10
 * s. Identical concurrent requests are sent once.
 */
export function createChainClient(chain: ChainEndpoints, parts: RpcParts): WatchedChainClient {
  const limits: RpcLimits = { ...rpcLimits, ...parts.limits }
  const endpoints = chain.rpcUrls.map((url, endpoint): Endpoint => {
    const dependency = parts.dependencies?.add({ kind: 'endpoint', name: chain.name, endpoint })
    return { url, failures: 0, restsUntil: 0, verifiedUntil: 0, dependency }
  })
  const slots = createSlots(limits.inFlight)

  const verify = async (endpoint: Endpoint, signal: AbortSignal): Promise<void> => {
    if (parts.verify === undefined || isUpcoming(endpoint.verifiedUntil, parts.clock.now(), limits.verifyEveryMs))
      return
    const send = (request: EndpointRequest) => fetchEndpoint(endpoint.url, request, signal, limits.bodyBytes)
    const reason = await parts.verify({
      call: async (method, params) => readRpcAnswer(await send(rpcRequest(method, params))),
      get: async (path, { headers = {} } = {}) => readRestAnswer(await send({ path, headers })),
    })
    if (reason !== undefined) throw failed(reason)
    endpoint.verifiedUntil = parts.clock.now() + limits.verifyEveryMs
  }

  const tryEndpoint = async (endpoint: Endpoint, request: EndpointRequest, total: AbortSignal) => {
    const signal = AbortSignal.any([total, AbortSignal.timeout(limits.callMs)])
    try {
      await verify(endpoint, signal)
      return await fetchEndpoint(endpoint.url, request, signal, limits.bodyBytes)
    } catch (error) {
      throw failed(describeFailure(error, signal), error)
    }
  }

  const callEndpoints = async <Answer>(kind: Kind<Answer>, request: EndpointRequest): Promise<Sized<Answer>> => {
    const total = AbortSignal.timeout(limits.totalMs)
    using _slot = await slots.acquire(total).catch((error) => {
      throw failed(conditionReason('CHAIN_RATE_LIMITED'), error)
    })
    let inconclusive: Sized<Answer> | undefined
    let failure = failed(conditionReason('CHAIN_SILENT'))
    for (const endpoint of endpoints) {
      if (total.aborted) break
      if (isUpcoming(endpoint.restsUntil, parts.clock.now(), limits.restMs)) continue
      try {
        const raw = await tryEndpoint(endpoint, request, total)
        const read = { answer: kind.read(raw), sizeBytes: raw.sizeBytes }
        endpoint.failures = 0
        endpoint.dependency?.succeeded()
        if (kind.isFinal(read.answer)) return read
        inconclusive ??= read
      } catch (error) {
        failure = CairnError.is(error, 'UPSTREAM_FAILED') ? error : failed(conditionReason('CHAIN_UNREADABLE'), error)
        // Contracts can produce oversized answers, which must not make an endpoint be skipped.
        if (CairnError.is(failure.cause, 'PAYLOAD_TOO_LARGE')) continue
        if (++endpoint.failures >= limits.failures) endpoint.restsUntil = parts.clock.now() + limits.restMs
        endpoint.dependency?.failed(failure)
      }
    }
    if (inconclusive !== undefined) return inconclusive
    throw failure
  }

  const createLane = <Answer>(kind: Kind<Answer>) => {
    const flights = new Map<string, Promise<Sized<Answer>>>()
    const kept = createKeptAnswers<Answer>(limits.keptBytes, parts.clock)
    return async (request: EndpointRequest, { signal, keepMs = 0 }: CallOptions): Promise<Answer> => {
      const key = JSON.stringify([request.path, request.body, request.headers])
      const known = kept.get(key)
      if (known !== undefined) return known
      let flight = flights.get(key)
      if (flight === undefined) {
        flight = callEndpoints(kind, request).finally(() => flights.delete(key))
        flights.set(key, flight)
      }
      const { answer, sizeBytes } = await waitFor(flight, signal)
      if (keepMs > 0 && kind.isCacheable(answer)) kept.set(key, answer, keepMs, sizeBytes)
      return answer
    }
  }
  const callRpc = createLane(rpcKind)
  const callRest = createLane(restKind)
  return {
    probes: endpoints.flatMap((endpoint): DependencyProbe[] => {
      const { dependency } = endpoint
      if (dependency === undefined) return []
      const probe = async (signal: AbortSignal): Promise<void> => {
        endpoint.verifiedUntil = 0
        try {
          await verify(endpoint, signal)
        } catch (error) {
          throw failed(describeFailure(error, signal), error)
        }
      }
      return [{ dependency, probe }]
    }),
    call: (method, params, options = {}) => callRpc(rpcRequest(method, params), options),
    get: (path, { headers = {}, ...options } = {}) => callRest({ path, headers }, options),
  }
}
