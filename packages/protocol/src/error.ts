import { type ErrorCode, type ErrorRow, errorTable } from './errors.ts'

/** What a {@link CairnError} may carry beside its code. */
export type CairnErrorOptions = {
  /** Replaces the table's sentence where the moment knows more (a file name, a number). Never put secrets here: it goes to the caller. */
  message?: string
  /** What the user can do, where it differs from the table's hint. */
  hint?: string
  /** Facts for programs: field names, sizes, limits. Goes to the caller. */
  details?: Record<string, unknown>
  /** The fault underneath, for operators. Never serialised. */
  cause?: unknown
  /** Request id of the service that answered, where there was one. */
  requestId?: string
  /** Seconds to wait before another try makes sense. */
  retryAfterSeconds?: number
  /** HTTP status as received, where a client met one that differs from the table's. */
  status?: number
}

/**
 * The one error class of Cairn: a stable code of the {@link errorTable}, a sentence, a hint and a cause.
 *
 * Recognise it by {@link CairnError.is}, not `instanceof`: two copies of the package may live in one program.
 */
export class CairnError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'CairnError'
  readonly code: Code
  /** What the user can do about it. */
  readonly hint: string
  /** HTTP status that goes with the code. */
  readonly status: number
  /** Whether the same call may succeed when made again. */
  readonly retry: boolean
  readonly details: Record<string, unknown>
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: Code, options: CairnErrorOptions = {}) {
    const row: ErrorRow = errorTable[code]
    super(options.message ?? row.message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint ?? row.hint
    this.status = options.status ?? row.status
    this.retry = row.retry
    this.details = options.details ?? {}
    this.requestId = options.requestId
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  /** True for a CairnError, of the given code where one is named, whichever copy of the package made it. */
  static is<Wanted extends ErrorCode = ErrorCode>(error: unknown, code?: Wanted): error is CairnError<Wanted> {
    return (
      error instanceof Error &&
      error.name === 'CairnError' &&
      'code' in error &&
      typeof error.code === 'string' &&
      (code === undefined || error.code === code)
    )
  }

  /** The error itself where it is one of ours, else `INTERNAL` (or the code given) with it as the cause. */
  static from(error: unknown, code: ErrorCode = 'INTERNAL'): CairnError {
    return CairnError.is(error) ? error : new CairnError(code, { cause: error })
  }

  /** What goes to callers and logs: no cause, no stack. */
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
