import { CairnError, type ErrorCode, restoreError } from '@cairn/protocol'

/** Message of the published module for a response with an error status, by family of calls. */
const texts = {
  request: (status: number) => `Request failed with status code ${status}`,
  http: (status: number) => `HTTP error! status: ${status}`,
  proof: (status: number) => (status === 400 ? "Proof Doesn't exist yet" : `Request failed with status code ${status}`),
  upload: (status: number) => `Error: Request failed with status code ${status}`,
}

/** Rejected before any request: the published module has its own texts for these, and ours are the same. */
const refusedHere: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['DUPLICATE_NAME', 'NO_FILE'])

/**
 * Gives errors the message that programs written for the published module compare. The code stays; our own message and
 * hint are in `hint`, our own error is the `cause`.
 */
export async function withPeerText<T>(family: keyof typeof texts, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    // Errors without a response, such as network or file errors, have no text there.
    if (!CairnError.is(error) || error.status < 400 || refusedHere.has(error.code)) throw error
    throw replaceText(error, texts[family](error.status))
  }
}

/** Replaces the message of an error; its own is in the hint, and the error is the cause. */
export function replaceText(error: CairnError, text: string): CairnError {
  const { code, status, message, hint, details, requestId, retryAfterSeconds } = error
  return restoreError(code, {
    message: text,
    hint: `${message.replace(/\.$/, '')}. ${hint}`.trim(),
    details,
    status,
    cause: error,
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}
