import { type CairnError, type Reason, reasonFactsOf, reasonOf } from '@cairn/protocol'
import { reasonColumns } from '../db/stored-reasons.ts'

/** Columns of a deal for what went wrong. */
export type ErrorColumns = { error: string | null; error_facts: string | null }

export const noError: ErrorColumns = { error: null, error_facts: null }

/** Returns why an error happened; its sentence starts with its code. */
export function reasonOfError(error: CairnError): Reason {
  return { reason: `${error.code}: ${reasonOf(error) ?? error.message}`, reasonFacts: reasonFactsOf(error) }
}

/** Returns the columns of a deal that went wrong for a reason. */
export function errorColumns(why: Reason): ErrorColumns {
  const { reason, reason_facts } = reasonColumns(why)
  return { error: reason, error_facts: reason_facts }
}
