import { parseReasonFacts, type ReasonFacts } from '@cairn/protocol'

/** Returns what a stored reason states; undefined if there is none, or an earlier version stored it. */
export function readFacts(stored: string | null): ReasonFacts | undefined {
  return stored === null ? undefined : parseReasonFacts(JSON.parse(stored))
}
