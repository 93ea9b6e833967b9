import { CairnError, type ErrorCode } from '@cairn/protocol'
import { UnixfsError } from '@cairn/unixfs'

/** What became of one check. `skipped` says why it was not made. */
export type Check =
  | { readonly outcome: 'proven'; readonly says: string }
  | { readonly outcome: 'failed'; readonly says: string; readonly code: ErrorCode }
  | { readonly outcome: 'skipped'; readonly says: string }

/** Runs a check. What it throws is its result, but an abort, which ends all. */
export async function check(signal: AbortSignal | undefined, run: () => Promise<string>): Promise<Check> {
  try {
    return { outcome: 'proven', says: await run() }
  } catch (error) {
    if (signal?.aborted) throw new CairnError('ABORTED', { cause: error })
    if (UnixfsError.is(error)) return { outcome: 'failed', says: error.message, code: 'VERIFICATION_FAILED' }
    if (!CairnError.is(error)) throw error
    const { reason } = error.details
    return { outcome: 'failed', says: typeof reason === 'string' ? reason : error.message, code: error.code }
  }
}
