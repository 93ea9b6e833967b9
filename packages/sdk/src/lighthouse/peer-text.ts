import { CairnError } from '@cairn/protocol'

/** What the module this stands in for says of an answer with an error status, by the family of calls. */
const texts = {
  request: (status: number) => `Request failed with status code ${status}`,
  http: (status: number) => `HTTP error! status: ${status}`,
  upload: (status: number) => `Error: Request failed with status code ${status}`,
}

/**
 * Gives refusals the message that programs written for the other module compare. The code stays; our own message and hint
 * are in `hint`, our own error is the `cause`.
 */
export async function withPeerText<T>(family: keyof typeof texts, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { code, status, message, hint, details, requestId, retryAfterSeconds } = CairnError.from(error)
    // Faults without an answer, such as of the network or of a local file, have no text there.
    if (status < 400) throw error
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
