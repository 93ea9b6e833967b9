import type { ErrorCode } from './errors.ts'
import { isRecord } from './is-record.ts'

/** Outcome at one key node. */
export type NodeFault = { readonly node: number; readonly code: string; readonly message?: string }
/** A field of a request, and what is wrong with it. */
export type FieldIssue = { readonly field: string; readonly message: string }

/** Types of facts, by the name that the tables below and docs/errors.md use. */
type Kinds = {
  text: string
  number: number
  texts: readonly string[]
  numbers: readonly number[]
  /** Names and values that people read; programs do not depend on them. */
  facts: Readonly<Record<string, unknown>>
  'list of facts': readonly Readonly<Record<string, unknown>>[]
  issues: readonly FieldIssue[]
  nodes: readonly NodeFault[]
}
type DetailKind = keyof Kinds

/** Facts that are numbers: by the end of their name, and some more. Times are ms since 1970. */
const numberEnd = /(Bytes|Ms|Pixels|Minute|Second|At|Until)$/
type NumberName = `${string}${'Bytes' | 'Ms' | 'Pixels' | 'Minute' | 'Second' | 'At' | 'Until'}`

/** Other facts that are no text; integers beyond 2^53 are texts. A fact has one type in all errors. */
const kinds = {
  number: 'condition floor kept limit missing needed node offset packs port price revision right segment shards time',
  texts: 'answered chains coins examples missingFields networks owners problems tokens unknown',
  numbers: 'done nodeNumbers wrongNodes',
  facts: 'fields parts payment signed',
  'list of facts': 'pay taken',
  issues: 'issues',
  nodes: 'nodes open pending',
} as const satisfies Readonly<Partial<Record<DetailKind, string>>>

/**
 * Facts of an error of any code: the fields of the request that are wrong; and, added by a client, the bytes sent so far and
 * the CID that replaces another.
 */
type GeneralFact = 'issues' | 'offsetBytes' | 'successor'

/** The facts in `details` by code, beside the general ones; none for a code without a line. Each may be absent. */
export const errorDetails = {
  INVALID_REQUEST: ['unknown', 'problems'],
  INVALID_CONDITION: ['fields', 'condition'],
  INVALID_CONFIGURATION: ['setting', 'problems', 'host', 'port', 'taken'],
  RECOVERY_NEEDED: ['database', 'owners', 'packs', 'examples'],
  INVALID_PATH: ['fileName', 'path'],
  DUPLICATE_NAME: ['fileName'],
  INVALID_RANGE: ['sizeBytes'],
  INVALID_CAR: ['cid', 'offset', 'path', 'reason'],
  BLOCK_HASH_MISMATCH: ['cid', 'offset', 'path', 'reason'],
  INCOMPLETE_DAG: ['cid', 'offset', 'path', 'reason'],
  DAG_TOO_DEEP: ['cid', 'offset', 'path', 'reason', 'limitBytes'],
  UNSUPPORTED_CODEC: ['cid', 'offset', 'path', 'reason'],
  INVALID_PIECE_CID: ['reason'],
  PIECE_TOO_LARGE: ['limitBytes'],
  PIECE_NOT_FOUND: ['state'],
  ADDRESS_NOT_ALLOWED: ['host'],
  PAYLOAD_TOO_LARGE: ['limitBytes'],
  TOO_MANY_PARTS: ['limit', 'minBytes', 'limitBytes'],
  HEADER_TOO_LARGE: ['limit'],
  PRECONDITION_FAILED: ['revision'],
  REQUEST_TIMEOUT: ['limitMs', 'minBytesPerSecond'],
  FORBIDDEN: ['scope'],
  SIGNED_FOR_ANOTHER_USE: ['signed'],
  CHALLENGE_EXPIRED: ['time'],
  WRONG_NODE: ['node'],
  UPLOAD_LIMIT: ['limit'],
  PIN_LIMIT: ['limit'],
  KEY_LIMIT: ['limit'],
  CHAIN_NOT_SUPPORTED: ['chains'],
  INVALID_IPNS_RECORD: ['reason', 'value'],
  IPNS_RECORD_EXPIRED: ['validUntil'],
  IPNS_RECORD_OUTDATED: ['sequence'],
  NAME_EXPIRED: ['validUntil'],
  NAME_TOO_DEEP: ['limit'],
  NAME_LIMIT: ['limit'],
  BLOCK_NOT_FOUND: ['cid'],
  CONTENT_DENIED: ['reportAddress'],
  CONTENT_DENIED_BY_LAW: ['reportAddress'],
  METHOD_NOT_ALLOWED: ['allow'],
  QUOTA_EXCEEDED: ['neededBytes', 'availableBytes', 'missingBytes', 'pay'],
  FREE_STORAGE_EXHAUSTED: ['neededBytes', 'availableBytes', 'missingBytes', 'pay'],
  FREE_STORAGE_PAUSED: ['neededBytes', 'availableBytes', 'missingBytes', 'pay'],
  FREE_ACCOUNTS_EXHAUSTED: ['neededBytes', 'availableBytes', 'missingBytes', 'pay', 'againAt'],
  PRICE_UNKNOWN: ['symbol', 'price', 'floor'],
  PAYMENT_FAILED: ['txHash', 'payment'],
  INSUFFICIENT_FUNDS: ['symbol', 'haveUnits', 'neededUnits'],
  UNSUPPORTED_NETWORK: ['networks'],
  TOKEN_NOT_SUPPORTED: ['coin', 'coins', 'tokens'],
  RATE_LIMITED: ['perMinute'],
  DATA_DAMAGED: ['cid', 'object', 'pack', 'piece', 'aggregate', 'segment', 'offset'],
  PIECE_DAMAGED: ['kept', 'offset', 'expectedBytes'],
  PROOF_INVALID: ['reason', 'cid', 'piece'],
  GONE: ['reason'],
  UNAVAILABLE: ['parts'],
  OVERLOADED: ['limit'],
  UPSTREAM_FAILED: ['host'],
  UNEXPECTED_RESPONSE: ['missingFields'],
  NOT_A_PICTURE: ['contentType'],
  PICTURE_TOO_LARGE: ['limitBytes', 'limitPixels', 'limitAvifPixels'],
  BACKUP_DAMAGED: ['object'],
  INVALID_CURSOR: ['newest'],
  EVENT_STREAM_LIMIT: ['limit'],
  WEBHOOK_LIMIT: ['limit'],
  CID_MISMATCH: ['computed', 'answered'],
  VERIFICATION_FAILED: ['reason', 'expected', 'received'],
  INVALID_ARCHIVE: ['path', 'field', 'id'],
  EXPORT_INCOMPLETE: ['missing', 'manifest'],
  IMPORT_INCOMPLETE: ['missing'],
  SHARDS_INCONSISTENT: ['nodeNumbers'],
  NOT_ENOUGH_SHARDS: ['needed', 'right', 'wrongNodes', 'shards', 'nodes'],
  KEY_SAVE_FAILED: ['name', 'code', 'done', 'pending', 'nodes'],
  CHANGE_INCOMPLETE: ['done', 'pending', 'node', 'message'],
  KEY_NODES_UNAVAILABLE: ['nodes', 'open'],
  FILE_TOO_LARGE: ['limitBytes'],
  NO_SESSION: ['node', 'code'],
} as const satisfies { readonly [Code in ErrorCode]?: readonly string[] }

type Table = typeof errorDetails
type FactOf<Code extends ErrorCode> = GeneralFact | (Code extends keyof Table ? Table[Code][number] : never)
type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text
type Listed = { [Kind in keyof typeof kinds]: Words<(typeof kinds)[Kind]> }
type ListedKind<Fact extends string> = {
  [Kind in keyof Listed]: Fact extends Listed[Kind] ? Kind : never
}[keyof Listed]
type KindOf<Fact extends string> = Fact extends NumberName
  ? 'number'
  : [ListedKind<Fact>] extends [never]
    ? 'text'
    : ListedKind<Fact>

/** The facts of an error with this code. */
export type ErrorDetails<Code extends ErrorCode = ErrorCode> = Code extends ErrorCode
  ? { readonly [Fact in FactOf<Code>]?: Kinds[KindOf<Fact>] }
  : never

/** Returns the type of a fact. */
export function kindOfFact(name: string): DetailKind {
  if (numberEnd.test(name)) return 'number'
  const listed = Object.entries(kinds).find(([, names]) => names.split(' ').includes(name))
  return detailKinds.find((kind) => kind === listed?.[0]) ?? 'text'
}

/** Returns the facts of a response that have the type of their name, and omits all others. */
export function checkDetails(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).filter(([name, value]) => hasKind(value, kindOfFact(name))))
}

function hasKind(value: unknown, kind: DetailKind): boolean {
  if (kind === 'number') return typeof value === 'number'
  if (kind === 'text') return typeof value === 'string'
  if (kind === 'facts') return isRecord(value)
  if (!Array.isArray(value)) return false
  return value.every((item: unknown) => {
    if (kind === 'texts') return typeof item === 'string'
    if (kind === 'numbers') return typeof item === 'number'
    if (!isRecord(item)) return false
    const { node, code, message, field } = item
    if (kind === 'nodes')
      return typeof node === 'number' && typeof code === 'string' && typeof (message ?? '') === 'string'
    return kind !== 'issues' || (typeof field === 'string' && typeof message === 'string')
  })
}

const detailKinds = ['number', 'texts', 'numbers', 'facts', 'list of facts', 'issues', 'nodes'] as const

/** Takes over facts of another code as those of this code: a fact has one type in all errors, and {@link checkDetails} checks it. */
export function readDetails<Code extends ErrorCode>(
  code: Code,
  facts: Readonly<Record<string, unknown>>,
): ErrorDetails<Code>
export function readDetails(_code: ErrorCode, facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return facts
}
