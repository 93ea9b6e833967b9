import { CairnError } from '@cairn/protocol'

const evaluationsMost = 10
const windowMs = 60_000
const addressesMost = 100_000

/** Counts evaluations by address. */
export type EvaluationRate = {
  /** @throws RATE_LIMITED with the seconds to wait, from the eleventh in a minute on */
  count(identity: string): void
}

/**
 * Allows each address 10 evaluations a minute: each may cost several calls to chains.
 *
 * @param factor multiplies that; 0 allows any number
 */
export function createEvaluationRate(clock: { now(): number }, factor = 1): EvaluationRate {
  const windows = new Map<string, { used: number; endsAt: number }>()
  return {
    count(identity) {
      if (factor === 0) return
      const now = clock.now()
      const window = windows.get(identity)
      if (window === undefined || window.endsAt <= now) {
        // Windows are in the order in which they end: the ended ones come first.
        windows.delete(identity)
        for (const [other, { endsAt }] of windows) {
          if (endsAt > now && windows.size < addressesMost) break
          windows.delete(other)
        }
        windows.set(identity, { used: 1, endsAt: now + windowMs })
        return
      }
      if (window.used >= evaluationsMost * factor) {
        throw new CairnError('RATE_LIMITED', { retryAfterSeconds: Math.ceil((window.endsAt - now) / 1000) })
      }
      window.used++
    },
  }
}
