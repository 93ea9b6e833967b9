import { isRecord } from '../shared/is-record.ts'
import type { ErrorCode } from './error-table.ts'
import { localFacts } from './local-facts.ts'

/** Outcome at one key node. */
export type NodeFailure = { readonly node: number; readonly code: string; readonly message?: string }
/** A field of a request, and what is wrong with it. */
export type FieldIssue = { readonly field: string; readonly message: string }

/** Types of facts, by the mark that follows their names in the table of errors. Times are ms since 1970. */
type Kinds = {
  '': string
  /** Integers beyond 2^53 are texts. */
  '#': number
  '[]': readonly string[]
  '#[]': readonly number[]
  /** Names and values that people read; programs do not depend on them. */
  '{}': Readonly<Record<string, unknown>>
  '{}[]': readonly Readonly<Record<string, unknown>>[]
  '@': readonly NodeFailure[]
  '!': readonly FieldIssue[]
}

/**
 * Facts that an error of any code may have: the fields of the request that are wrong; and, added by a client, the bytes sent
 * so far and the CID that replaces another.
 */
const generalFacts = 'issues!? offsetBytes#? successor?'

/**
 * The facts in `details` by code, besides the general ones: names, each followed by the mark of its type. An error cannot be
 * created without a fact of its code, unless the name ends with `?`. A code without a row has no facts.
 */
const errorFacts = {
  INVALID_REQUEST: 'unknown[]? problems[]?',
  INVALID_PATH: 'fileName? path?',
  INVALID_RANGE: 'sizeBytes#?',
  DUPLICATE_NAME: 'fileName',
  INVALID_CAR: 'cid? offset#? path? reason?',
  BLOCK_HASH_MISMATCH: 'cid? offset#? path? reason?',
  INCOMPLETE_DAG: 'cid? offset#? path? reason? reasonFacts{}?',
  DAG_TOO_DEEP: 'cid? offset#? path? reason? limitBytes#?',
  UNSUPPORTED_CODEC: 'cid? offset#? path? reason?',
  INVALID_PIECE_CID: 'reason reasonFacts{}?',
  PIECE_TOO_LARGE: 'limitBytes#?',
  PIECE_NOT_FOUND: 'state?',
  ADDRESS_NOT_ALLOWED: 'host',
  PAYLOAD_TOO_LARGE: 'limitBytes#',
  TOO_MANY_PARTS: 'limit#? minBytes#? limitBytes#?',
  HEADER_TOO_LARGE: 'limit#',
  NOT_A_PICTURE: 'contentType?',
  PICTURE_TOO_LARGE: 'limitBytes#? limitPixels#? limitAvifPixels#?',
  PRECONDITION_FAILED: 'revision#?',
  REQUEST_TIMEOUT: 'limitMs#? minBytesPerSecond#?',
  INVALID_SIGNATURE: 'time#?',
  CHALLENGE_EXPIRED: 'time#?',
  FORBIDDEN: 'scope?',
  SIGNED_FOR_ANOTHER_USE: 'signed{}?',
  WRONG_NODE: 'node#',
  UPLOAD_LIMIT: 'limit#',
  PIN_LIMIT: 'limit#',
  INVALID_CURSOR: 'newest',
  EVENT_STREAM_LIMIT: 'limit#',
  WEBHOOK_LIMIT: 'limit#',
  KEY_LIMIT: 'limit#',
  INVALID_CONDITION: 'fields{}? rules{}? field? condition#? position#? reason? reasonFacts{}?',
  CHAIN_NOT_SUPPORTED: 'chains[]',
  KEY_NODES_UNAVAILABLE: 'nodes@? open@?',
  INVALID_IPNS_RECORD: 'reason value?',
  IPNS_RECORD_EXPIRED: 'validUntil#?',
  IPNS_RECORD_OUTDATED: 'sequence?',
  NAME_EXPIRED: 'validUntil#',
  NAME_TOO_DEEP: 'limit#?',
  NAME_LIMIT: 'limit#',
  BLOCK_NOT_FOUND: 'cid',
  CONTENT_DENIED: 'reportAddress?',
  CONTENT_DENIED_BY_LAW: 'reportAddress?',
  METHOD_NOT_ALLOWED: 'allow',
  GONE: 'reason',
  QUOTA_EXCEEDED: 'neededBytes#? availableBytes#? missingBytes#? pay{}[]?',
  FREE_STORAGE_EXHAUSTED: 'neededBytes# availableBytes# missingBytes# pay{}[]?',
  FREE_STORAGE_PAUSED: 'neededBytes# availableBytes# missingBytes# pay{}[]?',
  FREE_ACCOUNTS_EXHAUSTED: 'neededBytes# availableBytes# missingBytes# pay{}[]? againAt#?',
  PRICE_UNKNOWN: 'symbol? price#? floor#?',
  UNSUPPORTED_NETWORK: 'networks[]',
  TOKEN_NOT_SUPPORTED: 'coin? coins[]? tokens[]?',
  RATE_LIMITED: 'perMinute#?',
  DATA_DAMAGED: 'cid? object? pack? piece? aggregate? segment#? offset#?',
  PIECE_DAMAGED: 'kept#? offset#? expectedBytes#?',
  PROOF_INVALID: 'reason reasonFacts{}? cid? piece?',
  UNAVAILABLE: 'parts{}?',
  OVERLOADED: 'limit#?',
  UPSTREAM_FAILED: 'host? reason? reasonFacts{}?',
  VERIFICATION_FAILED: 'reason? expected? received?',
  KEY_SAVE_FAILED: 'name code done#[]? pending@? nodes@?',
  CHANGE_INCOMPLETE: 'done#[]? pending@? node#? message?',
  FILE_TOO_LARGE: 'limitBytes#?',
  NO_SESSION: 'node#? code?',
} as const satisfies { readonly [Code in ErrorCode]?: string }

type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text
type AllFacts = typeof errorFacts & typeof localFacts
/** The words of the code's row; of several codes, those of all. */
type WordOf<Code extends ErrorCode> = Code extends keyof AllFacts ? Words<AllFacts[Code]> : never
type RequiredWord<Code extends ErrorCode> = Exclude<WordOf<Code>, `${string}?`>
type OptionalWord<Code extends ErrorCode> = Extract<WordOf<Code> | Words<typeof generalFacts>, `${string}?`>
type Bare<Word extends string> = Word extends `${infer Fact}?` ? Fact : Word
type MarkOf<Word extends string> =
  Bare<Word> extends `${string}#[]`
    ? '#[]'
    : Bare<Word> extends `${string}{}[]`
      ? '{}[]'
      : Bare<Word> extends `${string}[]`
        ? '[]'
        : Bare<Word> extends `${string}#`
          ? '#'
          : Bare<Word> extends `${string}{}`
            ? '{}'
            : Bare<Word> extends `${string}@`
              ? '@'
              : Bare<Word> extends `${string}!`
                ? '!'
                : ''
type NameOf<Word extends string> = Word extends string
  ? Bare<Word> extends `${infer Name}${MarkOf<Word>}`
    ? Name
    : never
  : never

/** The facts of an error with this code, as a reader finds them: a service of another version may omit any. */
export type ErrorDetails<Code extends ErrorCode = ErrorCode> = Code extends ErrorCode
  ? { readonly [Word in RequiredWord<Code> | OptionalWord<Code> as NameOf<Word>]?: Kinds[MarkOf<Word>] }
  : never

/** The facts that create an error with this code; of several codes, those that each of them requires. */
export type RequiredDetails<Code extends ErrorCode> = {
  readonly [Word in RequiredWord<Code> as NameOf<Word>]: Kinds[MarkOf<Word>]
} & { readonly [Word in OptionalWord<Code> as NameOf<Word>]?: Kinds[MarkOf<Word>] }

/** Whether an error with one of these codes cannot be created without facts. */
export type NeedsDetails<Code extends ErrorCode> = [RequiredWord<Code>] extends [never] ? false : true

/** A code whose errors can be created without facts. */
export type PlainErrorCode = { [Code in ErrorCode]: NeedsDetails<Code> extends true ? never : Code }[ErrorCode]

declare const isParsed: unique symbol
/** Facts that {@link parseDetails} found. */
export type ParsedDetails = { readonly [isParsed]: true }

type FactRows = Readonly<Partial<Record<ErrorCode, string>>>
type Fact = { name: string; mark: string; isRequired: boolean }

/** Returns the facts of a code. */
export function listFacts(code: ErrorCode): Fact[] {
  const rows: FactRows = { ...errorFacts, ...localFacts }
  return Array.from((rows[code] ?? '').matchAll(/(\w+)([^?\s]*)(\??)/g), ([, name = '', mark = '', optional]) => ({
    name,
    mark,
    isRequired: optional === '',
  }))
}

/**
 * Returns the facts of a response, a store or another error that an error with this code may have; omits those of other
 * codes and of other types.
 */
export function parseDetails(code: ErrorCode, facts: Readonly<Record<string, unknown>>): ParsedDetails
export function parseDetails(code: ErrorCode, facts: Readonly<Record<string, unknown>>): object {
  const rows: FactRows = errorFacts
  const words = `${rows[code] ?? ''} ${generalFacts}`.replaceAll('?', '').split(' ')
  return Object.fromEntries(
    Object.entries(facts).filter(([name, value]) =>
      words.some((word) => /^\w+/.exec(word)?.[0] === name && hasType(value, word.slice(name.length))),
    ),
  )
}

function hasType(value: unknown, mark: string): boolean {
  if (mark.endsWith('[]')) return Array.isArray(value) && value.every((item) => hasType(item, mark.slice(0, -2)))
  if (mark === '#') return typeof value === 'number'
  if (mark === '{}') return isRecord(value)
  if (mark === '') return typeof value === 'string'
  if (mark === '@') return Array.isArray(value) && value.every(isNodeFailure)
  return mark === '!' && Array.isArray(value) && value.every(isFieldIssue)
}

function isNodeFailure(item: unknown): boolean {
  if (!isRecord(item)) return false
  const { node, code, message = '' } = item
  return typeof node === 'number' && typeof code === 'string' && typeof message === 'string'
}

function isFieldIssue(item: unknown): boolean {
  return isRecord(item) && typeof item['field'] === 'string' && typeof item['message'] === 'string'
}

/** Returns given or parsed facts as their readers find them. */
export function toDetails<Code extends ErrorCode>(
  code: Code,
  facts: RequiredDetails<Code> | ParsedDetails | undefined,
): ErrorDetails<Code>
export function toDetails(_code: ErrorCode, facts: object = {}): object {
  return facts
}
