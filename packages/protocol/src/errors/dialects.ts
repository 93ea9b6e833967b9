import { isRecord } from '../shared/is-record.ts'
import type { CairnError } from './error.ts'
import { type ErrorCode, errorTable, isErrorCode } from './error-table.ts'
import { type RestoredErrorOptions, restoreError } from './restore-error.ts'

/** An encoded error: everything that a handler sends. */
export type EncodedError = { status: number; headers: Record<string, string>; body: string }

/** A received error response: enough to decode the error. */
export type ReceivedError = { status: number; header: (name: string) => string | null; body: string }

type Encode = (error: CairnError) => EncodedError
/** Reads the message from the body, if the body is in this dialect. */
type Read = (body: unknown) => { message?: string; fields: Record<string, unknown> } | undefined

/**
 * Carries the code in every dialect, including those without a place for it in the body (HEAD, plain text, peer
 * formats).
 */
export const codeHeader = 'x-cairn-code'
/** Identifies a request in logs and responses. */
export const requestIdHeader = 'x-request-id'

const jsonType = 'application/json; charset=utf-8'

/**
 * The error bodies of the wire.
 *
 * - `api`: `{ error: { code, message, … } }`, as the published clients of the account calls read it.
 * - `upload`: `{ error: "text", code, … }`: published clients print `error` as it is.
 * - `ipns`: `{ error: [{ message, code, … }] }`, as the calls about names of published clients answer.
 * - `kubo`: `{ Message, Code, Type: "error" }`, as Kubo's RPC answers.
 * - `pinning`: `{ error: { reason, details } }`, as the Pinning Service API has it; `details` is the message and the hint.
 * - `gateway`: one line of plain text; people and `curl` read it.
 * - `keyNode`: `{ message }`, as published clients read key nodes; a refusal is nested three deep.
 * - `keyNodeShare`: the same for sharing, where published clients look for a refusal in an array.
 */
export const errorEncoders = {
  api: (error) => json(error, { error: error.toJSON() }),
  ipns: (error) => json(error, { error: [error.toJSON()] }),
  upload: (error) => {
    const { message, ...rest } = error.toJSON()
    return json(error, { error: message, ...rest })
  },
  kubo: (error) => {
    // Go matches names case-insensitively: `code` next to `Code` would hide the message. The header carries the code.
    const { message, code: _inHeader, ...rest } = error.toJSON()
    const encoded = json(error, { Message: message, Code: 0, Type: 'error', ...rest })
    return { ...encoded, status: kuboStatus(encoded.status) }
  },
  pinning: (error) => json(error, { error: { reason: error.code, details: `${error.message}\n${error.hint}` } }),
  gateway: (error) => ({
    status: httpStatus(error),
    headers: { ...headers(error), 'content-type': 'text/plain; charset=utf-8' },
    body: `${error.message}\n${error.hint}\n`,
  }),
  keyNode: (error) => {
    const denied = { message: { message: { message: error.message, data: {} } } }
    return keyNodeJson(error, error.code === 'ACCESS_DENIED' ? denied : { message: error.message })
  },
  keyNodeShare: (error) => {
    const denied = { message: [{ message: { message: error.message.toLowerCase(), data: {} } }], said: error.message }
    return keyNodeJson(error, error.code === 'ACCESS_DENIED' ? denied : { message: error.message })
  },
} as const satisfies Record<string, Encode>

/** The name of an error body's form. */
export type DialectName = keyof typeof errorEncoders

/** Apart from the errorEncoders, so that bundles of clients have only these. */
export const errorReaders: Readonly<Record<DialectName, Read>> = {
  api: (body) => {
    if (!isRecord(body) || !isRecord(body['error'])) return undefined
    return { ...text(body['error']['message']), fields: body['error'] }
  },
  ipns: (body) => {
    const list = isRecord(body) ? body['error'] : undefined
    const first: unknown = Array.isArray(list) ? list[0] : undefined
    return isRecord(first) ? { ...text(first['message']), fields: first } : undefined
  },
  upload: (body) => {
    if (!isRecord(body) || typeof body['error'] !== 'string') return undefined
    return { message: body['error'], fields: body }
  },
  kubo: (body) => {
    if (!isRecord(body) || typeof body['Message'] !== 'string') return undefined
    return { message: body['Message'], fields: body }
  },
  pinning: (body) => {
    const inner = isRecord(body) ? body['error'] : undefined
    if (!isRecord(inner) || typeof inner['details'] !== 'string') return undefined
    const [message, hint] = inner['details'].split('\n')
    return { ...text(message), fields: { code: inner['reason'], ...(hint ? { hint } : {}) } }
  },
  gateway: (body) => {
    if (typeof body !== 'string') return undefined
    const [message, hint] = body.split('\n')
    return { ...text(message), fields: hint ? { hint } : {} }
  },
  keyNode: readKeyNode,
  keyNodeShare: readKeyNode,
}

/**
 * The Kubo program reports any 404 as "Command not found." and drops the text, so missing content is a 500 as in Kubo.
 */
function kuboStatus(status: number): number {
  return status === 404 ? 500 : status
}

/**
 * Published clients of key nodes search the whole text of an error: `fetch` makes them retry, `null` means that the CID
 * is unknown. So neither word occurs unless it is meant.
 */
function keyNodeJson(error: CairnError, body: Record<string, unknown>): EncodedError {
  const { message: _said, ...rest } = error.toJSON()
  const whole = { ...body, ...rest }
  if (error.code === 'KEY_NOT_FOUND') return json(error, { ...whole, data: null })
  const isMisread = /null|fetch/i.test(JSON.stringify(whole))
  if (!isMisread) return json(error, whole)
  const plain = /null|fetch/i.test(JSON.stringify(body)) ? { message: errorTable[error.code].message } : body
  return json(error, { ...plain, code: error.code })
}

/** Returns the innermost text of `message`, however deeply nested. */
function readKeyNode(body: unknown): ReturnType<Read> {
  if (!isRecord(body) || !('message' in body)) return undefined
  let inner: unknown = body['said'] ?? body['message']
  for (let depth = 0; depth < 5 && typeof inner !== 'string'; depth++) {
    if (Array.isArray(inner)) inner = inner[0]
    else if (isRecord(inner)) inner = inner['message']
    else return undefined
  }
  return typeof inner === 'string' ? { message: inner, fields: body } : undefined
}

/** Encodes an error in a dialect: status, headers and body. */
export function encodeError(dialect: DialectName, error: CairnError): EncodedError {
  return errorEncoders[dialect](error)
}

/**
 * Decodes an error response of any server: ours in the named dialect, else in any other known form, else only by its status.
 * Codes unknown to this version become that of the status, or else `HTTP_ERROR`, with the message of the server.
 */
export function decodeError(dialect: DialectName, received: ReceivedError): CairnError {
  const parsed = parseJson(received.body)
  const order: DialectName[] = [dialect, 'api', 'upload', 'kubo', 'keyNode']
  let found: ReturnType<Read>
  for (const name of order) {
    found = errorReaders[name](name === 'gateway' ? received.body : parsed)
    if (found !== undefined) break
  }
  const fields = found?.fields ?? {}
  const headerCode = received.header(codeHeader)
  const named = isErrorCode(headerCode) ? headerCode : isErrorCode(fields['code']) ? fields['code'] : undefined
  const code: ErrorCode = named ?? codeForStatus(received.status)
  const options: RestoredErrorOptions = { status: received.status }
  const message =
    found?.message ?? (named === undefined ? `Request failed with status code ${received.status}` : undefined)
  if (message) options.message = message.slice(0, 2000)
  const hint = found === undefined && named === undefined ? hintForProxies(received.status) : fields['hint']
  if (typeof hint === 'string') options.hint = hint
  if (isRecord(fields['details'])) options.details = fields['details']
  const requestId = received.header(requestIdHeader)
  if (requestId) options.requestId = requestId
  const retryAfterSeconds = readRetryAfter(received.header('retry-after'))
  if (retryAfterSeconds !== undefined) options.retryAfterSeconds = retryAfterSeconds
  return restoreError(code, options)
}

/**
 * Returns what to do about a response that Cairn did not send: the hints of the codes assume that it did. The operator of a proxy
 * finds its setting here, because the service does not see the request.
 */
function hintForProxies(status: number): string | undefined {
  if (status === 413)
    return 'A proxy in front of the service limits the size of requests. Ask its operator to remove the limit (`client_max_body_size` in nginx).'
  if (status === 502 || status === 503 || status === 504)
    return 'A proxy in front of the service cannot reach it. Try again later, or ask its operator to check `/readyz`.'
  if (status === 429 || status >= 500) return undefined
  return 'The response is not from Cairn. Check that the address belongs to a Cairn service, and that no proxy rejects the request.'
}

/** Timers of more than 24 days end at once. */
const maxRetryAfterSeconds = 86_400

/**
 * Returns the seconds of `Retry-After`, a number or a date; undefined for anything else, such as no text.
 * @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
export function readRetryAfter(header: string | null): number | undefined {
  const text = header?.trim() ?? ''
  const isDate = text.endsWith(' GMT')
  const seconds = isDate ? (Date.parse(text) - Date.now()) / 1000 : /^\d+$/.test(text) ? Number(text) : Number.NaN
  return Number.isNaN(seconds) ? undefined : Math.min(maxRetryAfterSeconds, Math.max(0, seconds))
}

/** Returns the status of an error with this code in a dialect. */
export function statusOf(dialect: DialectName, code: ErrorCode): number {
  const { status } = errorTable[code]
  return dialect === 'kubo' ? kuboStatus(status) : status
}

/** Returns the status of an error response: client-only codes should never be sent, and count as internal. */
export function httpStatus(error: CairnError): number {
  const status = errorTable[error.code].status
  return status === 0 ? 500 : status
}

/** Returns the code for a response without one. */
function codeForStatus(status: number): ErrorCode {
  const known: Record<number, ErrorCode> = {
    400: 'INVALID_REQUEST',
    401: 'UNAUTHENTICATED',
    402: 'QUOTA_EXCEEDED',
    403: 'FORBIDDEN',
    404: 'NOT_FOUND',
    408: 'REQUEST_TIMEOUT',
    413: 'PAYLOAD_TOO_LARGE',
    429: 'RATE_LIMITED',
    // Of a proxy, or of a program that is not ours.
    500: 'INTERNAL',
    502: 'UPSTREAM_FAILED',
    503: 'UNAVAILABLE',
    504: 'UPSTREAM_FAILED',
    507: 'STORAGE_FULL',
  }
  return known[status] ?? 'HTTP_ERROR'
}

function headers(error: CairnError): Record<string, string> {
  return {
    [codeHeader]: error.code,
    ...(error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(error.retryAfterSeconds)) }),
  }
}

function json(error: CairnError, body: unknown): EncodedError {
  return {
    status: httpStatus(error),
    headers: { ...headers(error), 'content-type': jsonType },
    body: JSON.stringify(body),
  }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    // The caller handles a response that is not JSON by its status.
    return undefined
  }
}

function text(value: unknown): { message?: string } {
  return typeof value === 'string' && value !== '' ? { message: value } : {}
}
