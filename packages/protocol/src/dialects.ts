import { CairnError, type CairnErrorOptions } from './error.ts'
import { type ErrorCode, errorTable, isErrorCode } from './errors.ts'

/** What leaves a service for an error: all a handler has to send. */
export type EncodedError = { status: number; headers: Record<string, string>; body: string }

/** What a client received: enough to make the error again. */
export type ReceivedError = { status: number; header: (name: string) => string | null; body: string }

type Dialect = {
  encode(error: CairnError): EncodedError
  /** The text of the error in the body, where the body has this dialect's form. */
  read(body: unknown): { message?: string; fields: Record<string, unknown> } | undefined
}

/** Carries the code in every dialect, also where the body's form has no place for it (HEAD, plain text, peers' forms). */
export const codeHeader = 'x-cairn-code'
/** Names a request in logs and answers. */
export const requestIdHeader = 'x-request-id'

const jsonType = 'application/json; charset=utf-8'

/**
 * The error bodies of the wire, encode and decode side by side.
 *
 * - `api`: `{ error: { code, message, … } }`, as the published clients of the account calls read it.
 * - `upload`: `{ error: "text", code, … }`: published clients print `error` as it is.
 * - `ipns`: `{ error: [{ message, code, … }] }`, as the calls about names of published clients answer.
 * - `kubo`: `{ Message, Code, Type: "error" }`, as Kubo's RPC answers.
 * - `gateway`: one line of plain text; people and `curl` read it.
 * - `keyNode`: `{ message }`, as published clients read key nodes; a refusal is nested three deep.
 * - `keyNodeShare`: the same for sharing, where published clients look for a refusal in an array.
 */
export const dialects = {
  api: {
    encode: (error) => json(error, { error: error.toJSON() }),
    read: (body) => {
      if (!isRecord(body) || !isRecord(body['error'])) return undefined
      return { ...text(body['error']['message']), fields: body['error'] }
    },
  },
  ipns: {
    encode: (error) => json(error, { error: [error.toJSON()] }),
    read: (body) => {
      const list = isRecord(body) ? body['error'] : undefined
      const first: unknown = Array.isArray(list) ? list[0] : undefined
      return isRecord(first) ? { ...text(first['message']), fields: first } : undefined
    },
  },
  upload: {
    encode: (error) => {
      const { message, ...rest } = error.toJSON()
      return json(error, { error: message, ...rest })
    },
    read: (body) => {
      if (!isRecord(body) || typeof body['error'] !== 'string') return undefined
      return { message: body['error'], fields: body }
    },
  },
  kubo: {
    encode: (error) => {
      // Go reads names without regard to case: `code` beside `Code` would hide the message. The header carries the code.
      const { message, code: _inHeader, ...rest } = error.toJSON()
      const encoded = json(error, { Message: message, Code: 0, Type: 'error', ...rest })
      return { ...encoded, status: kuboStatus(encoded.status) }
    },
    read: (body) => {
      if (!isRecord(body) || typeof body['Message'] !== 'string') return undefined
      return { message: body['Message'], fields: body }
    },
  },
  gateway: {
    encode: (error) => ({
      status: httpStatus(error),
      headers: { ...headers(error), 'content-type': 'text/plain; charset=utf-8' },
      body: `${error.message}\n${error.hint}\n`,
    }),
    read: (body) => {
      if (typeof body !== 'string') return undefined
      const [message, hint] = body.split('\n')
      return { ...text(message), fields: hint ? { hint } : {} }
    },
  },
  keyNode: {
    encode: (error) => {
      const denied = { message: { message: { message: error.message, data: {} } } }
      return keyNodeJson(error, error.code === 'ACCESS_DENIED' ? denied : { message: error.message })
    },
    read: readKeyNode,
  },
  keyNodeShare: {
    encode: (error) => {
      const denied = { message: [{ message: { message: error.message.toLowerCase(), data: {} } }], said: error.message }
      return keyNodeJson(error, error.code === 'ACCESS_DENIED' ? denied : { message: error.message })
    },
    read: readKeyNode,
  },
} as const satisfies Record<string, Dialect>

/** Kubo's program reports any 404 as "Command not found." and drops the text, so that missing content is a 500 as in Kubo. */
function kuboStatus(status: number): number {
  return status === 404 ? 500 : status
}

/**
 * Published clients of key nodes search the whole text of an error: `fetch` makes them try again, `null` means that the
 * CID is unknown. So neither word stands anywhere but where it is meant.
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

/** The innermost text of `message`, however deep it is nested. */
function readKeyNode(body: unknown): ReturnType<Dialect['read']> {
  if (!isRecord(body) || !('message' in body)) return undefined
  let inner: unknown = body['said'] ?? body['message']
  for (let depth = 0; depth < 5 && typeof inner !== 'string'; depth++) {
    if (Array.isArray(inner)) inner = inner[0]
    else if (isRecord(inner)) inner = inner['message']
    else return undefined
  }
  return typeof inner === 'string' ? { message: inner, fields: body } : undefined
}

/** The name of an error body's form. */
export type DialectName = keyof typeof dialects

/** Writes an error in a dialect: status, headers and body. */
export function encodeError(dialect: DialectName, error: CairnError): EncodedError {
  return dialects[dialect].encode(error)
}

/**
 * Reads an error answer of any server: ours in the named dialect, else in any other form we know, else by its status alone.
 *
 * Codes unknown to this version become `HTTP_ERROR`, with the server's message kept.
 */
export function decodeError(dialect: DialectName, received: ReceivedError): CairnError {
  const parsed = parseJson(received.body)
  const order: DialectName[] = [dialect, 'api', 'upload', 'kubo', 'keyNode']
  let found: ReturnType<Dialect['read']>
  for (const name of order) {
    found = dialects[name].read(name === 'gateway' ? received.body : parsed)
    if (found !== undefined) break
  }
  const fields = found?.fields ?? {}
  const headerCode = received.header(codeHeader)
  const named = isErrorCode(headerCode) ? headerCode : isErrorCode(fields['code']) ? fields['code'] : undefined
  const code: ErrorCode = named ?? codeForStatus(received.status)
  const options: CairnErrorOptions = { status: received.status }
  const message =
    found?.message ?? (named === undefined ? `Request failed with status code ${received.status}` : undefined)
  if (message) options.message = message.slice(0, 2000)
  if (typeof fields['hint'] === 'string') options.hint = fields['hint']
  if (isRecord(fields['details'])) options.details = fields['details']
  const requestId = received.header(requestIdHeader)
  if (requestId) options.requestId = requestId
  const retryAfter = Number(received.header('retry-after') ?? Number.NaN)
  if (Number.isFinite(retryAfter)) options.retryAfterSeconds = retryAfter
  return new CairnError(code, options)
}

/** The status that an error with this code leaves with in a dialect. */
export function statusOf(dialect: DialectName, code: ErrorCode): number {
  const { status } = errorTable[code]
  return dialect === 'kubo' ? kuboStatus(status) : status
}

/** The status an error leaves with: codes that only clients meet never should, and count as internal. */
export function httpStatus(error: CairnError): number {
  const status = errorTable[error.code].status
  return status === 0 ? 500 : status
}

/** The code for an answer that names none. */
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
    502: 'UPSTREAM_FAILED',
    503: 'UNAVAILABLE',
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
    // Not JSON is an answer like any other here: the caller falls back on the status.
    return undefined
  }
}

function text(value: unknown): { message?: string } {
  return typeof value === 'string' && value !== '' ? { message: value } : {}
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
