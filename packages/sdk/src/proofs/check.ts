import { CairnError, type ErrorCode, reasonOf } from '@cairn/protocol'
import { UnixfsError } from '@cairn/unixfs'

/** Outcome of one check. `skipped` states why it did not run. */
export type Check =
  | { readonly outcome: 'proven'; readonly message: string }
  | { readonly outcome: 'failed'; readonly message: string; readonly code: ErrorCode }
  | { readonly outcome: 'skipped'; readonly message: string }

/** Runs a check. Its error is the outcome, except for an abort, which stops everything. */
export async function check(signal: AbortSignal | undefined, run: () => Promise<string>): Promise<Check> {
  try {
    return { outcome: 'proven', message: await run() }
  } catch (error) {
    if (signal?.aborted) throw new CairnError('ABORTED', { cause: error })
    if (UnixfsError.is(error)) return { outcome: 'failed', message: error.message, code: 'VERIFICATION_FAILED' }
    if (!CairnError.is(error)) throw error
    return { outcome: 'failed', message: reasonOf(error) ?? error.message, code: error.code }
  }
}
