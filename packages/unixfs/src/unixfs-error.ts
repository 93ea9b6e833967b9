/** What can go wrong in this package; the service maps these to its own table of codes. */
export type UnixfsErrorCode =
  /** A CAR that ends early, has a header or frame that cannot be read, or breaks a limit. */
  | 'BAD_CAR'
  /** A block whose bytes are not what its codec or UnixFS allows. */
  | 'BAD_BLOCK'
  /** A path inside a folder that is empty, absolute, or has a `.`, `..`, slash or zero byte in a name. */
  | 'BAD_NAME'
  /** The bytes are not those the CID names. */
  | 'HASH_MISMATCH'
  /** A block that is needed is not in the source. */
  | 'MISSING_BLOCK'
  /** Two entries of one folder have the same name. */
  | 'DUPLICATE_NAME'
  /** The path names nothing. */
  | 'NOT_FOUND'
  /** The path goes on below something that is not a folder. */
  | 'NOT_A_DIRECTORY'
  /** The bytes of something that is not a file were asked for. */
  | 'NOT_A_FILE'
  /** A range outside the file. */
  | 'BAD_RANGE'
  /** More levels than the limit. */
  | 'TOO_DEEP'
  /** More nodes, links or bytes than the limit. */
  | 'TOO_LARGE'
  /** A node that is its own ancestor; only a source that does not check hashes can answer so. */
  | 'CYCLE'
  /** A codec, hash function or node kind that is not spoken here. */
  | 'UNSUPPORTED'

/** The one error of this package: a stable code, a sentence, and where it happened. */
export class UnixfsError extends Error {
  override readonly name = 'UnixfsError'
  readonly code: UnixfsErrorCode
  /** Facts for logs and answers: `offset` in a CAR, `cid` of a block, `path` in a folder. */
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

  /** Whether `error` is of this class (by name, so that two copies of the package agree) and has that code. */
  static is(error: unknown, code?: UnixfsErrorCode): error is UnixfsError {
    return (
      error instanceof Error &&
      error.name === 'UnixfsError' &&
      'code' in error &&
      (code === undefined || error.code === code)
    )
  }
}
