import type * as v from 'valibot'
import type { DialectName } from './errors/dialects.ts'
import type { ErrorCode } from './errors/error-table.ts'

/** Any Valibot schema; calls use no other library. */
export type Schema = v.GenericSchema

/**
 * The listeners that a call can belong to. `keys` are the key nodes and the router before them, which share every path;
 * `provider` is any storage provider; `metrics` is the operator listener of every service.
 */
export type Host = 'api' | 'gateway' | 'keys' | 'provider' | 'metrics'

/**
 * Rights of an API key. `files:read` lists and shows, `files:write` uploads, pins, renames and deletes, `account`
 * manages keys and webhooks.
 */
export const scopes = ['files:read', 'files:write', 'account'] as const
export type Scope = (typeof scopes)[number]

/**
 * Format of a request body. The service reads streams (`multipart`, `bytes`) chunk by chunk; the definition owns their
 * limits.
 */
export type BodyDefinition =
  /** `acceptsForm`: also as `application/x-www-form-urlencoded`, where each field is text. */
  | { kind: 'json'; schema: Schema; acceptsForm?: boolean }
  | { kind: 'multipart'; description: string }
  | { kind: 'bytes'; mediaType: string; description: string }

/** Format of a successful response. */
export type ResponseDefinition =
  | { kind: 'json'; schema: Schema; description?: string }
  | { kind: 'text'; mediaType: string; description?: string }
  /** The service sends `application/octet-stream`, or one of `mediaTypes`. */
  | { kind: 'bytes'; mediaTypes?: readonly string[]; description?: string }
  | { kind: 'none'; description?: string }

/** Limits enforced before any work starts. */
export type CallLimits = {
  /** Maximum size of the body in bytes; `undefined` for streams limited by the quota of the account. */
  bodyBytes?: number
  /** Time limit of the whole call in ms; streams have a minimum rate instead. */
  timeoutMs?: number
  /** Calls per minute for each key or, without one, each network address. */
  perMinute?: number
  /** Whether all replicas of a service share the rate, because the call creates rights, costs money or guesses secrets. */
  isShared?: boolean
}

/** One HTTP call, with everything that server, client, documentation and tests need. */
export type CallDefinition = {
  /** The name that route, SDK function, CLI command and page share. */
  id: string
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  /** Path with `{name}` parameters; `{name*}` at the end matches the rest, including slashes. */
  path: string
  host: Host
  tag: string
  summary: string
  description?: string
  /**
   * `apiKey`: requires a bearer key with the given scope. `optionalApiKey`: open to all; a key that is sent must be
   * valid and have the scope. `session`: a session with the key nodes, or a fresh signature. `providerKey`: the key of
   * a storage provider. `peer`: a token that another key node signed.
   */
  auth: 'none' | 'apiKey' | 'optionalApiKey' | 'session' | 'providerKey' | 'peer'
  scope?: Scope
  /**
   * Whether browsers may send credentials from other origins, as published clients do for a few calls. No call reads
   * any.
   */
  allowsCredentials?: boolean
  params?: Schema
  query?: Schema
  headers?: Schema
  body?: BodyDefinition
  response: ResponseDefinition
  /** Status of success. Defaults to 200. */
  status?: number
  /** Further statuses of success, and when the service answers with them. */
  otherStatuses?: Readonly<Record<string, string>>
  /** Error codes in addition to {@link commonErrors}. */
  errors: readonly ErrorCode[]
  dialect: DialectName
  limits: CallLimits
  /** Whether a repeated call has no further effect, so that clients may retry automatically. */
  idempotent: boolean
}

/** Error codes of any call. */
export const commonErrors = [
  'INVALID_REQUEST',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'PAYLOAD_TOO_LARGE',
  'HEADER_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'REQUEST_TIMEOUT',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
  'OVERLOADED',
] as const satisfies readonly ErrorCode[]

/** Error codes of any call with an API key. */
export const authErrors = [
  'UNAUTHENTICATED',
  'API_KEY_EXPIRED',
  'API_KEY_REVOKED',
  'ACCOUNT_BLOCKED',
  'FORBIDDEN',
] as const satisfies readonly ErrorCode[]

/** Error codes of calls that store data when storage runs out: paying fixes each of them. */
export const shortageErrors = [
  'QUOTA_EXCEEDED',
  'FREE_STORAGE_EXHAUSTED',
  'FREE_STORAGE_PAUSED',
  'FREE_ACCOUNTS_EXHAUSTED',
] as const satisfies readonly ErrorCode[]

/** Codes that a call which reads or stores content answers with if the operator denied that content. */
export const deniedErrors = ['CONTENT_DENIED', 'CONTENT_DENIED_BY_LAW'] as const satisfies readonly ErrorCode[]

/** Error codes of any call to a key node with a session. */
export const sessionErrors = [
  'INVALID_SIGNATURE',
  'SESSION_EXPIRED',
  'CHAIN_NOT_CONFIGURED',
  'UPSTREAM_FAILED',
  'WRONG_NODE',
  'INVALID_ADDRESS',
  'INVALID_CID',
  'KEY_NODES_UNAVAILABLE',
] as const satisfies readonly ErrorCode[]

/** Declares a call. Returns its argument with literal types. */
/* @__NO_SIDE_EFFECTS__ */
export function defineCall<const Call extends CallDefinition>(call: Call): Call {
  return call
}

/**
 * Declares a call that is composed of parts of others. Marked as pure at each use, so that bundlers drop calls a client
 * does not make: they treat spreads, and calls into other modules, as side effects.
 */
export function makeCall<const Call extends CallDefinition>(make: () => Call): Call {
  return make()
}

type Input<S> = S extends Schema ? v.InferInput<S> : undefined
type Output<S> = S extends Schema ? v.InferOutput<S> : undefined
type BodySchema<C extends CallDefinition> = C['body'] extends { kind: 'json'; schema: infer S } ? S : undefined
type Defined<T> = { [K in keyof T as T[K] extends undefined ? never : K]: T[K] }

/** Input of a client: the input side of the schemas, only the parts that the call has. */
export type CallInput<C extends CallDefinition> = Defined<{
  params: Input<C['params']>
  query: Input<C['query']>
  headers: Input<C['headers']>
  body: Input<BodySchema<C>>
}>

/** Input of a handler: the parsed output side of the schemas. */
export type CallArguments<C extends CallDefinition> = Defined<{
  params: Output<C['params']>
  query: Output<C['query']>
  headers: Output<C['headers']>
  body: Output<BodySchema<C>>
}>

/** Result of a JSON call for a client. */
export type CallResult<C extends CallDefinition> = C['response'] extends { kind: 'json'; schema: infer S }
  ? Output<S>
  : undefined

/** Builds the path of a call with its parameters, percent-encoded; `{name*}` keeps its slashes. */
export function callPath(call: Pick<CallDefinition, 'path'>, params: Record<string, string> = {}): string {
  return call.path.replace(/\{(\w+)(\*?)\}/g, (_all, name: string, rest: string) => {
    const value = params[name] ?? ''
    return rest ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value)
  })
}
