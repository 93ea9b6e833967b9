/** Error codes of this package; the service maps these to its own table of codes. */
export type UnixfsErrorCode =
  /** A CAR that is truncated, has an unreadable header or frame, or exceeds a limit. */
  | 'BAD_CAR'
  /** A block that violates its codec or UnixFS. */
  | 'BAD_BLOCK'
  /** A path inside a folder that is empty, absolute, or has a `.`, `..`, slash or zero byte in a name. */
  | 'BAD_NAME'
  /** The bytes do not match the CID. */
  | 'HASH_MISMATCH'
  /** A required block is not in the source. */
  | 'MISSING_BLOCK'
  /** Two entries of one folder have the same name. */
  | 'DUPLICATE_NAME'
  /** The path does not exist. */
  | 'NOT_FOUND'
  /** The path continues below something that is not a folder. */
  | 'NOT_A_DIRECTORY'
  /** A read of something that is not a file. */
  | 'NOT_A_FILE'
  /** A range outside the file. */
  | 'BAD_RANGE'
  /** More levels than the limit. */
  | 'TOO_DEEP'
  /** More nodes, links or bytes than the limit. */
  | 'TOO_LARGE'
  /** A node that is its own ancestor; only possible with a source that does not check hashes. */
  | 'CYCLE'
  /** An unsupported codec, hash function or node kind. */
  | 'UNSUPPORTED'

/** The one error of this package: a stable code, a message, and its position. */
export class UnixfsError extends Error {
  override readonly name = 'UnixfsError'
  readonly code: UnixfsErrorCode
  /** Facts for logs and responses: `offset` in a CAR, `cid` of a block, `path` in a folder. */
  readonly details: Readonly<Record<string, string | number>>

  constructor(
    code: UnixfsErrorCode,
    message: string,
    details: Record<string, string | number> = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.code = code
    this.details = details
  }

  /** Returns whether `error` is of this class (by name, so that two copies of the package agree) and has that code. */
  static is(error: unknown, code?: UnixfsErrorCode): error is UnixfsError {
    return (
      error instanceof Error &&
      error.name === 'UnixfsError' &&
      'code' in error &&
      (code === undefined || error.code === code)
    )
  }
}
