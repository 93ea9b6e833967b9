import { isUpcoming } from '../is-upcoming.ts'

/** A cache of answers with a size limit in bytes; evicts the oldest first. */
export type KeptAnswers<Answer> = {
  get(key: string): Answer | undefined
  set(key: string, answer: Answer, keepMs: number, sizeBytes: number): void
}

export function createKeptAnswers<Answer>(budgetBytes: number, clock: { now(): number }): KeptAnswers<Answer> {
  const entries = new Map<string, { answer: Answer; until: number; keepMs: number; cost: number }>()
  let total = 0
  const drop = (key: string) => {
    total -= entries.get(key)?.cost ?? 0
    entries.delete(key)
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry !== undefined && isUpcoming(entry.until, clock.now(), entry.keepMs)) return entry.answer
      drop(key)
      return undefined
    },
    set(key, answer, keepMs, sizeBytes) {
      drop(key)
      // Text takes up to two bytes per character.
      const cost = 2 * (key.length + sizeBytes)
      if (cost > budgetBytes) return
      entries.set(key, { answer, until: clock.now() + keepMs, keepMs, cost })
      total += cost
      for (const oldest of entries.keys()) {
        if (total <= budgetBytes) break
        drop(oldest)
      }
    },
  }
}
