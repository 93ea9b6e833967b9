import { parseReasonFacts, type Reason, type ReasonFacts } from '@cairn/protocol'

const maxCharacters = 500

/** Columns of a reason and of what it states. */
export type ReasonColumns = { reason: string | null; reason_facts: string | null }

export const noReason: ReasonColumns = { reason: null, reason_facts: null }

/** Returns the columns of a reason. */
export function reasonColumns({ reason, reasonFacts }: Reason): { reason: string; reason_facts: string } {
  return { reason: reason.slice(0, maxCharacters), reason_facts: JSON.stringify(reasonFacts) }
}

/** Returns the facts of a stored reason; undefined if there are none, or an earlier version stored it. */
export function readFacts(stored: string | null): ReasonFacts | undefined {
  return stored === null ? undefined : parseReasonFacts(JSON.parse(stored))
}
