import { CairnError } from '@cairn/protocol'

const maxEvaluations = 10
const windowMs = 60_000
const maxAddresses = 100_000

/** Counts evaluations per address. */
export type EvaluationRate = {
  /** @throws RATE_LIMITED with the seconds to wait, from the eleventh per minute on */
  count(identity: string): void
}

/**
 * Allows each address 10 evaluations per minute: each may take several calls to chains.
 *
 * @param factor multiplies that; 0 removes the limit
 */
export function createEvaluationRate(clock: { now(): number }, factor = 1): EvaluationRate {
  const windows = new Map<string, { used: number; endsAt: number }>()
  return {
    count(identity) {
      if (factor === 0) return
      const now = clock.now()
      const window = windows.get(identity)
      // One that ends later than in a minute began before the clock was set back.
      if (window === undefined || window.endsAt <= now || window.endsAt > now + windowMs) {
        // Windows are in order of expiry, so expired ones come first.
        windows.delete(identity)
        for (const [other, { endsAt }] of windows) {
          if (endsAt > now && windows.size < maxAddresses) break
          windows.delete(other)
        }
        windows.set(identity, { used: 1, endsAt: now + windowMs })
        return
      }
      if (window.used >= maxEvaluations * factor) {
        throw new CairnError('RATE_LIMITED', { retryAfterSeconds: Math.ceil((window.endsAt - now) / 1000) })
      }
      window.used++
    },
  }
}
