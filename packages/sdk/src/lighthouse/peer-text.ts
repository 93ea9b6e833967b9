import { CairnError, type ErrorCode } from '@cairn/protocol'

/** What the module this stands in for says of an answer with an error status, by the family of calls. */
const texts = {
  request: (status: number) => `Request failed with status code ${status}`,
  http: (status: number) => `HTTP error! status: ${status}`,
  upload: (status: number) => `Error: Request failed with status code ${status}`,
}

/** Refused before anything is sent: the other module has texts of their own for these, which ours are. */
const refusedHere: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['DUPLICATE_NAME', 'NO_FILE'])

/**
 * Gives refusals the message that programs written for the other module compare. The code stays; our own message and hint
 * are in `hint`, our own error is the `cause`.
 */
export async function withPeerText<T>(family: keyof typeof texts, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    // Faults without an answer, such as of the network or of a local file, have no text there.
    if (!CairnError.is(error) || error.status < 400 || refusedHere.has(error.code)) throw error
    const { code, status, message, hint, details, requestId, retryAfterSeconds } = error
    throw new CairnError(code, {
      message: texts[family](status),
      hint: `${message.replace(/\.$/, '')}. ${hint}`.trim(),
      details,
      status,
      cause: error,
      ...(requestId === undefined ? {} : { requestId }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    })
  }
}
