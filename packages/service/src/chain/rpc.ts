import { CairnError } from '@cairn/protocol'
import type { Dependencies, Dependency } from '../dependencies.ts'
import type { DependencyProbe } from '../probe-dependencies.ts'
import { askEndpoint, type EndpointAnswer, type EndpointRequest, failed, failedStatus } from './ask-endpoint.ts'
import { isJsonObject, type Json, type PlainJson } from './json.ts'
import { createKeptAnswers } from './kept-answers.ts'
import { createSlots } from './slots.ts'

/** What a JSON-RPC endpoint answered; its errors are answers too. */
export type RpcAnswer = { kind: 'result'; result: Json } | { kind: 'error'; code: number; message: string; data?: Json }

/** What a REST endpoint answered: 2xx, or 4xx about the question (not about rates or rights). */
export type RestAnswer = { status: number; body: Json }

export type AskOptions = {
  /** Ends the waiting; others who wait for the same answer go on. */
  signal?: AbortSignal
  /** Keeps the answer this long for whoever asks the same, where the answer is not an error. */
  keepMs?: number
}

/** Asks the endpoints of one chain. Every fault of theirs is UPSTREAM_FAILED, with a message that names no host. */
export type ChainClient = {
  /** One JSON-RPC 2.0 call. An error that is not about execution makes the next endpoint be asked, where there is one. */
  call(method: string, params: readonly PlainJson[], options?: AskOptions): Promise<RpcAnswer>
  /** One GET. The path begins with a slash and is percent-encoded by the caller. */
  get(path: string, options?: AskOptions & { headers?: Record<string, string> }): Promise<RestAnswer>
}

/** A client whose endpoints can be asked, each on its own, whether they work. */
export type WatchedChainClient = ChainClient & { readonly probes: readonly DependencyProbe[] }

/** Checks one endpoint before it is used, and hourly: a reason not to use it, or nothing. */
export type VerifyEndpoint = (endpoint: ChainClient) => Promise<string | undefined>

export const rpcLimits = {
  /** One request, connecting included. */
  callMs: 3_000,
  /** All endpoints tried for one answer. */
  totalMs: 6_000,
  bodyBytes: 1024 * 1024,
  inFlight: 16,
  /** Failures in a row after which an endpoint is left alone, and for how long. */
  failures: 3,
  restMs: 10_000,
  verifyEveryMs: 3_600_000,
  /** For each kind of question. */
  keptBytes: 16 * 1024 * 1024,
}
export type RpcLimits = typeof rpcLimits

/** A chain and its endpoints, in the order in which they are asked. The URLs may hold secrets: never in answers or logs. */
export type ChainEndpoints = { name: string; rpcUrls: readonly string[] }

export type RpcParts = {
  clock: { now(): number }
  /** Where it is noted how each endpoint does. Nothing is noted without it. */
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

/** Some endpoints say that a call was reverted with a status of failure; any other failure is none of the call's. */
function readRpcAnswer({ status, body }: EndpointAnswer): RpcAnswer {
  if (status < 300) return parseRpcAnswer(body)
  const answer = parseRpcAnswer(isJsonObject(body) ? { ...body, result: null } : body)
  if (!isExecutionError(answer)) throw failedStatus(status)
  return answer
}

function parseRpcAnswer(body: Json): RpcAnswer {
  if (!isJsonObject(body)) throw failed('the answer of the chain is not JSON-RPC')
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
  if (result === undefined) throw failed('the answer of the chain is not JSON-RPC')
  return { kind: 'result', result }
}

/** Whether asking another endpoint cannot change it: the call itself failed in execution. */
export function isExecutionError(answer: RpcAnswer): boolean {
  return (
    answer.kind === 'error' &&
    (answer.code === 3 || /\brevert(ed)?\b|invalid ?(fe)? ?opcode/i.test(answer.message)) &&
    !/out ?of ?gas|gas required exceeds|gas too low/i.test(answer.message)
  )
}

function waitFor<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const leave = () => reject(failed('the chain did not answer in time', signal.reason))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

function readRestAnswer({ status, body }: EndpointAnswer): RestAnswer {
  if (status < 200 || (status >= 300 && status < 400) || status >= 500) throw failedStatus(status)
  return { status, body }
}

/** How the answers to one kind of question are read. */
type Kind<Answer> = {
  read(answer: EndpointAnswer): Answer
  /** Worth keeping. */
  isGood(answer: Answer): boolean
  /** Another endpoint would say the same. */
  isFinal(answer: Answer): boolean
}

type Sized<Answer> = { answer: Answer; sizeBytes: number }

const rpcKind: Kind<RpcAnswer> = {
  read: readRpcAnswer,
  isGood: (answer) => answer.kind === 'result',
  isFinal: (answer) => answer.kind === 'result' || isExecutionError(answer),
}
const restKind: Kind<RestAnswer> = {
  read: readRestAnswer,
  isGood: (answer) => answer.status < 300,
  isFinal: () => true,
}

function rpcRequest(method: string, params: readonly PlainJson[]): EndpointRequest {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return { path: '', body, headers: { 'content-type': 'application/json' } }
}

function describeFault(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'the chain did not answer in time'
  if (CairnError.is(error)) return error.message
  if (error instanceof SyntaxError || error instanceof RangeError) return 'the answer of the chain is not JSON'
  return 'the chain cannot be reached'
}

/**
 * Asks one chain's configured endpoints in order: 3 s a request, 6 s an answer, 1 MiB, no redirects, no second try at the
 * same endpoint, at most 16 questions at a time, endpoints that fail three times in a row rest for 10 s. The same question
 * asked by several at once is sent once.
 */
export function createChainClient(chain: ChainEndpoints, parts: RpcParts): WatchedChainClient {
  const limits: RpcLimits = { ...rpcLimits, ...parts.limits }
  const endpoints = chain.rpcUrls.map((url, endpoint): Endpoint => {
    const dependency = parts.dependencies?.add({ kind: 'endpoint', name: chain.name, endpoint })
    return { url, failures: 0, restsUntil: 0, verifiedUntil: 0, dependency }
  })
  const slots = createSlots(limits.inFlight)

  const verify = async (endpoint: Endpoint, signal: AbortSignal): Promise<void> => {
    if (parts.verify === undefined || endpoint.verifiedUntil > parts.clock.now()) return
    const send = (request: EndpointRequest) => askEndpoint(endpoint.url, request, signal, limits.bodyBytes)
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
      return await askEndpoint(endpoint.url, request, signal, limits.bodyBytes)
    } catch (error) {
      throw failed(describeFault(error, signal), error)
    }
  }

  const askAll = async <Answer>(kind: Kind<Answer>, request: EndpointRequest): Promise<Sized<Answer>> => {
    const total = AbortSignal.timeout(limits.totalMs)
    using _slot = await slots.take(total).catch((error) => {
      throw failed('the chain is asked too much', error)
    })
    let inconclusive: Sized<Answer> | undefined
    let fault = failed('no endpoint of the chain answers')
    for (const endpoint of endpoints) {
      if (total.aborted) break
      if (endpoint.restsUntil > parts.clock.now()) continue
      try {
        const raw = await tryEndpoint(endpoint, request, total)
        const read = { answer: kind.read(raw), sizeBytes: raw.sizeBytes }
        endpoint.failures = 0
        endpoint.dependency?.succeeded()
        if (kind.isFinal(read.answer)) return read
        inconclusive ??= read
      } catch (error) {
        fault = CairnError.is(error, 'UPSTREAM_FAILED') ? error : failed('the chain cannot be read', error)
        // Contracts can make answers too large: nobody may make an endpoint rest by that.
        if (CairnError.is(fault.cause, 'PAYLOAD_TOO_LARGE')) continue
        if (++endpoint.failures >= limits.failures) endpoint.restsUntil = parts.clock.now() + limits.restMs
        endpoint.dependency?.failed(fault)
      }
    }
    if (inconclusive !== undefined) return inconclusive
    throw fault
  }

  const createLane = <Answer>(kind: Kind<Answer>) => {
    const flights = new Map<string, Promise<Sized<Answer>>>()
    const kept = createKeptAnswers<Answer>(limits.keptBytes, parts.clock)
    return async (request: EndpointRequest, { signal, keepMs = 0 }: AskOptions): Promise<Answer> => {
      const key = JSON.stringify([request.path, request.body, request.headers])
      const known = kept.get(key)
      if (known !== undefined) return known
      let flight = flights.get(key)
      if (flight === undefined) {
        flight = askAll(kind, request).finally(() => flights.delete(key))
        flights.set(key, flight)
      }
      const { answer, sizeBytes } = await waitFor(flight, signal)
      if (keepMs > 0 && kind.isGood(answer)) kept.set(key, answer, keepMs, sizeBytes)
      return answer
    }
  }
  const askRpc = createLane(rpcKind)
  const askRest = createLane(restKind)
  return {
    probes: endpoints.flatMap((endpoint): DependencyProbe[] => {
      const { dependency } = endpoint
      if (dependency === undefined) return []
      const probe = async (signal: AbortSignal): Promise<void> => {
        endpoint.verifiedUntil = 0
        try {
          await verify(endpoint, signal)
        } catch (error) {
          throw failed(describeFault(error, signal), error)
        }
      }
      return [{ dependency, probe }]
    }),
    call: (method, params, options = {}) => askRpc(rpcRequest(method, params), options),
    get: (path, { headers = {}, ...options } = {}) => askRest({ path, headers }, options),
  }
}
