import type * as v from 'valibot'
import type { DialectName } from './dialects.ts'
import type { ErrorCode } from './errors.ts'

/** Any Valibot schema; calls speak of no other library. */
export type Schema = v.GenericSchema

/**
 * The listeners a call can live on; `keys` are the key nodes and the router before them, which share every path; `provider`
 * is any storage provider; `metrics` is the operators' listener that every service has.
 */
export type Host = 'api' | 'gateway' | 'keys' | 'provider' | 'metrics'

/** What an API key may do. `files:read` lists and shows, `files:write` uploads, pins, renames and deletes, `account` manages keys. */
export const scopes = ['files:read', 'files:write', 'account'] as const
export type Scope = (typeof scopes)[number]

/** How a request's body looks. Streams (`multipart`, `bytes`) are read by the service piece by piece; the definition owns their limits. */
export type BodyDefinition =
  | { kind: 'json'; schema: Schema }
  | { kind: 'multipart'; description: string }
  | { kind: 'bytes'; mediaType: string; description: string }

/** How a good answer looks. */
export type ResponseDefinition =
  | { kind: 'json'; schema: Schema; description?: string }
  | { kind: 'text'; mediaType: string; description?: string }
  | { kind: 'bytes'; description?: string }
  | { kind: 'none'; description?: string }

/** Limits that hold before any work is done. */
export type CallLimits = {
  /** Largest body in bytes; `undefined` for streams whose bound is the account's quota. */
  bodyBytes?: number
  /** Longest time for the whole call in ms; streams have none but a minimum rate. */
  timeoutMs?: number
  /** Calls a minute for each key or, without one, each address of the network. */
  perMinute?: number
}

/** One HTTP call: all that server, client, documentation and tests need to know. */
export type CallDefinition = {
  /** The word that route, SDK function, CLI command and page share. */
  id: string
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  /** Path with `{name}` parameters; `{name*}` at the end takes the rest, slashes and all. */
  path: string
  host: Host
  tag: string
  summary: string
  description?: string
  /**
   * `apiKey`: a bearer key is needed, with the scope named. `optionalApiKey`: anyone may call; a key that is sent has to be
   * valid and have the scope. `session`: a session with the key nodes, or a fresh signature. `providerKey`: the one key of a
   * storage provider.
   */
  auth: 'none' | 'apiKey' | 'optionalApiKey' | 'session' | 'providerKey'
  scope?: Scope
  /** Whether browsers may send credentials from other origins: published clients do so to a few calls. No call reads any. */
  allowsCredentials?: boolean
  params?: Schema
  query?: Schema
  headers?: Schema
  body?: BodyDefinition
  response: ResponseDefinition
  /** Good status, 200 unless said. */
  status?: number
  /** The codes it may answer with beside {@link commonErrors}. */
  errors: readonly ErrorCode[]
  dialect: DialectName
  limits: CallLimits
  /** Whether the same call made twice does no more than once, so that clients may try again by themselves. */
  idempotent: boolean
}

/** Codes any call may answer with. */
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

/** Codes any call with a key may answer with. */
export const authErrors = [
  'UNAUTHENTICATED',
  'API_KEY_EXPIRED',
  'API_KEY_REVOKED',
  'FORBIDDEN',
] as const satisfies readonly ErrorCode[]

/** Codes that a call which stores something answers with if there is too little storage: paying fixes each of them. */
export const shortageErrors = [
  'QUOTA_EXCEEDED',
  'FREE_STORAGE_EXHAUSTED',
  'FREE_STORAGE_PAUSED',
  'FREE_ACCOUNTS_EXHAUSTED',
] as const satisfies readonly ErrorCode[]

/** Codes any call to a key node with a session may answer with. */
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

/** Declares a call. Gives back what it gets, with its literal types. */
/* @__NO_SIDE_EFFECTS__ */
export function defineCall<const Call extends CallDefinition>(call: Call): Call {
  return call
}

/**
 * Declares a call that is made of parts of others. Marked as pure where it stands, it is left out of bundles that do not make
 * the call: bundlers take spreads, and calls of other modules, for something that does something.
 */
export function makeCall<const Call extends CallDefinition>(make: () => Call): Call {
  return make()
}

type Input<S> = S extends Schema ? v.InferInput<S> : undefined
type Output<S> = S extends Schema ? v.InferOutput<S> : undefined
type BodySchema<C extends CallDefinition> = C['body'] extends { kind: 'json'; schema: infer S } ? S : undefined
type Defined<T> = { [K in keyof T as T[K] extends undefined ? never : K]: T[K] }

/** What a client gives: the schemas' input side, only the parts the call has. */
export type CallInput<C extends CallDefinition> = Defined<{
  params: Input<C['params']>
  query: Input<C['query']>
  headers: Input<C['headers']>
  body: Input<BodySchema<C>>
}>

/** What a handler gets: the schemas' output side, parsed. */
export type CallArguments<C extends CallDefinition> = Defined<{
  params: Output<C['params']>
  query: Output<C['query']>
  headers: Output<C['headers']>
  body: Output<BodySchema<C>>
}>

/** What a JSON call gives back to a client. */
export type CallResult<C extends CallDefinition> = C['response'] extends { kind: 'json'; schema: infer S }
  ? Output<S>
  : undefined

/** Writes a call's path with its parameters, percent-encoded; `{name*}` keeps its slashes. */
export function callPath(call: Pick<CallDefinition, 'path'>, params: Record<string, string> = {}): string {
  return call.path.replace(/\{(\w+)(\*?)\}/g, (_all, name: string, rest: string) => {
    const value = params[name] ?? ''
    return rest ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value)
  })
}
