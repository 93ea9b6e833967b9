import {
  CairnError,
  type CallDefinition,
  type CallInput,
  type CallResult,
  callPath,
  callTries,
  type DialectName,
  decodeError,
  describeRule,
  joinUrl,
} from '@cairn/protocol'
import * as v from 'valibot'
import { receiveBody } from '#platform/receive-body'
import { type Client, platformFetch } from './client.ts'
import { iterateStream } from './iterate-stream.ts'
import type { ReceivedResponse } from './local-source.ts'

/** Options of every call. */
export type CallOptions = {
  /** Aborts the call, which then throws ABORTED. */
  signal?: AbortSignal | undefined
  /** Time limit in ms. Overrides that of the client. */
  timeoutMs?: number | undefined
}

/** Maximum size of a JSON response, in bytes. */
const maxAnswerBytes = 64 * 1024 * 1024
/** Maximum size of an error body, in bytes. */
const maxErrorBytes = 64 * 1024

/** First pause between attempts in ms; doubled each time, half of it random. */
const firstPauseMs = 200
/** Maximum pause in ms that a server may request before the call fails instead. */
const maxPauseMs = 10_000

/** A request to a path of the network. */
export type Send = {
  url: string
  method: string
  headers?: Record<string, string>
  body?: string | FormData | Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>
  /** Sends the API key of the client. Only for hosts of the network. */
  withKey?: boolean
  dialect: DialectName
  signal?: AbortSignal | undefined
  timeoutMs: number
}

/**
 * Makes one call of the protocol: validates input and response by their schemas, and maps errors by its dialect.
 * Retries calls that are safe to repeat, up to three attempts.
 * @throws CairnError the call's own codes, NETWORK_ERROR, TIMEOUT, ABORTED, NO_API_KEY, UNEXPECTED_RESPONSE
 */
export async function call<C extends CallDefinition>(
  client: Client,
  definition: C,
  input: CallInput<C>,
  options: CallOptions = {},
): Promise<CallResult<C>> {
  const send = describeCall(client, definition, input, options)
  const attempt = async (): Promise<CallResult<C>> => {
    const response = await openResponse(client, send)
    return parseAnswer(definition, await readText(response, maxAnswerBytes, options.signal))
  }
  return definition.idempotent ? tryAgain(attempt, options.signal) : attempt()
}

/** Parts of an input that any call may have. */
type LooseInput = {
  params?: Record<string, string>
  query?: Record<string, unknown>
  headers?: Record<string, string | undefined>
  body?: unknown
}

/** Describes the request of a call: to the host of the network for it, or to the given base URL. */
export function describeCall<C extends CallDefinition>(
  client: Client,
  definition: C,
  input: CallInput<C>,
  options: CallOptions,
  at?: string,
): Send {
  const parts: LooseInput = input
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parts.query ?? {})) if (value !== undefined) query.set(name, String(value))
  const base = at ?? (definition.host === 'gateway' ? client.network.gateway : client.network.api)
  const search = query.size === 0 ? '' : `?${query}`
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(parts.headers ?? {})) if (value !== undefined) headers[name] = value
  if (parts.body !== undefined) headers['content-type'] = 'application/json'
  return {
    url: joinUrl(base, `${callPath(definition, parts.params)}${search}`),
    method: definition.method,
    headers,
    ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
    withKey: definition.auth === 'apiKey' || (definition.auth === 'optionalApiKey' && client.apiKey !== undefined),
    dialect: definition.dialect,
    signal: options.signal,
    timeoutMs: options.timeoutMs ?? client.callTimeoutMs,
  }
}

/**
 * Parses the response of a call by its schema.
 * @throws CairnError UNEXPECTED_RESPONSE
 */
export function parseAnswer<C extends CallDefinition>(definition: C, text: string): CallResult<C> {
  if (definition.response.kind !== 'json') return undefined as CallResult<C>
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new CairnError('UNEXPECTED_RESPONSE', { cause })
  }
  const parsed = v.safeParse(definition.response.schema, json)
  if (!parsed.success) {
    const fields = parsed.issues.slice(0, 5).map((issue) => `${v.getDotPath(issue) ?? 'answer'} ${describeRule(issue)}`)
    throw new CairnError('UNEXPECTED_RESPONSE', { details: { missingFields: fields } })
  }
  // The schema of the call produced it.
  return parsed.output as CallResult<C>
}

/**
 * The only caller of fetch. Returns the response with its body unread; reads and throws error responses.
 * Redirects are not followed: a key must not reach an unintended host.
 */
export async function openResponse(client: Client, send: Send): Promise<Response> {
  const headers = headersOf(client, send)
  const { signal, timeout } = limitTime(send)
  const init: RequestInit & { duplex?: 'half' } = {
    method: send.method,
    headers,
    signal,
    redirect: 'manual',
    cache: 'no-store',
  }
  if (send.body !== undefined) {
    if (!isBody(send.body)) throw new CairnError('UNSUPPORTED_BODY')
    init.body = send.body
    if (send.body instanceof ReadableStream) init.duplex = 'half'
  }
  let response: Response
  try {
    response = await client.fetch(send.url, init)
  } catch (error) {
    throw describeFailure(error, send.signal, timeout)
  }
  if (response.ok) return response
  if (response.type === 'opaqueredirect') throw redirected(response.status)
  const header = (name: string) => response.headers.get(name)
  throw await describeError(send, { status: response.status, header, body: iterateBody(response) })
}

/**
 * Requests a body, and returns it unread: read it to its end, or call its `return`. A chunk is valid until the next read. Uses a
 * faster way than fetch if the platform has one and the client has no fetch of its own.
 * @throws CairnError as openResponse; the body fails with other errors, see describeFailure
 */
export async function openBody(
  client: Client,
  send: Send & { method: 'GET'; body?: never },
): Promise<AsyncIterableIterator<Uint8Array>> {
  if (receiveBody === undefined || client.fetch !== platformFetch) return iterateBody(await openResponse(client, send))
  const headers = headersOf(client, send)
  const { signal, timeout } = limitTime(send)
  let response: ReceivedResponse
  try {
    response = await receiveBody({ url: send.url, headers, signal })
  } catch (error) {
    throw describeFailure(error, send.signal, timeout)
  }
  if (response.status >= 200 && response.status < 300) return response.body
  throw await describeError(send, response)
}

function headersOf(client: Client, send: Send): Record<string, string> {
  if (!send.withKey) return { ...send.headers }
  return { ...send.headers, authorization: authorizationOf(client) }
}

/**
 * Returns the header with the API key of a client, without the spaces and line breaks around it.
 * @throws CairnError NO_API_KEY, UNAUTHENTICATED for a key that a header cannot contain: it would look like a network error
 */
export function authorizationOf({ apiKey }: Client): string {
  const key = apiKey?.trim()
  if (key === undefined) throw new CairnError('NO_API_KEY')
  if (!/^[!-~]+$/.test(key)) throw new CairnError('UNAUTHENTICATED')
  return `Bearer ${key}`
}

/** The signal of a request that ends with the caller’s, or after its time. */
export function limitTime({ signal, timeoutMs }: Pick<Send, 'signal' | 'timeoutMs'>): {
  signal: AbortSignal
  timeout: AbortSignal
} {
  const timeout = AbortSignal.timeout(timeoutMs)
  return { timeout, signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]) }
}

/** Reads the error of an unsuccessful response. */
async function describeError(send: Send, { status, header, body }: ReceivedResponse): Promise<CairnError> {
  if (status >= 300 && status < 400) {
    await body.return?.()
    return redirected(status)
  }
  const text = await gatherText(body, maxErrorBytes, send.signal).catch(() => '')
  return decodeError(send.dialect, { status, header, body: text })
}

function redirected(status: number): CairnError {
  return new CairnError('UNEXPECTED_RESPONSE', { message: 'The server responded with a redirect', status })
}

function iterateBody(response: Response): AsyncIterableIterator<Uint8Array> {
  return iterateStream(response.body ?? new Blob([]).stream())
}

function isBody(body: unknown): boolean {
  return (
    typeof body === 'string' ||
    body instanceof Uint8Array ||
    body instanceof Blob ||
    body instanceof FormData ||
    body instanceof ReadableStream
  )
}

/** Maps an error below HTTP to a CairnError. */
export function describeFailure(error: unknown, signal: AbortSignal | undefined, timeout?: AbortSignal): CairnError {
  if (CairnError.is(error)) return error
  // Not every platform throws the reason of the signal.
  if (signal?.aborted) return new CairnError('ABORTED', { cause: signal.reason })
  if (timeout?.aborted || (error instanceof Error && error.name === 'TimeoutError'))
    return new CairnError('TIMEOUT', { cause: error })
  return new CairnError('NETWORK_ERROR', { cause: error })
}

/** Reads a body to its end, up to a limit in bytes. */
export function readText(response: Response, maxBytes: number, signal?: AbortSignal): Promise<string> {
  return gatherText(iterateBody(response), maxBytes, signal)
}

async function gatherText(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    for await (const piece of body) {
      bytes += piece.length
      if (bytes > maxBytes)
        throw new CairnError('UNEXPECTED_RESPONSE', { message: 'The response of the server is too long' })
      text += decoder.decode(piece, { stream: true })
    }
    return text + decoder.decode()
  } catch (error) {
    throw describeFailure(error, signal)
  }
}

/** Errors that may be gone later, but not within the pauses between these attempts. */
const lastingCodes: ReadonlySet<string> = new Set(['TIMEOUT', 'PROOF_NOT_FOUND', 'VERIFICATION_FAILED'])

/** Retries network errors and responses that allow it, with growing pauses. */
export async function tryAgain<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const failure = CairnError.from(error)
      const pauseMs =
        failure.retryAfterSeconds === undefined
          ? firstPauseMs * 2 ** (tries - 1) * (0.5 + Math.random() / 2)
          : failure.retryAfterSeconds * 1000
      if (!failure.retry || lastingCodes.has(failure.code) || tries >= callTries || pauseMs > maxPauseMs) throw error
      await pause(pauseMs, signal)
    }
  }
}

/**
 * Waits.
 * @throws CairnError ABORTED
 */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(new CairnError('ABORTED', { cause: signal?.reason }))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
