import { type CairnError, type Reason, reasonFactsOf, reasonOf } from '@cairn/protocol'

const maxCharacters = 500

/** Columns of a deal for what went wrong. */
export type ErrorColumns = { error: string | null; error_facts: string | null }
/** Columns of a challenge for why it has no proof. */
export type ReasonColumns = { reason: string | null; reason_facts: string | null }

export const noError: ErrorColumns = { error: null, error_facts: null }
export const noReason: ReasonColumns = { reason: null, reason_facts: null }

/** Returns why an error happened; its sentence starts with its code. */
export function reasonOfError(error: CairnError): Reason {
  return { reason: `${error.code}: ${reasonOf(error) ?? error.message}`, reasonFacts: reasonFactsOf(error) }
}

/** Returns the columns of a deal that went wrong for a reason. */
export function errorColumns({ reason, reasonFacts }: Reason): ErrorColumns {
  return { error: reason.slice(0, maxCharacters), error_facts: JSON.stringify(reasonFacts) }
}

/** Returns the columns of a challenge without a proof. */
export function reasonColumns({ reason, reasonFacts }: Reason): ReasonColumns {
  return { reason: reason.slice(0, maxCharacters), reason_facts: JSON.stringify(reasonFacts) }
}
