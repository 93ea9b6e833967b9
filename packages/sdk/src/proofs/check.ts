import { CairnError, type ErrorCode, type Reason, type ReasonFacts, reasonFactsOf, reasonOf } from '@cairn/protocol'
import { UnixfsError } from '@cairn/unixfs'

/** The finding of a check as an English sentence, with its code and values for programs and for other languages. */
type Finding = { readonly message: string; readonly reasonFacts: ReasonFacts }

/** Outcome of one check. `skipped` states why it did not run. */
export type Check =
  | ({ readonly outcome: 'proven' } & Finding)
  | ({ readonly outcome: 'failed'; readonly code: ErrorCode } & Finding)
  | ({ readonly outcome: 'skipped' } & Finding)

/** Runs a check. Its error is the outcome, except for an abort, which stops everything. */
export async function check(signal: AbortSignal | undefined, run: () => Promise<Reason>): Promise<Check> {
  try {
    return proven(await run())
  } catch (error) {
    if (signal?.aborted) throw new CairnError('ABORTED', { cause: signal.reason })
    if (UnixfsError.is(error)) {
      const code = 'VERIFICATION_FAILED'
      return { outcome: 'failed', message: error.message, reasonFacts: { code }, code }
    }
    if (!CairnError.is(error)) throw error
    const reasonFacts = reasonFactsOf(error)
    return { outcome: 'failed', message: reasonOf(error) ?? error.message, reasonFacts, code: error.code }
  }
}

/** Returns the outcome of a check that succeeded. */
export function proven({ reason, reasonFacts }: Reason): Check {
  return { outcome: 'proven', message: reason, reasonFacts }
}

/** Returns the outcome of a check that did not run. */
export function skipped({ reason, reasonFacts }: Reason): Check {
  return { outcome: 'skipped', message: reason, reasonFacts }
}
