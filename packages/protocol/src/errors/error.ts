import {
  type ErrorDetails,
  type NeedsDetails,
  type ParsedDetails,
  type PlainErrorCode,
  type RequiredDetails,
  toDetails,
} from './error-details.ts'
import { type ClientErrorCode, type ErrorCode, type ErrorRow, errorTable } from './error-table.ts'

/**
 * The codes of the errors that a program may create. Code of browsers may create those whose texts are in every bundle; packages
 * that never run in a browser add all others to this type.
 */
// biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be added to.
export interface CreatedErrors {
  clients: ClientErrorCode
}
type CreatedCode = CreatedErrors[keyof CreatedErrors]

/** Optional parts of a {@link CairnError}. */
export type CairnErrorOptions<Code extends ErrorCode = ErrorCode> = {
  /**
   * Replaces the message of the table with a more specific one (a file name, a number). Never contains secrets: it
   * reaches the caller.
   */
  message?: string
  /** What the user can do, if it differs from the hint of the table. */
  hint?: string
  /** Facts for programs, by the table `errorDetails`: field names, sizes, limits. Reaches the caller. */
  details?: RequiredDetails<Code> | ParsedDetails
  /** The underlying error, for operators. Never serialised. */
  cause?: unknown
  /** Request id of the service that answered, if any. */
  requestId?: string
  /** Seconds to wait before a retry. */
  retryAfterSeconds?: number
  /** HTTP status as received, if it differs from that of the table. */
  status?: number
}

/** The options of a new error: required, with `details`, if its code has facts that no error of it lacks. */
export type CairnErrorArguments<Code extends ErrorCode> =
  NeedsDetails<Code> extends true
    ? [options: CairnErrorOptions<Code> & { details: RequiredDetails<Code> | ParsedDetails }]
    : [options?: CairnErrorOptions<Code>]

/**
 * The one error class of Cairn: a stable code of the {@link errorTable}, a message, a hint and a cause.
 * Detect it with {@link CairnError.is}, not `instanceof`: a program may contain two copies of the package.
 */
export class CairnError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'CairnError'
  readonly code: Code
  /** What the user can do. */
  readonly hint: string
  /** HTTP status of the code. */
  readonly status: number
  /** Whether a retry of the same call may succeed. */
  readonly retry: boolean
  /** Facts for programs, typed by the code. */
  readonly details: ErrorDetails<Code>
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: Code & CreatedCode, ...given: CairnErrorArguments<Code>)
  /** An error that another program created: its facts are parsed. */
  constructor(code: Code, options: CairnErrorOptions<Code> & { details: ParsedDetails })
  constructor(code: Code, options: CairnErrorOptions<Code> = {}) {
    const row: ErrorRow = errorTable[code]
    super(options.message ?? row.message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint ?? row.hint
    this.status = options.status ?? row.status
    this.retry = row.retry
    this.details = toDetails(code, options.details)
    this.requestId = options.requestId
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  /**
   * Returns whether a value is a CairnError, of the given code if one is named, whichever copy of the package created
   * it.
   */
  static is<Wanted extends ErrorCode = ErrorCode>(error: unknown, code?: Wanted): error is CairnError<Wanted> {
    return (
      error instanceof Error &&
      error.name === 'CairnError' &&
      'code' in error &&
      typeof error.code === 'string' &&
      (code === undefined || error.code === code)
    )
  }

  /**
   * Returns a CairnError unchanged, and wraps any other error in `INTERNAL` (or the given code) with it as the cause.
   */
  static from(error: unknown, code: PlainErrorCode & CreatedCode = 'INTERNAL'): CairnError {
    return toCairnError(error, code)
  }

  /** The form for callers and logs: no cause, no stack. */
  toJSON(): { code: ErrorCode; message: string; hint: string; requestId?: string; details?: Record<string, unknown> } {
    return {
      code: this.code,
      message: this.message,
      hint: this.hint,
      ...(this.requestId === undefined ? {} : { requestId: this.requestId }),
      ...(Object.keys(this.details).length === 0 ? {} : { details: this.details }),
    }
  }
}

/** Not in the class: bundlers change the name of a class that refers to itself, and logs show it. */
function toCairnError(error: unknown, code: PlainErrorCode & CreatedCode): CairnError {
  return CairnError.is(error) ? error : new CairnError(code, { cause: error })
}

/** Returns the fact `reason` of an error whose code may have one. */
export function reasonOf({ details }: CairnError): string | undefined {
  return 'reason' in details ? details.reason : undefined
}
